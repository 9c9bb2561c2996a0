//! `textDocument/codeLens`: what can be done with a declaration: run a workflow, run a test, see the request of a prompt.

use gsw_names::module_path;
use gsw_source::{Db, File, ItemKind, Project, Span};
use gsw_syntax::file_item_ids;

use crate::cursor::in_file;
use crate::declared_name::name_span;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lens {
    /// The name that it is above, in the file.
    pub span: Span,
    pub action: LensAction,
    pub name: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LensAction {
    /// `gswc run FILE NAME`
    Run,
    /// `gswc test FILE --filter NAME`
    Test,
    /// `gswc prompt FILE NAME`
    ShowRequest,
}

#[must_use]
pub fn code_lens(db: &dyn Db, file: File) -> Vec<Lens> {
    let items = file_item_ids(db, file).iter().copied();
    items
        .filter_map(|item| {
            let action = match item.kind(db) {
                ItemKind::Workflow if can_run(db, file) => LensAction::Run,
                ItemKind::Test => LensAction::Test,
                ItemKind::Prompt => LensAction::ShowRequest,
                ItemKind::Workflow
                | ItemKind::Import
                | ItemKind::Function
                | ItemKind::Record
                | ItemKind::Alias
                | ItemKind::Enum
                | ItemKind::Error
                | ItemKind::Const
                | ItemKind::Agent
                | ItemKind::Tool
                | ItemKind::Mcp
                | ItemKind::Hook
                | ItemKind::Human
                | ItemKind::External
                | ItemKind::Skill
                | ItemKind::Permissions
                | ItemKind::Invalid => return None,
            };
            let span = in_file(db, item, name_span(db, item)?);
            let name = item.name(db).to_string();
            Some(Lens { span, action, name })
        })
        .collect()
}

/// Whether the workflows of `file` are commands: those of the entry of a project are, and those of a file that is in none.
fn can_run(db: &dyn Db, file: File) -> bool {
    let Some(project) = Project::try_get(db) else {
        return false;
    };
    let home = project.home(db).as_deref();
    home.is_none_or(|it| module_path(db, file) == Some(it))
}
