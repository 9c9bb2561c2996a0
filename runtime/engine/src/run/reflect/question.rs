//! The facts about a failed body that a judge is given, as the arguments of its function.

use gsw_abi::judge::Fact;
use gsw_abi::types::{Field, Type, TypeId};
use serde_json::{Value, json};

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
        text.push_str(&format!(
            "\nAdvice to the next attempt: {}",
            record.guidance
        ));
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

/// The arguments of the judge.
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
    let facts = Fact::assigned(wanted.iter().map(|it| Some(it.name.as_str())));
    let mut words = Vec::with_capacity(wanted.len());
    for (parameter, fact) in wanted.iter().zip(facts) {
        let fact = fact.map_or(Value::Null, |it| fact_of(run, it, failure, outer));
        match word_for_judge(run, parameter.ty, &fact) {
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
    // A judge may declare the history as `[string]`: the same facts, written as sentences.
    whole.or_else(|issue| {
        let Some(entries) = fact.as_array() else {
            return Err(issue.message);
        };
        let texts = entries.iter().map(|it| it["text"].clone()).collect();
        decode::decode(run, ty, &Value::Array(texts)).map_err(|_| issue.message)
    })
}

fn fact_of(run: &Run, fact: Fact, failure: &Failure, outer: NodeId) -> Value {
    match fact {
        Fact::Failure => story(run, failure.error).into(),
        Fact::Level => level_of(run.progress.tree(), outer).name().into(),
        Fact::Attempt => (failure.used + 1).into(),
        Fact::History => {
            let records = (1..).zip(run.reflection_log.of(outer));
            let entries: Vec<Value> = records.map(|(number, it)| entry(number, it)).collect();
            entries.into()
        }
        Fact::Node => run.progress.tree().path(outer).into(),
        Fact::Max => failure.rounds.into(),
    }
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
