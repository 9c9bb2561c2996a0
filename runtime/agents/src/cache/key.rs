//! The key of an answer: a hash over a canonical encoding of everything that can change it.

use gsw_engine::model::ModelRequest;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::settings::Settings;

/// What an answer depends on.
pub(crate) struct Asked<'a> {
    pub request: &'a ModelRequest,
    pub settings: &'a Settings,
    /// The merged settings as the program wrote them.
    pub written: &'a Map<String, Value>,
    /// The offered tools by names that hold also after the program has changed.
    pub tools: Vec<String>,
}

/// The key of a call, 64 hex digits.
///
/// What the settings add to it is a column of their table. What they lead to in the request is left out here, and so is what
/// only says how hard we try: the limits of retries and time.
pub(crate) fn of_call(asked: &Asked<'_>) -> String {
    let ModelRequest {
        system,
        messages,
        schema,
        schema_name,
        tools: offered,
        model: _,
        max_tokens: _,
        stop: _,
        temperature: _,
        thinking: _,
        retries: _,
        schema_delivery: _,
        tool_delivery: _,
        timeout: _,
        first_token: _,
        fallback: _,
        rate: _,
        recorded: _,
    } = asked.request;
    digest(&json!({
        "system": system,
        "messages": messages,
        "schema": schema,
        "schema_name": schema_name,
        "offered": offered,
        "tools": asked.tools,
        "settings": asked.settings.cache_key(asked.written),
    }))
}

/// The hash of a value's canonical encoding, 64 hex digits.
pub(crate) fn digest(value: &Value) -> String {
    let mut encoded = Vec::new();
    encode(value, &mut encoded);
    gsw_notation::hex::text(Sha256::digest(&encoded))
}

/// Every value begins with its type and size, so no two values have the same encoding; keys are sorted.
fn encode(value: &Value, encoded: &mut Vec<u8>) {
    match value {
        Value::Null => encoded.push(b'n'),
        Value::Bool(false) => encoded.push(b'f'),
        Value::Bool(true) => encoded.push(b't'),
        Value::Number(number) => sized(b'#', number.to_string().as_bytes(), encoded),
        Value::String(text) => sized(b's', text.as_bytes(), encoded),
        Value::Array(items) => {
            begin(b'[', items.len(), encoded);
            items.iter().for_each(|it| encode(it, encoded));
        }
        Value::Object(fields) => {
            begin(b'{', fields.len(), encoded);
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|it| it.0);
            for (name, field) in fields {
                sized(b's', name.as_bytes(), encoded);
                encode(field, encoded);
            }
        }
    }
}

fn sized(kind: u8, bytes: &[u8], encoded: &mut Vec<u8>) {
    begin(kind, bytes.len(), encoded);
    encoded.extend_from_slice(bytes);
}

