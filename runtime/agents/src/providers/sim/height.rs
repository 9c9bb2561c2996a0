//! How deep a value of a schema must nest at least, so that made-up recursive values can end.

use std::collections::BTreeMap;

use serde_json::Value;

/// The height of a value that would be infinite.
pub(crate) const ENDLESS: u32 = u32::MAX;

/// The least depth of what each reference of a schema leads to.
#[derive(Debug)]
pub(crate) struct Heights<'a> {
    known: BTreeMap<&'a str, u32>,
}

impl<'a> Heights<'a> {
    /// Finds them all, by going round until none gets smaller.
    pub fn new(root: &'a Value) -> Self {
        let mut references = BTreeMap::new();
        collect(root, root, &mut references);
        let known = references.keys().map(|it| (*it, ENDLESS)).collect();
        let mut heights = Self { known };
        loop {
            let next: BTreeMap<&str, u32> = references
                .iter()
                .map(|(name, target)| (*name, heights.of(target)))
                .collect();
            if next == heights.known {
                return heights;
            }
            heights.known = next;
        }
    }

    /// The least depth of a value of this schema.
    pub fn of(&self, schema: &Value) -> u32 {
        let Value::Object(schema) = schema else {
            return 0;
        };
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.known.get(reference).copied().unwrap_or(0);
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = schema.get(choice) {
                return branches.iter().map(|it| self.of(it)).min().unwrap_or(0);
            }
        }
        let fields = schema.get("properties").and_then(Value::as_object);
        let fields = fields.into_iter().flat_map(|it| it.values());
        let places = schema.get("prefixItems").and_then(Value::as_array);
        let needs_items = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0) > 0;
        let items = schema.get("items").filter(|_| needs_items);
        fields
            .chain(places.into_iter().flatten())
            .chain(items)
            .map(|it| self.of(it).saturating_add(1))
            .max()
            .unwrap_or(0)
    }
}

fn collect<'a>(schema: &'a Value, root: &'a Value, found: &mut BTreeMap<&'a str, &'a Value>) {
    match schema {
        Value::Object(object) => {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str)
                && let Some(target) = reference.strip_prefix('#').and_then(|it| root.pointer(it))
            {
                found.insert(reference, target);
            }
            object.values().for_each(|it| collect(it, root, found));
        }
        Value::Array(items) => items.iter().for_each(|it| collect(it, root, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
