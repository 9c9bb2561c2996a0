//! Query `imported_paths`: what a file imports, without its tree.
//!
//! A walk over the imports of a project asks for nothing else of most files, and the trees of all of them at once would take many
//! times what the project does. So only the part of the text that can hold imports is cut into tokens, and only they are parsed.

use std::sync::Arc;

use gsw_source::{Db, File, Name};

use crate::ast::ItemBody;
use crate::file_reader::ItemText;
use crate::layout::lay_out;
use crate::lexer::lex;
use crate::token::TokenKind;

/// The word that every import begins with.
const IMPORT: &str = "import";

/// The paths of the imports of `file` as they are written, in order.
#[salsa::tracked(returns(ref))]
pub fn imported_paths(db: &dyn Db, file: File) -> Vec<Name> {
    let Some(part) = with_imports(file.text(db)) else {
        return Vec::new();
    };
    let text: Arc<str> = Arc::from(part);
    let lexed = Arc::new(lex(&text));
    let layout = lay_out(&lexed.tokens);
    let items = layout.items.iter();
    let imports = items.filter(|it| {
        let mut tokens = layout.tokens[it.range.clone()].iter();
        tokens.any(|token| token.kind == TokenKind::Import)
    });
    let parsed = imports.map(|it| ItemText::new(&text, &lexed, &layout.tokens, it).parse());
    let path = parsed.filter_map(|it| match it.item.body {
        ItemBody::Import(import) => Some(import.path),
        ItemBody::Function(_)
        | ItemBody::Record(_)
        | ItemBody::Alias { .. }
        | ItemBody::Enum(_)
        | ItemBody::Error(_)
        | ItemBody::Const(_)
        | ItemBody::Workflow { .. }
        | ItemBody::Tool { .. }
        | ItemBody::Prompt { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. }
        | ItemBody::Agent { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => None,
    });
    path.collect()
}

/// The text up to the end of its last import, or of what looks like one; `None` where nothing does. What follows it cannot
/// change how it is read.
fn with_imports(text: &str) -> Option<&str> {
    let last = text.rfind(IMPORT)?;
    let rest = &text[last..];
    let line = rest.find('\n').unwrap_or(rest.len());
    let end = match (rest[..line].contains('{'), rest.find('}')) {
        // Its names may take several lines.
        (true, Some(brace)) => line.max(brace + 1),
        (true, None) => rest.len(),
        (false, _) => line,
    };
    Some(&text[..last + end])
}