fn begin(kind: u8, size: usize, encoded: &mut Vec<u8>) {
    encoded.push(kind);
    encoded.extend_from_slice(&(size as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gsw_abi::setting::Setting;
    use gsw_engine::media::{Media, MediaKind, MediaSource};
    use gsw_engine::model::{Content, ModelRequest, Role};
    use proptest::prelude::{Just, Strategy, any, prop_oneof};
    use proptest::{collection, prop_assert_eq, proptest};
    use serde_json::{Map, Value, json};

    use super::{Asked, digest, of_call};
    use crate::request::{plain_request, said};
    use crate::settings::Settings;

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-c\"\\[{]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 4, |inner| {
            prop_oneof![
                collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                collection::btree_map("[a-c]{0,2}", inner, 0..4)
                    .prop_map(|it| Value::Object(it.into_iter().collect())),
            ]
        })
    }

    /// The value with all keys in reverse order.
    fn turned(value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(turned).collect(),
            Value::Object(fields) => {
                let fields: Map<String, Value> = fields
                    .iter()
                    .rev()
                    .map(|(name, it)| (name.clone(), turned(it)))
                    .collect();
                Value::Object(fields)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }

    proptest! {
        #[test]
        fn equal_values_and_only_these_have_equal_keys(a in json_value(), b in json_value()) {
            prop_assert_eq!(digest(&a) == digest(&b), a == b);
            prop_assert_eq!(digest(&a), digest(&turned(&a)));
            prop_assert_eq!(digest(&a).len(), 64);
        }
    }

    fn picture(data: &str) -> Content {
        let source = MediaSource::Inline {
            media_type: "image/png".into(),
            data: data.into(),
        };
        Content::Media {
            media: Media {
                kind: MediaKind::Image,
                source,
            },
        }
    }

    fn key_of(request: &ModelRequest, written: Value, tools: &[&str]) -> String {
        let Value::Object(written) = written else {
            unreachable!("settings are an object");
        };
        of_call(&Asked {
            request,
            settings: &Settings::read(&written).expect("valid"),
            written: &written,
            tools: tools.iter().map(|it| (*it).to_owned()).collect(),
        })
    }

    /// Keys of which no two may be equal.
    #[derive(Default)]
    struct Distinct(std::collections::BTreeSet<String>);

    impl Distinct {
        fn add(&mut self, key: String) {
            assert!(self.0.insert(key), "this change leaves the key as it is");
        }
    }

    #[test]
    fn a_change_of_any_part_of_the_request_changes_the_key() {
        let request = plain_request("sim/a", "hello");
        let mut keys = Distinct::default();
        keys.add(key_of(&request, json!({}), &[]));
        keys.add(key_of(&request, json!({}), &["m.look"]));
        let changes: Vec<fn(&mut ModelRequest)> = vec![
            |it| it.system = Some("hello".into()),
            |it| it.messages = vec![said(Role::Assistant, "hello")],
            |it| it.messages.push(said(Role::User, "")),
            |it| it.schema = Some(Arc::new(json!({"type": "string"}))),
            |it| it.schema_name = "other".into(),
            |it| {
                Arc::make_mut(&mut it.messages[0])
                    .content
                    .push(picture("aaaa"))
            },
            |it| {
                Arc::make_mut(&mut it.messages[0])
                    .content
                    .push(picture("bbbb"))
            },
        ];
        for change in changes {
            let mut changed = request.clone();
            change(&mut changed);
            keys.add(key_of(&changed, json!({}), &[]));
        }
    }

    #[test]
    fn a_setting_changes_the_key_unless_it_says_only_how_hard_we_try() {
        let request = plain_request("sim/a", "hello");
        let base = key_of(&request, json!({}), &[]);
        let mut keys = Distinct::default();
        keys.add(base.clone());
        for setting in Setting::ALL {
            let name = setting.name();
            let changed = match setting {
                Setting::Model => json!({name: "sim/b"}),
                Setting::Answer => json!({name: "exact"}),
                Setting::Stop | Setting::Spawns => json!({name: ["END"]}),
                Setting::Skills | Setting::Hooks => json!({name: ["it"]}),
                Setting::Env => json!({name: {"A": "b"}}),
                Setting::MaxTokens | Setting::MaxTurns | Setting::Thinking => json!({name: 77}),
                Setting::Temperature => json!({name: 0.0}),
                Setting::ClearResults => json!({name: 0.5}),
                Setting::Reflect
                | Setting::Retry
                | Setting::Rate
                | Setting::Timeout
                | Setting::FirstToken => json!({name: 9}),
                Setting::Cache => json!({name: true}),
                Setting::Budget => json!({name: {"calls": 9}}),
                Setting::Description => json!({name: "What it is for."}),
                // These change the request, which the other test changes.
                Setting::System | Setting::Tools | Setting::Session => continue,
            };
            let key = key_of(&request, changed, &[]);
            match setting {
                Setting::Reflect
                | Setting::Retry
                | Setting::Rate
                | Setting::Timeout
                | Setting::FirstToken
                | Setting::Cache
                | Setting::Budget
                | Setting::Description
                | Setting::System
                | Setting::Session
                | Setting::Tools => assert_eq!(key, base, "{name}"),
                Setting::Model
                | Setting::Answer
                | Setting::Stop
                | Setting::Spawns
                | Setting::Skills
                | Setting::Hooks
                | Setting::Env
                | Setting::MaxTokens
                | Setting::MaxTurns
                | Setting::ClearResults
                | Setting::Thinking
                | Setting::Temperature => keys.add(key),
            }
        }
    }
}
