//! Rows of maps.

use crate::equal::{equal, insert, lookup};
use crate::machine::Machine;
use crate::stop::{Flow, unsupported};
use crate::value::Value;

impl Machine<'_> {
    pub fn map_intrinsic(&mut self, row: &str, arguments: &[Value]) -> Flow<Value> {
        let [Value::Map(map), rest @ ..] = arguments else {
            return unsupported(format!("`{row}` of {arguments:?}"));
        };
        Ok(match (row, rest) {
            ("map_len", []) => Value::Int(map.len() as i64),
            ("map_get", [key]) | ("map_exchange", [key, _]) => {
                Value::optional(lookup(map, key).cloned())
            }
            ("map_has", [key]) => Value::Bool(lookup(map, key).is_some()),
            ("map_insert", [key, value]) => {
                let mut map = map.to_vec();
                insert(&mut map, key.clone(), value.clone());
                Value::map(map)
            }
            ("map_remove", [key]) => Value::map(
                map.iter()
                    .filter(|(it, _)| !equal(it, key))
                    .cloned()
                    .collect(),
            ),
            ("map_keys", []) => Value::list(map.iter().map(|it| it.0.clone()).collect()),
            ("map_values", []) => Value::list(map.iter().map(|it| it.1.clone()).collect()),
            ("map_entries", []) => {
                let pairs = map
                    .iter()
                    .map(|(key, it)| Value::tuple(vec![key.clone(), it.clone()]));
                Value::list(pairs.collect())
            }
            ("map_merge", [Value::Map(other)]) => {
                let mut map = map.to_vec();
                for (key, value) in other.iter() {
                    insert(&mut map, key.clone(), value.clone());
                }
                Value::map(map)
            }
            _ => return unsupported(format!("`{row}`")),
        })
    }
}
