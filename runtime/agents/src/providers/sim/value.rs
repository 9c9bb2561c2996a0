//! A made-up value for a schema.

use serde_json::{Map, Value};

use super::chance::Chance;
use super::height::Heights;
use super::{number, text};

/// From this depth on a value takes the shortest way to its end.
const DEEP: u32 = 4;
/// From this many values on likewise.
const LARGE: u32 = 200;
/// The most items that a schema can ask for and get.
const MOST_ITEMS: u64 = 100_000;

#[derive(Debug)]
pub(crate) struct Generator<'a> {
    root: &'a Value,
    heights: Heights<'a>,
    prompt: &'a str,
    chance: Chance,
    made: u32,
}

impl<'a> Generator<'a> {
    /// For this schema; strings repeat the prompt.
    pub fn new(root: &'a Value, prompt: &'a str, chance: Chance) -> Self {
        Self {
            root,
            heights: Heights::new(root),
            prompt,
            chance,
            made: 0,
        }
    }

    pub fn answer(mut self) -> Value {
        self.value(self.root, 0)
    }

    fn value(&mut self, schema: &Value, depth: u32) -> Value {
        self.made += 1;
        let Value::Object(schema) = schema else {
            // `true` allows anything.
            return text::string(&Map::new(), self.prompt, &mut self.chance).into();
        };
        if let Some(whole) = self.resolved(schema) {
            return self.value(&whole, depth);
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(Value::Array(values)) = schema.get("enum")
            && !values.is_empty()
        {
            return values[self.chance.below(values.len())].clone();
        }
        let branches = schema.get("anyOf").or_else(|| schema.get("oneOf"));
        if let Some(Value::Array(branches)) = branches
            && !branches.is_empty()
        {
            let branch = self.branch(branches, depth);
            return self.value(&bounded(branch, schema), depth);
        }
        match self.type_name(schema, depth).as_str() {
            "null" => Value::Null,
            "boolean" => (self.chance.below(2) == 1).into(),
            "integer" => number::integer(schema, &mut self.chance),
            "number" => number::float(schema, &mut self.chance),
            "array" => self.array(schema, depth),
            "object" => self.object(schema, depth),
            _ => text::string(schema, self.prompt, &mut self.chance).into(),
        }
    }

    /// The schema with what it refers to put in, when it refers to something.
    fn resolved(&self, schema: &Map<String, Value>) -> Option<Value> {
        let reference = schema.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|it| self.root.pointer(it.strip_prefix('#')?));
        let parts = schema.get("allOf").and_then(Value::as_array);
        if reference.is_none() && parts.is_none() {
            return None;
        }
        let mut whole = Map::new();
        let own = Value::Object(schema.clone());
        for part in target
            .into_iter()
            .chain(parts.into_iter().flatten())
            .chain([&own])
        {
            absorb(&mut whole, part);
        }
        whole.shift_remove("allOf");
        let all = parts.into_iter().flatten().chain(target).chain([&own]);
        let patterns: Vec<Value> = all.filter_map(|it| it.get("pattern").cloned()).collect();
        if patterns.len() > 1 {
            whole.insert(text::PATTERNS.into(), patterns.into());
        }
        // A reference inside of the target is followed next.
        whole.shift_remove("$ref");
        let next = target
            .into_iter()
            .chain(parts.into_iter().flatten())
            .find_map(|it| it.get("$ref").cloned());
        if let Some(next) = next.filter(|it| it.as_str() != reference) {
            whole.insert("$ref".into(), next);
        }
        Some(Value::Object(whole))
    }

    fn must_end(&self, depth: u32) -> bool {
        depth >= DEEP || self.made > LARGE
    }

