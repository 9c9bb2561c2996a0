//! Rows of `json`.

use gsw_abi::call::RuntimeCall as Row;

use crate::json::{of_tree, pretty};
use crate::machine::Machine;
use crate::stop::{Flow, decode_error, unsupported};
use crate::value::Value;

impl Machine<'_> {
    pub fn json_intrinsic(&mut self, row: Row, arguments: &[Value]) -> Flow<Value> {
        match (row, arguments) {
            (Row::json_parse, [Value::Text(text)]) => {
                let tree = serde_json::from_str(text).ok();
                match tree.and_then(|it| of_tree(&it)) {
                    Some(json) => Ok(Value::json(json)),
                    None => decode_error(self.db, crate::stop::UNSPECIFIED),
                }
            }
            (Row::json_pretty, [Value::Json(json)]) => Ok(Value::text(pretty(json))),
            (Row::json_get, [Value::Json(json), Value::Text(key)]) => {
                let found = json.get(key).cloned();
                Ok(Value::optional(found.map(Value::json)))
            }
            (Row::json_items, [Value::Json(json)]) => match json.list() {
                Some(them) => Ok(Value::list(them.iter().cloned().map(Value::json).collect())),
                None => decode_error(self.db, "$"),
            },
            (Row::json_entries, [Value::Json(json)]) => match json.object() {
                Some(entries) => {
                    let pairs = entries.iter().map(|(key, it)| {
                        Value::tuple(vec![Value::Text(key.clone()), Value::json(it.clone())])
                    });
                    Ok(Value::list(pairs.collect()))
                }
                None => decode_error(self.db, "$"),
            },
            _ => unsupported(format!("`{}`", row.name())),
        }
    }
}
