//! Rows of `json`.

use crate::json::{Json, of_tree, pretty};
use crate::machine::Machine;
use crate::stop::{Flow, give_up, misfit};
use crate::value::Value;

impl Machine<'_> {
    /// A row of `json`.
    pub fn json_intrinsic(&mut self, row: &str, arguments: &[Value]) -> Flow<Value> {
        match (row, arguments) {
            ("json_parse", [Value::Text(text)]) => match serde_json::from_str(text) {
                Ok(tree) => Ok(Value::json(of_tree(&tree))),
                Err(_) => misfit(self.db, crate::stop::UNSAID),
            },
            ("json_pretty", [Value::Json(json)]) => Ok(Value::text(pretty(json, 0))),
            ("json_get", [Value::Json(json), Value::Text(key)]) => Ok(match &**json {
                Json::Object(entries) => {
                    let found = entries.iter().find(|(it, _)| it == key);
                    Value::optional(found.map(|(_, it)| Value::json(it.clone())))
                }
                _ => Value::None,
            }),
            ("json_items", [Value::Json(json)]) => match &**json {
                Json::List(them) => {
                    Ok(Value::list(them.iter().cloned().map(Value::json).collect()))
                }
                _ => misfit(self.db, "$"),
            },
            ("json_entries", [Value::Json(json)]) => match &**json {
                Json::Object(entries) => {
                    let pairs = entries.iter().map(|(key, it)| {
                        Value::tuple(vec![Value::Text(key.clone()), Value::json(it.clone())])
                    });
                    Ok(Value::list(pairs.collect()))
                }
                _ => misfit(self.db, "$"),
            },
            _ => give_up(format!("`{row}`")),
        }
    }
}
