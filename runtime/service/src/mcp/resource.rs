//! Workflows as things to read: addresses, and the inputs that their gaps are filled with.

use gsw_abi::builtin;
use gsw_abi::program::{Program, Resource as Declared, Workflow};
use gsw_abi::types::{TypeId, TypeTable};
use gsw_notation::json::written;
use percent_encoding::percent_decode_str;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::{Map, Value};

use crate::mcp::{content, guard};

/// What has one address each.
pub(super) fn resources(program: &Program) -> Vec<Resource> {
    let open = program.workflows.iter().filter(|it| guard::is_open(it));
    let listed = open.filter_map(|workflow| {
        let declared = workflow.resource.as_ref()?;
        if declared.uri.contains('{') {
            return None;
        }
        let mut resource = Resource::new(declared.uri.clone(), workflow.name.clone());
        resource.description = workflow.docs.clone();
        resource.mime_type = media_type(&program.types, workflow, declared);
        Some(resource)
    });
    listed.collect()
}

/// What has an address with gaps.
pub(super) fn templates(program: &Program) -> Vec<ResourceTemplate> {
    let open = program.workflows.iter().filter(|it| guard::is_open(it));
    let listed = open.filter_map(|workflow| {
        let declared = workflow.resource.as_ref()?;
        if !declared.uri.contains('{') {
            return None;
        }
        let mut template = ResourceTemplate::new(declared.uri.clone(), workflow.name.clone());
        template.description = workflow.docs.clone();
        template.mime_type = media_type(&program.types, workflow, declared);
        Some(template)
    });
    listed.collect()
}

/// The workflow that an address leads to, and its input. One without gaps comes first.
pub(super) fn find(program: &Program, uri: &str) -> Option<(usize, Map<String, Value>)> {
    let all = program.workflows.iter().enumerate();
    let fitting = all.filter_map(|(index, workflow)| {
        let declared = workflow.resource.as_ref()?;
        Some((index, filled(&declared.uri, uri)?))
    });
    fitting.min_by_key(|it| it.1.len())
}

/// The workflow whose address is this template.
pub(super) fn declared(program: &Program, template: &str) -> Option<usize> {
    let mut all = program.workflows.iter();
    all.position(|it| it.resource.as_ref().is_some_and(|it| it.uri == template))
}

/// What a value of a workflow's result is to a client that reads it at an address.
pub(super) fn contents(
    types: &TypeTable,
    workflow: &Workflow,
    uri: &str,
    json: &str,
) -> Option<Vec<ResourceContents>> {
    let value = written(json).ok()?;
    let declared = workflow.resource.as_ref()?;
    let contents = match (&value, types.base(workflow.result)) {
        _ if content::is_content(types, workflow.result) => {
            let one = std::slice::from_ref(&value);
            let all = value.as_array().map_or(one, Vec::as_slice);
            return all.iter().map(|it| content::read(it, uri)).collect();
        }
        (Value::String(text), builtin::BYTES) => ResourceContents::blob(text.clone(), uri),
        (Value::String(text), builtin::STRING) => ResourceContents::text(text.clone(), uri),
        _ => ResourceContents::text(json, uri),
    };
    Some(vec![match media_type(types, workflow, declared) {
        Some(media_type) => contents.with_mime_type(media_type),
        None => contents,
    }])
}

/// As declared, else from the type of the result; `None` where each value has its own.
fn media_type(types: &TypeTable, workflow: &Workflow, declared: &Declared) -> Option<String> {
    if let Some(declared) = &declared.media_type {
        return Some(declared.clone());
    }
    let of_type = |ty: TypeId| match ty {
        _ if content::is_content(types, ty) => None,
        builtin::STRING => Some("text/plain"),
        builtin::BYTES => Some("application/octet-stream"),
        _ => Some("application/json"),
    };
    of_type(types.base(workflow.result)).map(str::to_owned)
}

/// What the gaps of a template are filled with in an address; none where it does not fit. A gap is one segment of a path, however it
/// is written: programs make paths of files of it. So it is never empty, holds no slash of any kind and is no way up.
fn filled(template: &str, uri: &str) -> Option<Map<String, Value>> {
    let mut input = Map::new();
    let (mut template, mut uri) = (template, uri);
    loop {
        let Some((before, behind)) = template.split_once('{') else {
            return (template == uri).then_some(input);
        };
        let (gap, after) = behind.split_once('}')?;
        uri = uri.strip_prefix(before)?;
        let literal = after.split('{').next().unwrap_or_default();
        let end = match literal {
            "" => uri.len(),
            literal => uri.find(literal)?,
        };
        let text = &uri[..end];
        if text.is_empty() || text.contains('/') {
            return None;
        }
        let text = percent_decode_str(text).decode_utf8().ok()?;
        let leads_elsewhere = text.contains(['/', '\\', '\0']) || matches!(&*text, "." | "..");
        if leads_elsewhere {
            return None;
        }
        input.insert(gap.to_owned(), Value::from(text.as_ref()));
        (template, uri) = (after, &uri[end..]);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::filled;

    #[test]
    fn gaps_are_filled_with_what_stands_there() {
        let template = "shop://orders/{id}/lines/{line}";
        let found = filled(template, "shop://orders/a..b%20c/lines/7").map(serde_json::Value::from);
        assert_eq!(found, Some(json!({"id": "a..b c", "line": "7"})));
        for other in [
            "shop://orders/1/lines/",
            "shop://orders//lines/1",
            "shop://orders/1/2/lines/3",
            "shop://orders/1/lines/2/3",
            "shop://orders/1/lines/%ff",
            "shop://orders/..%2f..%2fetc/lines/1",
            "shop://orders/a%2Fb/lines/1",
            "shop://orders/%2e%2E/lines/1",
            "shop://orders/./lines/1",
            "shop://orders/a%5cb/lines/1",
            "shop://orders/a%00/lines/1",
            "shop://orders/1",
            "",
        ] {
            assert_eq!(filled(template, other), None, "{other}");
        }
        assert!(filled("shop://terms", "shop://terms").is_some_and(|it| it.is_empty()));
        assert_eq!(filled("shop://terms", "shop://terms/"), None);
    }
}
