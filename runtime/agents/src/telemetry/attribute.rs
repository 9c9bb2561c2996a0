//! Attributes in the form of the protocol.

use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, KeyValue, any_value};

/// The longest text that an attribute holds; collectors cut or refuse longer ones.
const LONGEST: usize = 16 << 10;

/// An attribute with a text.
pub fn text(key: &str, value: &str) -> KeyValue {
    of(key, any_value::Value::StringValue(cut(value)))
}

/// An attribute with a whole number.
pub fn number(key: &str, value: u64) -> KeyValue {
    of(
        key,
        any_value::Value::IntValue(i64::try_from(value).unwrap_or(i64::MAX)),
    )
}

/// An attribute with a fraction.
pub fn fraction(key: &str, value: f64) -> KeyValue {
    of(key, any_value::Value::DoubleValue(value))
}

/// An attribute with a claim.
pub fn claim(key: &str, value: impl Into<bool>) -> KeyValue {
    of(key, any_value::Value::BoolValue(value.into()))
}

pub fn texts(key: &str, values: &[&str]) -> KeyValue {
    let values = values.iter().map(|it| AnyValue {
        value: Some(any_value::Value::StringValue(cut(it))),
    });
    let values = values.collect();
    of(key, any_value::Value::ArrayValue(ArrayValue { values }))
}

fn of(key: &str, value: any_value::Value) -> KeyValue {
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
        ..KeyValue::default()
    }
}

fn cut(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let mut end = LONGEST;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}… ({} bytes)", &text[..end], text.len())
}
