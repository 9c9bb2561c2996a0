//! JSON that borrows from its text: of most events little is kept, and a thousand answers may come at once.

use std::borrow::Cow;
use std::ops::Index;

use serde_json::Value;

use crate::answer::{Tree, number_value};

/// A value of JSON. What is not there is null, as for [`Value`].
#[derive(Debug)]
pub(crate) enum Json<'t> {
    Null,
    Bool(bool),
    /// The digits as written.
    Number(Cow<'t, str>),
    Text(Cow<'t, str>),
    List(Vec<Json<'t>>),
    /// Keys are unique.
    Object(Vec<(Cow<'t, str>, Json<'t>)>),
}

impl Json<'_> {
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.fields().find(|(key, _)| *key == name).map(|it| it.1)
    }

    /// The fields of an object.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Self)> {
        let fields = match self {
            Self::Object(fields) => fields.as_slice(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => &[],
        };
        fields.iter().map(|(key, value)| (&**key, value))
    }

    /// The items of a list.
    pub fn items(&self) -> &[Self] {
        self.as_list().unwrap_or_default()
    }

    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Object(_) => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::List(_) | Self::Object(_) => None,
        }
    }

    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Number(digits) => digits.parse().ok(),
            Self::Null | Self::Bool(_) | Self::Text(_) | Self::List(_) | Self::Object(_) => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// A copy that outlives the text.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(digits) => number_value(digits),
            Self::Text(text) => Value::String(text.clone().into_owned()),
            Self::List(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(fields) => {
                let fields = fields.iter();
                let fields =
                    fields.map(|(key, value)| (key.clone().into_owned(), value.to_value()));
                Value::Object(fields.collect())
            }
        }
    }
}

impl<'t> Index<&str> for Json<'t> {
    type Output = Json<'t>;

    fn index(&self, name: &str) -> &Self {
        self.get(name).unwrap_or(&Self::Null)
    }
}

impl<'t> Index<usize> for Json<'t> {
    type Output = Json<'t>;

    fn index(&self, index: usize) -> &Self {
        self.items().get(index).unwrap_or(&Self::Null)
    }
}

impl From<Value> for Json<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number.to_string().into()),
            Value::String(text) => Self::Text(text.into()),
            Value::Array(items) => Self::List(items.into_iter().map(Into::into).collect()),
            Value::Object(fields) => {
                let fields = fields.into_iter();
                Self::Object(fields.map(|(key, it)| (key.into(), it.into())).collect())
            }
        }
    }
}

impl<'t> Tree<'t> for Json<'t> {
    type Fields = Vec<(Cow<'t, str>, Self)>;

    fn null() -> Self {
        Self::Null
    }

    fn bool(value: bool) -> Self {
        Self::Bool(value)
    }

    fn number(digits: &'t str) -> Self {
        Self::Number(digits.into())
    }

    fn text(text: Cow<'t, str>) -> Self {
        Self::Text(text)
    }

    fn list(items: Vec<Self>) -> Self {
        Self::List(items)
    }

    fn field(fields: &mut Self::Fields, key: Cow<'t, str>, value: Self) -> Option<()> {
        fields.push((key, value));
        Some(())
    }

    fn object(fields: Self::Fields) -> Option<Self> {
        (!stands_twice(&fields)).then_some(Self::Object(fields))
    }
}

/// Whether a key occurs twice.
fn stands_twice(fields: &[(Cow<'_, str>, Json<'_>)]) -> bool {
    /// So few keys are compared faster than sorted.
    const FEW: usize = 16;
    if fields.len() <= FEW {
        let mut rest = fields;
        while let Some((first, others)) = rest.split_first() {
            if others.iter().any(|it| it.0 == first.0) {
                return true;
            }
            rest = others;
        }
        return false;
    }
    let mut keys: Vec<&str> = fields.iter().map(|it| &*it.0).collect();
    keys.sort_unstable();
    keys.windows(2).any(|it| it[0] == it[1])
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Json;
    use crate::answer::{strict_json, strict_tree};

    #[test]
    fn it_is_read_as_an_owned_value_is() {
        let many: Vec<String> = (0..40).map(|it| format!("\"k{it}\":{it}")).collect();
        let many = format!("{{{}}}", many.join(","));
        for text in [
            r#" {"a":[1,-2.50e3,"x\n\u00fcy",true,false,null,{}],"b":{"c":"d"}} "#,
            "\"\"",
            "[]",
            &many,
        ] {
            let json = strict_tree::<Json<'_>>(text).expect("JSON");
            assert_eq!(Some(json.to_value()), strict_json(text), "{text}");
            assert_eq!(Json::from(json.to_value()).to_value(), json.to_value());
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        let many: Vec<String> = (0..40).map(|it| format!("\"k{}\":{it}", it % 39)).collect();
        for text in [r#"{"a":1,"a":1}"#, r#"{"a":{"b":1,"\u0062":1}}"#] {
            assert!(strict_tree::<Json<'_>>(text).is_none(), "{text}");
        }
        assert!(strict_tree::<Json<'_>>(&format!("{{{}}}", many.join(","))).is_none());
    }

    #[test]
    fn what_is_not_there_is_null() {
        let json = Json::from(Value::from(vec![1]));
        assert!(json["a"][3]["b"].is_null());
        assert_eq!(json[0].as_u64(), Some(1));
    }
}
