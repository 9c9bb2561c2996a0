//! Rows of maps.

use gsw_abi::call::RuntimeCall as Row;

use crate::equal::{equal, insert, lookup};
use crate::machine::Machine;
use crate::stop::{Flow, unsupported};
use crate::value::Value;

impl Machine<'_> {
    pub fn map_intrinsic(&mut self, row: Row, arguments: &[Value]) -> Flow<Value> {
        let [Value::Map(map), rest @ ..] = arguments else {
            return unsupported(format!("`{}` of {arguments:?}", row.name()));
        };
        Ok(match (row, rest) {
            (Row::map_len, []) => Value::Int(map.len() as i64),
            (Row::map_get, [key]) => Value::optional(lookup(map, key).cloned()),
            (Row::map_take, [key, default]) => lookup(map, key).unwrap_or(default).clone(),
            (Row::map_has, [key]) => Value::Bool(lookup(map, key).is_some()),
            (Row::map_insert, [key, value]) => {
                let mut map = map.to_vec();
                insert(&mut map, key.clone(), value.clone());
                Value::map(map)
            }
            (Row::map_remove, [key]) => Value::map(
                map.iter()
                    .filter(|(it, _)| !equal(it, key))
                    .cloned()
                    .collect(),
            ),
            (Row::map_keys, []) => Value::list(map.iter().map(|it| it.0.clone()).collect()),
            (Row::map_values, []) => Value::list(map.iter().map(|it| it.1.clone()).collect()),
            (Row::map_entries, []) => {
                let pairs = map
                    .iter()
                    .map(|(key, it)| Value::tuple(vec![key.clone(), it.clone()]));
                Value::list(pairs.collect())
            }
            (Row::map_merge, [Value::Map(other)]) => {
                let mut map = map.to_vec();
                for (key, value) in other.iter() {
                    insert(&mut map, key.clone(), value.clone());
                }
                Value::map(map)
            }
            _ => return unsupported(format!("`{}`", row.name())),
        })
    }
}
