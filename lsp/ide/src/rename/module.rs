//! Modules, which have the names of their files: a rename of the one is a rename of the other.

use std::path::PathBuf;

use gsw_names::{is_std, module_path};
use gsw_source::{Db, File, Name, Project, Span};

use super::{alias, check_spelling};
use crate::cursor::{cursor, in_file};
use crate::symbol::Symbol;

/// A module that is named at a place.
pub struct NamedModule {
    /// The name in the file; in the path of an import its last part.
    pub span: Span,
    pub name: Name,
    module: File,
}

/// A file that gets another path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MovedFile {
    pub old: PathBuf,
    pub new: PathBuf,
}

/// The module that is named at `offset`; `None` where something else is, also another name that an import gives it.
///
/// # Errors
/// When its file is not to be renamed: a sentence for the user.
pub fn named_module(db: &dyn Db, file: File, offset: u32) -> Result<Option<NamedModule>, String> {
    let Some(cursor) = cursor(db, file, offset) else {
        return Ok(None);
    };
    let Symbol::Module(module) = cursor.symbol else {
        return Ok(None);
    };
    if alias::alias(db, cursor).is_some() {
        return Ok(None);
    }
    let key = module_path(db, module).unwrap_or_default();
    let name = key.rsplit('/').next().unwrap_or_default();
    if is_std(db, module) {
        return Err(format!(
            "`{name}` is a module of the standard library, which cannot be changed"
        ));
    }
    let written = in_file(db, cursor.item, cursor.span);
    let length = u32::try_from(name.len()).unwrap_or(0);
    Ok(Some(NamedModule {
        span: Span::new(written.end.saturating_sub(length), written.end),
        name: name.into(),
        module,
    }))
}

/// Where the file of the module that is named at `offset` is under the name `new`; `None` where no module is named.
///
/// # Errors
/// Why it cannot be called that: a sentence for the user.
pub fn moved_module(
    db: &dyn Db,
    file: File,
    offset: u32,
    new: &str,
) -> Result<Option<MovedFile>, String> {
    let Some(NamedModule { name, module, .. }) = named_module(db, file, offset)? else {
        return Ok(None);
    };
    check_spelling(&name, new)?;
    let old = module.path(db).clone();
    let moved = old.with_file_name(format!("{new}.gsw"));
    let project = Project::try_get(db);
    if let Some(project) = project
        && *new != *name
        && project
            .modules(db)
            .contains_key(&gsw_project::module_key(&moved))
    {
        return Err(format!("there is a module `{new}` beside it already"));
    }
    Ok(Some(MovedFile { old, new: moved }))
}
