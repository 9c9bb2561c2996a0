//! Rows of lists.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::RuntimeCall as Row;
use gsw_names::types::Type;
use gsw_names::{alias_target, substitute};
use gsw_source::Db;

use crate::equal::{compare, equal};
use crate::machine::Machine;
use crate::stop::{Flow, UNSPECIFIED, raise, unsupported};
use crate::value::Value;

impl Machine<'_> {
    pub fn list_intrinsic(&mut self, row: Row, result: &Type, arguments: &[Value]) -> Flow<Value> {
        let [Value::List(xs), rest @ ..] = arguments else {
            return unsupported(format!("`{}` of {arguments:?}", row.name()));
        };
        Ok(match (row, rest) {
            (Row::list_len, []) => Value::Int(xs.len() as i64),
            (Row::list_get, [Value::Int(index)]) => Value::optional(
                usize::try_from(*index)
                    .ok()
                    .and_then(|it| xs.get(it).cloned()),
            ),
            (Row::list_push, [x]) => Value::list(xs.iter().chain([x]).cloned().collect()),
            (Row::list_index_of, [x]) => {
                let place = xs.iter().position(|it| equal(it, x));
                Value::optional(place.map(|it| Value::Int(it as i64)))
            }
            (Row::list_contains, [x]) => Value::Bool(xs.iter().any(|it| equal(it, x))),
            (Row::list_slice, [Value::Int(from), Value::Int(to)]) => {
                Value::list(clamped(xs, *from, *to).to_vec())
            }
            (Row::list_flatten, []) => {
                let mut all = Vec::new();
                for it in xs.iter() {
                    let Value::List(it) = it else {
                        return unsupported("no list of lists");
                    };
                    all.extend(it.iter().cloned());
                }
                Value::list(all)
            }
            (Row::list_join, [Value::Text(separator)]) => {
                let texts = xs.iter().filter_map(|it| {
                    let Value::Text(it) = it else { return None };
                    Some(&**it)
                });
                Value::text(texts.collect::<Vec<_>>().join(separator))
            }
            (Row::list_sum, []) => {
                let value = sum(self, xs, &base_type(self.db, result))?;
                self.admitted(value, result)?
            }
            (Row::list_set, [Value::Int(index), x]) => {
                let mut xs = xs.to_vec();
                match usize::try_from(*index).ok().and_then(|it| xs.get_mut(it)) {
                    Some(place) => *place = x.clone(),
                    None => {
                        return raise(
                            self.db,
                            BuiltinError::OutOfRange,
                            vec![Value::text(UNSPECIFIED)],
                        );
                    }
                }
                Value::list(xs)
            }
            (Row::list_chunks | Row::list_windows, [Value::Int(size)]) => {
                groups(self, row, xs, *size)?
            }
            _ => rearranged(row, xs, rest)?,
        })
    }
}

fn groups(machine: &mut Machine, row: Row, xs: &[Value], size: i64) -> Flow<Value> {
    let Some(size) = usize::try_from(size).ok().filter(|it| *it > 0) else {
        return raise(
            machine.db,
            BuiltinError::AssertionFailed,
            vec![Value::text(UNSPECIFIED)],
        );
    };
    let group = |it: &[Value]| Value::list(it.to_vec());
    Ok(Value::list(if row == Row::list_chunks {
        xs.chunks(size).map(group).collect()
    } else {
        xs.windows(size).map(group).collect()
    }))
}

fn sum(machine: &mut Machine, xs: &[Value], result: &Type) -> Flow<Value> {
    if *result == Type::Float {
        let numbers = xs.iter().filter_map(|it| {
            let Value::Float(it) = it else { return None };
            Some(*it)
        });
        return Ok(Value::Float(numbers.fold(0.0, |all, it| all + it)));
    }
    let mut all = Some(0i64);
    for it in xs {
        if let Value::Int(it) | Value::Duration(it) = it {
            all = all.and_then(|all| all.checked_add(*it));
        }
    }
    if *result == Type::Int {
        machine.int(all)
    } else if *result == Type::Duration {
        machine.duration(all)
    } else {
        unsupported(format!("a sum of {result:?}"))
    }
}

/// What changes the order of elements, or pairs them.
fn rearranged(row: Row, xs: &[Value], rest: &[Value]) -> Flow<Value> {
    let mut sorted = xs.to_vec();
    match (row, rest) {
        (Row::list_sort, []) => sorted.sort_by(compare),
        (Row::list_sort_desc, []) => sorted.sort_by(|a, b| compare(b, a)),
        (Row::list_reverse, []) => sorted.reverse(),
        (Row::list_sort_by_keys | Row::list_sort_by_keys_desc, [Value::List(keys)]) => {
            let mut pairs: Vec<(&Value, &Value)> = keys.iter().zip(xs).collect();
            if row == Row::list_sort_by_keys {
                pairs.sort_by(|a, b| compare(a.0, b.0));
            } else {
                pairs.sort_by(|a, b| compare(b.0, a.0));
            }
            sorted = pairs.into_iter().map(|(_, it)| it.clone()).collect();
        }
        (Row::list_unique, []) => {
            sorted.clear();
            for x in xs {
                if !sorted.iter().any(|it| equal(it, x)) {
                    sorted.push(x.clone());
                }
            }
        }
        (Row::list_zip, [Value::List(ys)]) => {
            let pairs = xs.iter().zip(ys.iter());
            sorted = pairs
                .map(|(a, b)| Value::tuple(vec![a.clone(), b.clone()]))
                .collect();
        }
        (Row::list_enumerate, []) => {
            let pairs = (0..).zip(xs);
            sorted = pairs
                .map(|(at, it)| Value::tuple(vec![Value::Int(at), it.clone()]))
                .collect();
        }
        _ => return unsupported(format!("`{}`", row.name())),
    }
    Ok(Value::list(sorted))
}

/// The part `from..to`, both clamped.
pub fn clamped<T>(xs: &[T], from: i64, to: i64) -> &[T] {
    let place = |it: i64| usize::try_from(it).unwrap_or(0).min(xs.len());
    let (from, to) = (place(from), place(to));
    xs.get(from..to).unwrap_or_default()
}

/// The type without the aliases that check values.
fn base_type(db: &dyn Db, ty: &Type) -> Type {
    let mut ty = ty.clone();
    while let Type::Checked(item, arguments) = &ty {
        ty = substitute(&alias_target(db, *item), arguments);
    }
    ty
}
