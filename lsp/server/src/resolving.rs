//! The `data` of completion items, which an editor sends back to get their docs.

use gsw_ide::Definition;
use serde_json::{Value, json};
use tower_lsp::ls_types as lsp;

use crate::markup::Format;
use crate::state::{State, View};

/// The `data` of what is about these definitions; `None` when it is about none.
pub fn data(view: View<'_>, definitions: &[Definition]) -> Option<Value> {
    let uri = view.state.uri(view.file.path(view.db))?;
    let listed = definitions.iter().map(|Definition { module, item, part }| {
        json!({
            "module": module,
            "item": item.as_str(),
            "part": part.as_ref().map(|it| it.as_str()),
        })
    });
    let listed: Vec<Value> = listed.collect();
    (!listed.is_empty()).then(|| json!({ "uri": uri.as_str(), "of": listed }))
}

/// Head and docs of each definition of such a `data`; `None` when nothing is known of any.
pub fn docs(state: &State, data: &Value, format: Format) -> Option<lsp::MarkupContent> {
    let uri = data["uri"].as_str()?.parse::<lsp::Uri>().ok()?;
    let view = state.view(&uri)?;
    let texts = data["of"].as_array()?.iter().filter_map(|it| {
        let text = |name: &str| it[name].as_str();
        let definition = Definition {
            module: text("module")?.into(),
            item: text("item")?.into(),
            part: text("part").map(Into::into),
        };
        let (code, docs) = gsw_ide::completion_docs(view.db, &definition)?;
        let docs = docs.map(|it| format!("\n\n{it}")).unwrap_or_default();
        Some(format!("```gsw\n{code}\n```{docs}"))
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| format.text(&texts.join("\n\n---\n\n")))
}
