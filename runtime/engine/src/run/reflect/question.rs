//! What a judge is told about a failed body, as the arguments of its function.

use gsw_abi::types::{Field, Type, TypeId};
use serde_json::{Map, Value, json};

use crate::codec::decode;
use crate::node::NodeId;
use crate::run::Run;
use crate::run::lessons::Lesson;
use crate::run::reflect::Failure;
use crate::value::error;

impl Run {
    /// The arguments of the judge: a parameter of a fact's name gets that fact, the others get the facts that are left, in order.
    pub(super) fn words_for_judge(
        &mut self,
        failure: &Failure,
        outer: NodeId,
        parameters: TypeId,
    ) -> Result<Vec<u64>, String> {
        let loaded = std::sync::Arc::clone(&self.loaded);
        let wanted: &[Field] = match loaded.types.get(parameters) {
            Type::Record(record) => &record.fields,
            _ => &[],
        };
        let known = self.facts(failure, outer);
        let mut words = Vec::with_capacity(wanted.len());
        let is_named = |name: &&String| wanted.iter().any(|it| it.name == **name);
        let mut left = known.iter().filter(|(name, _)| !is_named(name));
        for parameter in wanted {
            let named = known.get(&parameter.name);
            let told = named.or_else(|| left.next().map(|(_, fact)| fact));
            match self.word_for_judge(parameter.ty, told.unwrap_or(&Value::Null)) {
                Ok(word) => words.push(word),
                Err(message) => {
                    for (parameter, word) in wanted.iter().zip(words) {
                        self.heap.release_typed(parameter.ty, word);
                    }
                    return Err(message);
                }
            }
        }
        Ok(words)
    }

    /// A fact in the form that a parameter wants: the history as records, or as texts.
    fn word_for_judge(&mut self, ty: TypeId, fact: &Value) -> Result<u64, String> {
        let whole = decode::decode(self, ty, fact);
        whole.or_else(|issue| match fact {
            Value::Array(entries) => {
                let texts = entries.iter().map(|it| it["text"].clone()).collect();
                decode::decode(self, ty, &Value::Array(texts)).map_err(|_| issue.message)
            }
            _ => Err(issue.message),
        })
    }

    /// Failure, level, attempt and history, then what is told besides.
    fn facts(&self, failure: &Failure, outer: NodeId) -> Map<String, Value> {
        let history: Vec<Value> = (1..)
            .zip(self.lessons.of(outer))
            .map(|(number, lesson)| entry(number, lesson))
            .collect();
        let mut known = Map::new();
        known.insert("failure".into(), self.story(failure.error).into());
        known.insert("level".into(), self.level_of(outer).into());
        known.insert("attempt".into(), (failure.used + 1).into());
        known.insert("history".into(), history.into());
        known.insert("node".into(), self.tree.path(outer).into());
        known.insert("max".into(), failure.rounds.into());
        known
    }

    fn story(&self, raised: u64) -> String {
        let name = error::name(&self.heap, raised);
        let message = error::message(&self.heap, raised);
        let mut text = if message.starts_with(name) {
            message
        } else {
            format!("{name}: {message}")
        };
        let described = self.described(raised);
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
}

fn entry(number: usize, lesson: &Lesson) -> Value {
    let mut text = format!(
        "Failure {number}: {}\nFound: {}",
        lesson.error, lesson.reason
    );
    if !lesson.guidance.is_empty() {
        text.push_str(&format!("\nTold the next attempt: {}", lesson.guidance));
    }
    json!({
        "attempt": number,
        "error": lesson.error,
        "reason": lesson.reason,
        "guidance": lesson.guidance,
        "resolution": lesson.resolution,
        "success": lesson.success,
        "text": text,
    })
}
