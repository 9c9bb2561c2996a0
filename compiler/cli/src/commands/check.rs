//! `gswc check`

use gsw_service::Exit;

use crate::arguments::Check;
use crate::{compile, report};

/// Reports everything wrong with a program.
pub fn check(arguments: &Check) -> Exit {
    match compile::open(&arguments.file) {
        Ok(db) => report::report(&db, &gsw_semantics::check_project(&db), arguments.format),
        Err(failure) => report::failure(&failure),
    }
}
