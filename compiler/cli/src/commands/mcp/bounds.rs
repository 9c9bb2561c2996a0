//! What a schema says of a value beside its type: as a check of the language where it has one, else in words.

use serde_json::Value;

#[derive(Default)]
pub(super) struct Bounds {
    pub(super) checked: Vec<Bound>,
    /// What no check can say.
    pub(super) said: Vec<String>,
}

pub(super) struct Bound {
    /// A condition over `it`.
    pub(super) check: String,
    /// The rest of a sentence that begins with "It".
    pub(super) words: String,
}

/// A schema of more bytes is not shown.
const LONGEST: usize = 200;

/// Keyword, operator and words of a bound that a number keeps, or a length.
const OF_NUMBERS: [(&str, &str, &str); 4] = [
    ("minimum", ">=", "is at least"),
    ("exclusiveMinimum", ">", "is more than"),
    ("maximum", "<=", "is at most"),
    ("exclusiveMaximum", "<", "is less than"),
];
const OF_LENGTHS: [(&str, &str, &str, &str); 4] = [
    ("minLength", ">=", "has at least", "characters"),
    ("maxLength", "<=", "has at most", "characters"),
    ("minItems", ">=", "has at least", "items"),
    ("maxItems", "<=", "has at most", "items"),
];

impl Bounds {
    /// Of a schema whose type in the language is `ty`, `none` left aside.
    pub(super) fn of(schema: &Value, ty: &str) -> Self {
        let schema = beside_null(schema);
        let mut bounds = Self::default();
        for (keyword, operator, words) in OF_NUMBERS {
            if let Some(bound @ Value::Number(_)) = schema.get(keyword) {
                let check = number(bound, ty).map(|it| format!("it {operator} {it}"));
                bounds.add(check, format!("{words} {bound}"));
            }
        }
        for (keyword, operator, words, what) in OF_LENGTHS {
            let is_of_it = match what {
                "items" => ty.starts_with('['),
                _ => ty == "string",
            };
            if let Some(length) = schema.get(keyword).and_then(Value::as_u64) {
                let check = is_of_it.then(|| format!("it.len() {operator} {length}"));
                bounds.add(check, format!("{words} {length} {what}"));
            }
        }
        // Patterns of JSON are those of another language.
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            bounds.said.push(format!("matches `{pattern}`"));
        }
        if let (Some(Value::Object(_)), Some(further @ Value::Object(_))) =
            (schema.get("properties"), schema.get("additionalProperties"))
        {
            let further = further.to_string();
            bounds.said.push(match further.len() > LONGEST {
                true => "may have further fields".to_owned(),
                false => format!("may have further fields: `{further}`"),
            });
        }
        if let Some(items @ Value::Object(_)) = schema.get("items") {
            let of_items = Self::of(items, "json").in_words().said.into_iter();
            let of_items = of_items.map(|it| format!("holds what {it}"));
            bounds.said.extend(of_items);
        }
        bounds
    }

    /// All of them in words.
    pub(super) fn in_words(self) -> Self {
        let checked = self.checked.into_iter().map(|it| it.words);
        Self {
            said: checked.chain(self.said).collect(),
            checked: Vec::new(),
        }
    }

    fn add(&mut self, check: Option<String>, words: String) {
        match check {
            Some(check) => self.checked.push(Bound { check, words }),
            None => self.said.push(words),
        }
    }
}

/// The one schema that a choice between it and `null` leaves.
fn beside_null(schema: &Value) -> &Value {
    let is_null = |it: &&Value| it.get("type").and_then(Value::as_str) == Some("null");
    let choices = ["anyOf", "oneOf"]
        .iter()
        .find_map(|it| schema.get(it)?.as_array());
    let rest = choices.map(|it| it.iter().filter(|it| !is_null(it)).collect::<Vec<_>>());
    match rest.as_deref() {
        Some([only]) => only,
        Some(_) | None => schema,
    }
}

/// A number as a literal of the type.
fn number(bound: &Value, ty: &str) -> Option<String> {
    match ty {
        "int" => bound.as_i64().map(|it| it.to_string()),
        "float" => {
            let literal = format!("{:?}", bound.as_f64()?);
            let is_plain = literal
                .chars()
                .all(|it| it.is_ascii_digit() || "-.".contains(it));
            is_plain.then_some(literal)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Bounds;

    #[test]
    fn what_a_schema_says_is_a_check_or_in_words() {
        let shown = |schema, ty| {
            let Bounds { checked, said } = Bounds::of(&schema, ty);
            let checked: Vec<String> = checked.into_iter().map(|it| it.check).collect();
            (checked.join(" and "), said.join(", "))
        };
        let bounded = json!({ "minimum": 1, "maximum": 10 });
        assert_eq!(
            shown(bounded.clone(), "int"),
            ("it >= 1 and it <= 10".into(), String::new())
        );
        assert_eq!(
            shown(bounded.clone(), "float"),
            ("it >= 1.0 and it <= 10.0".into(), String::new())
        );
        assert_eq!(
            shown(bounded, "json"),
            (String::new(), "is at least 1, is at most 10".into())
        );
        assert_eq!(
            shown(json!({ "maxLength": 5, "pattern": "^a" }), "string"),
            ("it.len() <= 5".into(), "matches `^a`".into())
        );
        assert_eq!(
            shown(json!({ "minItems": 1 }), "[string]"),
            ("it.len() >= 1".into(), String::new())
        );
        let maybe = json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "null" }] });
        assert_eq!(shown(maybe, "int"), ("it >= 1".into(), String::new()));
        assert_eq!(
            shown(json!({ "items": { "minimum": 1 } }), "[int]"),
            (String::new(), "holds what is at least 1".into())
        );
        let further = json!({ "properties": {}, "additionalProperties": { "type": "string" } });
        assert_eq!(
            shown(further, "Place"),
            (
                String::new(),
                r#"may have further fields: `{"type":"string"}`"#.into()
            )
        );
        let (checked, said) = shown(json!({ "maximum": 1.5e300 }), "float");
        assert!(
            checked.is_empty() && said.starts_with("is at most 1.5e"),
            "{said}"
        );
    }
}
