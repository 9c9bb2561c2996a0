//! The facts about a failed body that a judge is given, as the arguments of its function.

use gsw_abi::types::{Field, Type, TypeId};
use serde_json::{Map, Value, json};

use crate::codec::decode;
use crate::node::NodeId;
use crate::run::reflect::{Failure, level_of};
use crate::run::reflection_log::ReflectionRecord;
use crate::run::{Run, raise};

fn entry(number: usize, record: &ReflectionRecord) -> Value {
    let mut text = format!(
        "Failure {number}: {}\nFound: {}",
        record.error, record.reason
    );
    if !record.guidance.is_empty() {
        text.push_str(&format!("\nTold the next attempt: {}", record.guidance));
    }
    json!({
        "attempt": number,
        "error": record.error,
        "reason": record.reason,
        "guidance": record.guidance,
        "resolution": record.resolution,
        "success": record.success,
        "text": text,
    })
}

/// The arguments of the judge: a parameter of a fact's name gets that fact, the others get the facts that are left, in order.
pub(super) fn words_for_judge(
    run: &mut Run,
    failure: &Failure,
    outer: NodeId,
    parameters: TypeId,
) -> Result<Vec<u64>, String> {
    let loaded = std::sync::Arc::clone(&run.loaded);
    let wanted: &[Field] = if let Type::Record(record) = loaded.types.get(parameters) {
        &record.fields
    } else {
        &[]
    };
    let known = facts(run, failure, outer);
    let mut words = Vec::with_capacity(wanted.len());
    let is_named = |name: &&String| wanted.iter().any(|it| it.name == **name);
    let mut left = known.iter().filter(|(name, _)| !is_named(name));
    for parameter in wanted {
        let named = known.get(&parameter.name);
        let fact = named.or_else(|| left.next().map(|(_, fact)| fact));
        match word_for_judge(run, parameter.ty, fact.unwrap_or(&Value::Null)) {
            Ok(word) => words.push(word),
            Err(message) => {
                for (parameter, word) in wanted.iter().zip(words) {
                    run.heap.release_typed(parameter.ty, word);
                }
                return Err(message);
            }
        }
    }
    Ok(words)
}

/// A fact in the form that a parameter wants: the history as records, or as texts.
fn word_for_judge(run: &mut Run, ty: TypeId, fact: &Value) -> Result<u64, String> {
    let whole = decode::decode(run, ty, fact);
    whole.or_else(|issue| match fact {
        Value::Array(entries) => {
            let texts = entries.iter().map(|it| it["text"].clone()).collect();
            decode::decode(run, ty, &Value::Array(texts)).map_err(|_| issue.message)
        }
        _ => Err(issue.message),
    })
}

/// Failure, level, attempt and history, then what is known besides.
fn facts(run: &Run, failure: &Failure, outer: NodeId) -> Map<String, Value> {
    let history: Vec<Value> = (1..)
        .zip(run.reflection_log.of(outer))
        .map(|(number, record)| entry(number, record))
        .collect();
    let mut known = Map::new();
    known.insert("failure".into(), story(run, failure.error).into());
    known.insert(
        "level".into(),
        level_of(run.progress.tree(), outer).name().into(),
    );
    known.insert("attempt".into(), (failure.used + 1).into());
    known.insert("history".into(), history.into());
    known.insert("node".into(), run.progress.tree().path(outer).into());
    known.insert("max".into(), failure.rounds.into());
    known
}

fn story(run: &Run, raised: u64) -> String {
    let mut text = raise::said_by(&run.heap, raised);
    let described = run.described(raised);
    if !described.path.is_empty() {
        text.push_str(&format!("\n  in {}", described.path));
    }
    for place in described.trace {
        text.push_str(&format!("\n  at {}:{}", place.file, place.line));
        if let Some(source) = place.source {
            text.push_str(&format!(": {}", source.trim()));
        }
    }
    text
}
