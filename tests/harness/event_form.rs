//! Files of events against `docs/reference/events.schema.json`: every line fits, ends pair with starts, ids do not collide.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

use crate::program::root;

/// The schema of a line.
static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let file = root().join("docs/reference/events.schema.json");
    let text = std::fs::read_to_string(file).expect("the schema is there");
    serde_json::from_str(&text).expect("the schema is JSON")
});

static FORM: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::validator_for(&SCHEMA).expect("the schema is one"));

/// All kinds of events that the schema names.
pub fn kinds() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect_kinds(&SCHEMA, &mut found);
    found
}

fn collect_kinds(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(entries) => {
            let kind = schema["properties"]["event"]["const"].as_str();
            found.extend(kind.map(str::to_owned));
            entries.values().for_each(|it| collect_kinds(it, found));
        }
        Value::Array(items) => items.iter().for_each(|it| collect_kinds(it, found)),
        _ => {}
    }
}

/// Looks at a file of events: what is wrong with it; the kinds that occur join `seen`.
pub fn check(place: &str, file: &Path, seen: &mut BTreeSet<String>) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut lines = text.lines();
    let mut wrong = Vec::new();
    let header = lines.next().unwrap_or_default();
    let header: Value = serde_json::from_str(header).unwrap_or_default();
    let image = header["image"].as_str().unwrap_or_default();
    if header["version"] != 3 || image.len() != 64 {
        wrong.push(format!("{place}: the header is {header}"));
    }
    let mut runs: BTreeMap<String, Tree> = BTreeMap::new();
    for line in lines {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        for issue in FORM.iter_errors(&event).take(1) {
            wrong.push(format!("{place}: {issue} in {line}"));
        }
        let run = event["run"].as_str().unwrap_or_default().to_owned();
        let tree = runs.entry(run).or_default();
        if event["sequence"] != tree.events {
            wrong.push(format!(
                "{place}: event {} has another number: {line}",
                tree.events
            ));
        }
        tree.events += 1;
        if let Err(why) = tree.take(&event) {
            wrong.push(format!("{place}: {why}: {line}"));
        }
        seen.extend(event["event"].as_str().map(str::to_owned));
    }
    let nodes = runs.values().flat_map(|it| &it.status);
    let open = nodes.filter(|(_, it)| !it.is_final());
    wrong.extend(open.map(|(node, status)| format!("{place}: node {node} ends as {status:?}")));
    wrong
}

/// The nodes of a run as its events describe them.
#[derive(Default)]
struct Tree {
    events: u64,
    status: BTreeMap<u64, Status>,
    names: BTreeSet<(u64, String, String, u64)>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Status {
    Idle,
    Running,
    Ended,
}

impl Status {
    fn is_final(self) -> bool {
        self == Self::Ended
    }
}

impl Tree {
    fn take(&mut self, event: &Value) -> Result<(), String> {
        let node = event["node"].as_u64().unwrap_or(u64::MAX);
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        match event["event"].as_str().unwrap_or_default() {
            "child_attached" => {
                let parent = event["parent"].as_u64().unwrap_or(u64::MAX);
                let is_open = parent == 0 || self.status.get(&parent) == Some(&Status::Running);
                let index = event["index"].as_u64().unwrap_or(u64::MAX);
                let name = (parent, text("kind"), text("name"), index);
                let status = match event["status"].as_str() {
                    Some("idle") => Status::Idle,
                    _ => Status::Running,
                };
                if !is_open {
                    return Err(format!("its parent {parent} is not at work"));
                }
                if !self.names.insert(name) {
                    return Err("its identity was given before".into());
                }
                match self.status.insert(node, status) {
                    None => Ok(()),
                    Some(_) => Err("its id was given before".into()),
                }
            }
            "workflow_start" | "step_start" | "task_start" | "prompt_start" => {
                self.change(node, Status::Running)
            }
            "status" | "workflow_end" | "step_end" | "task_end" | "prompt_end" | "tool_call" => {
                self.change(node, Status::Ended)
            }
            _ if node == 0 || self.status.contains_key(&node) => Ok(()),
            _ => Err("its node was never attached".into()),
        }
    }

    fn change(&mut self, node: u64, to: Status) -> Result<(), String> {
        match self.status.insert(node, to) {
            None => Err("its node was never attached".into()),
            Some(Status::Ended) => Err("its node had ended".into()),
            Some(_) => Ok(()),
        }
    }
}

/// A file without events, or with wrong ones, is found out.
#[test]
fn what_does_not_fit_is_said() {
    let file = crate::program::scratch("event_form").join("wrong.jsonl");
    let lines = [
        r#"{"format":"groundswell-events","version":3,"program":"p","image":""}"#,
        r#"{"sequence":0,"time":"2026-01-01T00:00:00Z","run":"r","node":1,"event":"task_start"}"#,
        r#"{"sequence":2,"time":"2026-01-01T00:00:00Z","run":"r","node":0,"event":"emit","value":1}"#,
        r#"{"sequence":2,"time":"2026-01-01T00:00:00Z","run":"r","node":0,"event":"unheard"}"#,
    ];
    std::fs::write(&file, lines.join("\n")).expect("the target folder can be written");
    let wrong = check("here", &file, &mut BTreeSet::new());
    let parts = [
        "the header",
        "never attached",
        "another number",
        "unheard",
        "ends as Running",
    ];
    for part in parts {
        assert!(
            wrong.iter().any(|it| it.contains(part)),
            "{part}: {wrong:#?}"
        );
    }
}