    fn branch<'b>(&mut self, branches: &'b [Value], depth: u32) -> &'b Value {
        if self.must_end(depth) {
            let shortest = branches.iter().min_by_key(|it| self.heights.of(it));
            return shortest.unwrap_or(&branches[0]);
        }
        let is_null = |it: &&Value| it.get("type").is_some_and(|it| it == "null");
        let null = branches.iter().find(is_null);
        if let Some(null) = null
            && self.chance.below(4) == 0
        {
            return null;
        }
        let others: Vec<&Value> = branches.iter().filter(|it| !is_null(it)).collect();
        if others.is_empty() {
            return &branches[0];
        }
        others[self.chance.below(others.len())]
    }

    fn type_name(&mut self, schema: &Map<String, Value>, depth: u32) -> String {
        match schema.get("type") {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Array(names)) if !names.is_empty() => {
                let choices: Vec<Value> = names
                    .iter()
                    .map(|it| serde_json::json!({ "type": it }))
                    .collect();
                let choice = self.branch(&choices, depth);
                choice["type"].as_str().unwrap_or("null").to_owned()
            }
            _ if schema.contains_key("properties") => "object".into(),
            _ if schema.contains_key("items") || schema.contains_key("prefixItems") => {
                "array".into()
            }
            _ => "string".into(),
        }
    }

    fn array(&mut self, schema: &Map<String, Value>, depth: u32) -> Value {
        let places = schema.get("prefixItems").and_then(Value::as_array);
        let mut items: Vec<Value> = Vec::new();
        for place in places.into_iter().flatten() {
            items.push(self.value(place, depth + 1));
        }
        let Some(item) = schema.get("items").filter(|it| **it != Value::Bool(false)) else {
            return items.into();
        };
        let count = self.count(schema, "minItems", "maxItems", depth);
        let is_unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let mut tries = 0;
        while items.len() < count && tries < count * 10 {
            tries += 1;
            let value = self.value(item, depth + 1);
            if !is_unique || !items.contains(&value) {
                items.push(value);
            }
        }
        items.into()
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: u32) -> Value {
        let mut object = Map::new();
        let fields = schema.get("properties").and_then(Value::as_object);
        for (name, field) in fields.into_iter().flatten() {
            let value = self.value(field, depth + 1);
            object.insert(name.clone(), value);
        }
        let Some(other) = schema
            .get("additionalProperties")
            .filter(|it| it.is_object())
        else {
            return object.into();
        };
        let count = self.count(schema, "minProperties", "maxProperties", depth);
        for index in 1..=count.saturating_sub(object.len()) {
            let key = self.key(schema, index);
            let value = self.value(other, depth + 1);
            object.insert(key, value);
        }
        object.into()
    }

    fn key(&mut self, schema: &Map<String, Value>, index: usize) -> String {
        match schema.get("propertyNames") {
            Some(names @ Value::Object(rules))
                if rules.keys().any(|it| it != "type" && it != "description") =>
            {
                let key = self.value(names, 0);
                key.as_str().map_or_else(|| key.to_string(), str::to_owned)
            }
            _ => format!("simulated {index}"),
        }
    }

    fn count(&mut self, schema: &Map<String, Value>, min: &str, max: &str, depth: u32) -> usize {
        let bound = |name| schema.get(name).and_then(Value::as_u64);
        let least = bound(min).unwrap_or(0).min(MOST_ITEMS);
        let most = bound(max).unwrap_or(MOST_ITEMS).max(least);
        let wanted = if self.must_end(depth) {
            least
        } else if self.chance.attempt() == 0 {
            least.max(1) + self.chance.below(2) as u64
        } else {
            least + self.chance.below(5) as u64
        };
        usize::try_from(wanted.clamp(least, most)).unwrap_or(0)
    }
}

/// A branch with the bounds beside the choice: a check on an optional is written there.
fn bounded(branch: &Value, around: &Map<String, Value>) -> Value {
    let mut whole = Map::new();
    absorb(&mut whole, branch);
    for (name, value) in around {
        let is_choice = matches!(name.as_str(), "anyOf" | "oneOf" | "description" | "$defs");
        if !is_choice {
            tighten(&mut whole, name, value);
        }
    }
    Value::Object(whole)
}

fn absorb(whole: &mut Map<String, Value>, part: &Value) {
    for (name, value) in part.as_object().into_iter().flatten() {
        tighten(whole, name, value);
    }
}

/// Adds a keyword; of two bounds the tighter one stays.
fn tighten(whole: &mut Map<String, Value>, name: &str, value: &Value) {
    let bounds = (whole.get(name).and_then(Value::as_f64), value.as_f64());
    let is_looser = match bounds {
        (Some(before), Some(after)) if name.contains("min") || name.contains("Min") => {
            after < before
        }
        (Some(before), Some(after)) => after > before,
        _ => false,
    };
    if !is_looser {
        whole.insert(name.to_owned(), value.clone());
    }
}
