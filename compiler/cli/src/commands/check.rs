//! `gswc check`

use gsw_service::Exit;

use crate::arguments::Check;
use crate::{compile, project, report, signature};

/// Reports everything wrong with a program.
pub fn check(arguments: &Check) -> Exit {
    let file = match project::entry(arguments.file.as_deref()) {
        Ok(file) => file,
        Err(exit) => return exit,
    };
    match compile::open(&file) {
        Ok(db) => {
            let diagnostics = gsw_analysis::check_project(&db);
            let exit = report::report(&db, &diagnostics, arguments.format);
            let exit = if arguments.signatures && exit == Exit::Done {
                report::output(&signature::signatures(&db))
            } else {
                exit
            };
            // The process ends here; taking a large program apart first would be for nobody.
            std::mem::forget(db);
            exit
        }
        Err(failure) => report::failure(&failure),
    }
}
