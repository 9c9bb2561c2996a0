//! The JSON Schema of files of events, made from the types; `docs/reference/events.schema.json` must say the same.

use std::path::Path;

use gsw_abi::call::NodeKind;
use gsw_abi::hook::Moment;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::event::{Event, Header, Lost};

/// The kinds of nodes, by their words.
pub(super) struct Kind;

impl JsonSchema for Kind {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NodeKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": NodeKind::ALL.map(NodeKind::name) })
    }
}

/// The handlers of hooks, by their names.
pub(super) struct HookMoment;

impl JsonSchema for HookMoment {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Moment::ALL.map(Moment::name) })
    }
}

/// A line of a file of events.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only its schema is wanted")]
enum Line {
    Header(Header),
    Event(Box<Event>),
    Lost(Lost),
}

#[test]
fn the_schema_in_the_reference_is_that_of_the_types() {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Line>();
    schema.insert("title".into(), "A line of a file of events".into());
    let made = format!("{:#}\n", Value::from(schema));
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/events.schema.json");
    if std::env::var_os("ACCEPT").is_some() {
        std::fs::write(&file, &made).expect("the reference can be written");
    }
    let kept = std::fs::read_to_string(&file).expect("the reference is there");
    assert!(
        kept == made,
        "the events' form has changed: a new field or kind is fine (`ACCEPT=1`), anything else needs a new version"
    );
}

#[test]
fn kinds_are_named_as_in_json() {
    for kind in NodeKind::ALL {
        let name = serde_json::to_value(kind).expect("a kind is a word");
        assert_eq!(name, kind.name());
    }
    for moment in Moment::ALL {
        let name = serde_json::to_value(moment).expect("a moment is a word");
        assert_eq!(name, moment.name());
    }
}
