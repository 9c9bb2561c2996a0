//! The key of an answer: a hash over a canonical encoding of everything that can change it.

use std::fmt::Write;

use gsw_engine::model::ModelRequest;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::settings::{Exactness, Settings};

/// The key of a call, 64 hex digits.
///
/// Left out is what only says how hard we try: retries, reflection, time limits, the cache's own settings.
pub(crate) fn of_call(request: &ModelRequest, settings: &Settings, others: &Value) -> String {
    let parts = json!({
        "models": settings.models,
        "system": request.system,
        "messages": request.messages,
        "schema": request.schema,
        "schema_name": request.schema_name,
        "max_tokens": request.max_tokens,
        "stop": request.stop,
        "temperature": request.temperature,
        "thinking": request.thinking,
        "tools": request.tools,
        "max_turns": settings.max_turns,
        "exact": settings.exactness == Exactness::Exact,
        "others": others,
    });
    digest(&parts)
}

/// The hash of a value's canonical encoding, 64 hex digits.
pub(crate) fn digest(value: &Value) -> String {
    let mut encoded = Vec::new();
    encode(value, &mut encoded);
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(&encoded) {
        write!(digits, "{byte:02x}").expect("a String takes everything");
    }
    digits
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

    use gsw_engine::media::{Media, MediaKind, MediaSource};
    use gsw_engine::model::Content;
    use proptest::prelude::{Just, Strategy, any, prop_oneof};
    use proptest::{collection, prop_assert_eq, proptest};
    use serde_json::{Map, Value, json};

    use super::{digest, of_call};
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

    /// The same value with all keys the other way round.
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
            other => other.clone(),
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

    #[test]
    fn a_change_of_any_part_changes_the_key() {
        let settings = Settings::read(&Map::new()).expect("valid");
        let request = plain_request("sim/a", "hello");
        let base = of_call(&request, &settings, &Value::Null);
        let mut keys = std::collections::BTreeSet::from([base.clone()]);
        let mut count = 1;
        let mut expect_new = |key: String| {
            count += 1;
            keys.insert(key);
            assert_eq!(keys.len(), count);
        };
        let changes: Vec<fn(&mut gsw_engine::model::ModelRequest)> = vec![
            |it| it.system = Some("hello".into()),
            |it| it.messages = vec![said(gsw_engine::model::Role::Assistant, "hello")],
            |it| it.messages.push(said(gsw_engine::model::Role::User, "")),
            |it| it.schema = Some(json!({"type": "string"})),
            |it| it.max_tokens = 101,
            |it| it.stop = vec!["END".into()],
            |it| it.temperature = Some(0.0),
            |it| it.thinking = Some(2000),
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
            expect_new(of_call(&changed, &settings, &Value::Null));
        }
        let other = Settings {
            models: vec!["sim/b".into()],
            ..settings.clone()
        };
        expect_new(of_call(&request, &other, &Value::Null));
        expect_new(of_call(&request, &settings, &json!({"skills": ["s"]})));
        let harder = Settings {
            retries: 9,
            reflect: 9,
            ..settings
        };
        assert_eq!(of_call(&request, &harder, &Value::Null), base);
    }
}
