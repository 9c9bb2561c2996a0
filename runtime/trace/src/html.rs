//! A file of events as one page for a browser, which needs nothing else: tree, timeline and every detail.

use gsw_notation::calendar;
use gsw_tree::node::NodeId;
use rustc_hash::FxHashMap;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::json::OnDemand;
use crate::node::{Node, Recorded};
use crate::read::Trace;
use crate::tree::Tree;

const STYLE: &str = include_str!("html/page.css");
/// In order of need; together they are one script.
const SCRIPTS: [&str; 6] = [
    include_str!("html/model.js"),
    include_str!("html/value.js"),
    include_str!("html/rows.js"),
    include_str!("html/conversation.js"),
    include_str!("html/detail.js"),
    include_str!("html/page.js"),
];
const BODY: &str = include_str!("html/page.html");

/// The page. `name` is what the file is called.
#[must_use]
pub fn page(name: &str, trace: &Trace) -> String {
    let data = Data {
        file: name,
        program: &trace.program,
        missing: trace.gaps.sentences(),
        result: &trace.result,
        runs: trace.runs.iter().map(Run).collect(),
    };
    let data = serde_json::to_string(&data).expect("trees have a form in JSON");
    // In a script element only `<` can end it, and in JSON it occurs only inside of strings.
    let data = data.replace('<', "\\u003c");
    let title = escape(name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n{BODY}\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n\"use strict\";\n"
    );
    for script in SCRIPTS {
        page.push_str(script);
    }
    page.push_str("</script>\n</html>\n");
    page
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[derive(Serialize)]
struct Data<'a> {
    file: &'a str,
    program: &'a Option<String>,
    missing: Vec<String>,
    result: &'a Option<Value>,
    runs: Vec<Run<'a>>,
}

/// A run in a compact form: nodes in order of the tree, parents by their place in it, times in milliseconds from the first.
struct Run<'a>(&'a Tree);

impl Serialize for Run<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(tree) = self;
        let spent = tree.spent_below();
        let (first, last) = tree.span().unwrap_or_default();
        let all = || std::iter::once(tree.root()).chain(tree.walk());
        let places: FxHashMap<NodeId, usize> = all()
            .enumerate()
            .map(|(place, it)| (it.id, place))
            .collect();
        let since = |time: i64| time.saturating_sub(first) as f64 / 1e6;
        let node = |it: &Node| {
            let below = spent.get(&it.id).copied().unwrap_or_default();
            let events: Vec<Value> = it
                .recorded
                .iter()
                .map(|it| event(it, since(it.time)))
                .collect();
            json!({
                "id": it.id.0,
                "parent": it.parent.and_then(|it| places.get(&it)),
                "kind": it.kind_name(),
                "name": it.segment(),
                "status": it.status.name(),
                "start": it.start.map(since),
                "end": it.end.map(since),
                "input": it.input,
                "output": it.output,
                "error": it.error,
                "model": it.model,
                "retries": it.retries,
                "usage": it.spent.usage,
                "requests": it.spent.requests,
                "tokens": below.usage.total(),
                "cost": below.cost_usd,
                "events": events,
            })
        };
        let mut object = serializer.serialize_struct("Run", 6)?;
        object.serialize_field("run", tree.run())?;
        object.serialize_field("status", tree.outcome().name())?;
        object.serialize_field("begin", &calendar::rfc3339(first))?;
        object.serialize_field("span", &since(last))?;
        object.serialize_field("totals", tree.totals())?;
        object.serialize_field("nodes", &OnDemand(|| all().map(node)))?;
        object.end()
    }
}

fn event(recorded: &Recorded, at: f64) -> Value {
    let (kind, fields) = recorded.parts();
    json!([at, kind, fields])
}
