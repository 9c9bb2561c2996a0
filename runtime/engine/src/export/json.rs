//! Runtime calls on `json`.

use gsw_abi::builtin::JSON;
use gsw_abi::types::{Type, TypeId};
use gsw_notation::issue::Issue;
use serde_json::Value;

use crate::codec::{self, decode};
use crate::export::guard::calls;
use crate::export::map::entry_list;
use crate::heap::Heap;
use crate::value::json::View;
use crate::value::{error, json, list, map, string};

calls! {
    raising json_as(run, result, j) {
        let scratch = codec::size_of_tree(&mut run.heap, j)?;
        run.heap.charge(scratch);
        let tree = codec::json_to_tree(j);
        let word = tree.and_then(|tree| decode::decode_json(run, TypeId(result as u32), &tree));
        run.heap.discharge(scratch);
        word.map_err(|issue| refused(&mut run.heap, &issue))
    }

    /// `s as "a" | "b"`
    raising string_as(run, result, s) {
        let ty = run.heap.types().base(TypeId(result as u32));
        let text = string::text(s);
        if let Type::Literals(texts) = run.heap.types().get(ty)
            && !texts.iter().any(|it| it == text)
        {
            let expected = codec::type_name(run.heap.types(), ty);
            let text = run.heap.without_hidden(text.to_owned());
            let issue = codec::mismatch("$", &expected, &text.into());
            run.heap.release(s);
            return Err(error::decode(&mut run.heap, &issue));
        }
        Ok(s)
    }

    raising json_parse(run, text) {
        let word = codec::json_from_text(&mut run.heap, string::text(text));
        word.map_err(|issue| refused(&mut run.heap, &issue))
    }

    raising json_pretty(run, j) {
        codec::pretty_string(&mut run.heap, JSON, j)
    }

    raising json_field(run, j, name) {
        let name = string::text(name);
        let found = if let View::Object(entries) = json::view(j) {
            map::get_text(&run.heap, entries, name)
        } else {
            None
        };
        let missing = || Issue {
            path: codec::path_of_key(name),
            ..codec::mismatch("$", "a value", &Value::Null)
        };
        share(&mut run.heap, j, found, missing)
    }

    raising json_index(run, j, index) {
        let found = if let View::List(elements) = json::view(j) {
            list::words(elements).get(index as usize).copied()
        } else {
            None
        };
        let missing = || codec::mismatch(&format!("$[{}]", index as i64), "a value", &Value::Null);
        share(&mut run.heap, j, found, missing)
    }

    plain json_get(run, j, name) {
        let View::Object(entries) = json::view(j) else {
            return 0;
        };
        let word = map::get_text(&run.heap, entries, string::text(name)).unwrap_or(0);
        run.heap.retain(word);
        word
    }

    raising json_items(run, j) {
        let View::List(elements) = json::view(j) else {
            return Err(no_such(&mut run.heap, j, "an array"));
        };
        run.heap.retain(elements);
        Ok(elements)
    }

    raising json_entries(run, result, j) {
        let View::Object(entries) = json::view(j) else {
            return Err(no_such(&mut run.heap, j, "an object"));
        };
        entry_list(&mut run.heap, TypeId(result as u32), entries)
    }

    /// A copy of a `json` that observers do not see.
    plain json_hidden(run, j) {
        let hidden = json::confidential(&mut run.heap, j);
        run.heap.release(j);
        hidden
    }

    /// A `json` of a known tag from a payload.
    object json_new(run, tag, payload) {
        json::new(&mut run.heap, tag as u32, payload)
    }
}

/// What a text or a `json` that does not fit raises; when it was given up, why.
fn refused(heap: &mut Heap, issue: &Issue) -> u64 {
    match heap.interruption() {
        Some(error) => error,
        None => error::decode(heap, issue),
    }
}

/// The value found in `j`, with a count of its own, or the error that it is missing.
fn share(
    heap: &mut Heap,
    j: u64,
    found: Option<u64>,
    missing: impl FnOnce() -> Issue,
) -> Result<u64, u64> {
    if let Some(word) = found {
        heap.retain(word);
        return Ok(word);
    }
    let issue = Issue {
        found: kind(j).into(),
        ..missing()
    };
    Err(error::decode(heap, &issue))
}

fn no_such(heap: &mut Heap, j: u64, expected: &str) -> u64 {
    let issue = codec::mismatch("$", expected, &Value::Null);
    let issue = Issue {
        found: kind(j).into(),
        ..issue
    };
    error::decode(heap, &issue)
}

/// What a `json` is that something is missing in.
fn kind(j: u64) -> &'static str {
    match json::view(j) {
        View::Null => "null",
        View::Bool(_) => "a bool",
        View::Int(_) | View::Float(_) => "a number",
        View::String(_) => "a string",
        View::List(_) => "an array without it",
        View::Object(_) => "an object without it",
    }
}
