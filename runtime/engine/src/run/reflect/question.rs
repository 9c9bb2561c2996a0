//! The facts about a failed body, as the arguments of its judge.

use gsw_abi::judge::Fact;
use gsw_abi::types::{Field, Type, TypeId};
use serde_json::{Value, json};

use crate::codec::decode;
use crate::node::NodeId;
use crate::run::Run;
use crate::run::lessons::Lesson;
use crate::run::reflect::Failure;
use crate::value::error;

impl Run {
    /// The arguments of the judge.
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
        let facts = Fact::assigned(wanted.iter().map(|it| Some(it.name.as_str())));
        let mut words = Vec::with_capacity(wanted.len());
        for (parameter, fact) in wanted.iter().zip(facts) {
            let fact = fact.map_or(Value::Null, |it| self.fact(it, failure, outer));
            match self.word_for_judge(parameter.ty, &fact) {
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

    fn fact(&self, fact: Fact, failure: &Failure, outer: NodeId) -> Value {
        match fact {
            Fact::Failure => self.story(failure.error).into(),
            Fact::Level => self.level_of(outer).name().into(),
            Fact::Attempt => (failure.used + 1).into(),
            Fact::History => {
                let lessons = (1..).zip(self.lessons.of(outer));
                let entries: Vec<Value> = lessons.map(|(number, it)| entry(number, it)).collect();
                entries.into()
            }
            Fact::Node => self.tree.path(outer).into(),
            Fact::Max => failure.rounds.into(),
        }
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
