//! The tools that a model is offered, and what happens to its calls.

use std::collections::BTreeMap;
use std::fmt::Write;

use gsw_abi::call::NodeKind;
use gsw_abi::program::{Program, Repeat, Tool, ToolBody, WRITTEN, wire_name};
use gsw_abi::schema::input_schema;
use gsw_engine::model::{
    Content, Message, PromptNote, Role, ToolCall, ToolDescription, ToolOutcome,
};
use gsw_tree::class::Class;

use crate::settings::{Listed, Settings};
use crate::skills;

/// The most calls of one turn that are run; a guess, far above what models sensibly ask for at once.
const MOST_CALLS: usize = 128;

/// A tool of the program and its name on the wire.
struct Offer<'a> {
    index: u32,
    tool: &'a Tool,
    wire: String,
    /// What an earlier version of the program offered it by.
    was: Option<String>,
}

/// The name of a tool in an earlier version of the program.
fn former_name<'a>(program: &'a Program, tool: &Tool) -> Option<&'a str> {
    let kind = match tool.body {
        ToolBody::Prompt => NodeKind::Prompt,
        ToolBody::Human => NodeKind::Human,
        ToolBody::Program
        | ToolBody::Host
        | ToolBody::Question
        | ToolBody::SpawnRequest
        | ToolBody::WrittenRequest
        | ToolBody::Skills => NodeKind::Tool,
    };
    program.former_name(kind, &tool.name)
}

/// The listed tools that the program has, in order. The compiler refuses two of one name; where they come together all the
/// same, each is distinguished by its module, whatever their order.
fn offers<'a>(program: &'a Program, listed: &[Listed]) -> Vec<Offer<'a>> {
    let offer = |it: &Listed| {
        let tool = program.tools.get(it.tool as usize)?;
        Some(Offer {
            index: it.tool,
            tool,
            wire: it.name.clone().unwrap_or_else(|| wire_name(&tool.name)),
            // A name that the list already has is the same one.
            was: match it.name {
                Some(_) => None,
                None => former_name(program, tool).map(wire_name),
            },
        })
    };
    let mut offers: Vec<Offer<'a>> = listed.iter().filter_map(offer).collect();
    let mut count: BTreeMap<String, u32> = BTreeMap::new();
    for offer in &offers {
        *count.entry(offer.wire.clone()).or_default() += 1;
    }
    for offer in offers.iter_mut().filter(|it| count[&it.wire] > 1) {
        offer.wire = wire_name(&qualified_name(offer.tool));
        offer.was = None;
    }
    offers
}

/// The name that no other tool of the program has.
fn qualified_name(tool: &Tool) -> String {
    format!("{}.{}", tool.module, tool.name)
}

/// What the model knows the tools of a kind by.
pub(crate) fn names_of(
    program: &Program,
    listed: &[Listed],
    is: impl Fn(&Tool) -> bool,
) -> Vec<String> {
    let offers = offers(program, listed).into_iter();
    offers.filter(|it| is(it.tool)).map(|it| it.wire).collect()
}

/// The listed tools by names that say which they are, also after the program's other tools have changed.
pub(crate) fn identities(program: &Program, listed: &[Listed]) -> Vec<String> {
    let tools = listed.iter();
    let tools = tools.filter_map(|it| program.tools.get(it.tool as usize));
    tools.map(qualified_name).collect()
}

/// The listed tools as the model sees them.
pub(crate) fn offered(program: &Program, settings: &Settings) -> Vec<ToolDescription> {
    let mut offers = offers(program, &settings.tools);
    // Its description is long, and useless to a model that may not call it.
    let writes = settings.spawns.iter().any(|it| it == WRITTEN);
    offers.retain(|it| writes || it.tool.body != ToolBody::WrittenRequest);
    if offers.is_empty() {
        return Vec::new();
    }
    let description = |offer: Offer<'_>| ToolDescription {
        input_schema: match offer.tool.body {
            ToolBody::Skills => skills::schema(program, offer.tool, &settings.skills).into(),
            ToolBody::Program
            | ToolBody::Prompt
            | ToolBody::Human
            | ToolBody::Host
            | ToolBody::Question
            | ToolBody::SpawnRequest
            | ToolBody::WrittenRequest => offer.tool.input_schema(&program.types),
        },
        description: match offer.tool.body {
            ToolBody::SpawnRequest => spawns_described(program, offer.tool, &settings.spawns),
            ToolBody::Skills => skills::described(program, offer.tool, &settings.skills),
            ToolBody::Program
            | ToolBody::Prompt
            | ToolBody::Human
            | ToolBody::Host
            | ToolBody::Question
            | ToolBody::WrittenRequest => docs(&offer.tool.docs),
        },
        name: offer.wire,
        was: offer.was,
        class: match offer.tool.repeat {
            Repeat::Pure => Class::Pure,
            Repeat::Reads => Class::Reads,
            Repeat::Idempotent(_) => Class::Idempotent,
            Repeat::Once => Class::Once,
        },
    };
    offers.into_iter().map(description).collect()
}

fn docs(docs: &Option<String>) -> String {
    docs.clone().unwrap_or_default()
}

/// What the tool is for, with the workflows that may be started: a model cannot know them otherwise.
fn spawns_described(program: &Program, tool: &Tool, spawns: &[String]) -> String {
    let mut text = docs(&tool.docs);
    let allowed = program.spawnable(spawns);
    if allowed.is_empty() {
        text.push_str("\n\nHere you may start none.");
        return text;
    }
    text.push_str("\n\nYou may start these:");
    for (name, spawnable) in allowed {
        let workflow = &spawnable.workflow;
        let input = input_schema(&program.types, &workflow.parameters);
        let what = docs(&workflow.docs);
        let colon = if what.is_empty() { "" } else { ": " };
        let _ = write!(text, "\n- `{name}`{colon}{what} Input: {input}");
    }
    text
}

/// The calls of an answer.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// The calls that the run performs.
    pub run: Vec<ToolCall>,
    /// For every call in order: the result that the model gets, `None` where that is the outcome of the next one of those to run.
    pub outcomes: Vec<Option<ToolOutcome>>,
    pub notes: Vec<PromptNote>,
    /// Whether one of those to run must not be repeated.
    pub begins_once: bool,
}

impl Calls {
    /// The calls in an answer to which these tools were offered.
    pub fn of(content: &[Content], program: &Program, listed: &[Listed]) -> Self {
        let offers = offers(program, listed);
        let mut calls = Self::default();
        for piece in content {
            if let Content::ToolUse {
                id,
                name,
                input,
                flaw,
            } = piece
            {
                let is_called = |it: &&Offer<'_>| it.wire == *name;
                // A kept answer may call a tool by the name under which it was offered then.
                let was_called = |it: &&Offer<'_>| it.was.as_ref() == Some(name);
                let offer = offers.iter().find(is_called);
                let offer = offer.or_else(|| offers.iter().find(was_called));
                let call = ToolCall {
                    id: id.clone(),
                    // What is not offered is not run.
                    tool: offer.map_or(u32::MAX, |it| it.index),
                    name: name.clone(),
                    input: input.tree(),
                };
                calls.take(call, flaw.as_deref(), offer);
            }
        }
        if calls.outcomes.len() > MOST_CALLS {
            let message = too_many_called(calls.outcomes.len());
            calls.notes.push(PromptNote::Warning { message });
        }
        calls
    }

    /// Does not run the calls for which there is a reason.
    pub fn refuse(&mut self, why: impl Fn(&ToolCall) -> Option<String>) {
        let mut run = std::mem::take(&mut self.run).into_iter();
        for outcome in self.outcomes.iter_mut().filter(|it| it.is_none()) {
            let Some(call) = run.next() else {
                return;
            };
            match why(&call) {
                None => self.run.push(call),
                Some(message) => {
                    *outcome = Some(ToolOutcome::refused(call.id.clone(), message.clone()));
                    self.notes.push(PromptNote::RefusedCall {
                        id: call.id,
                        tool: Some(call.tool),
                        name: call.name,
                        input: call.input,
                        message,
                        flaw: None,
                    });
                }
            }
        }
    }

    fn take(&mut self, call: ToolCall, flaw: Option<&str>, offer: Option<&Offer<'_>>) {
        if self.outcomes.len() >= MOST_CALLS {
            self.outcomes
                .push(Some(ToolOutcome::refused(call.id, too_many())));
            return;
        }
        let why = match (offer, flaw) {
            (Some(offer), None) => {
                // Whether it begins is known only to the run; one that does not is as if it had. Nor is known here what a prompt
                // calls, whose own tools may be such.
                let is_prompt = offer.tool.body == ToolBody::Prompt;
                self.begins_once |= is_prompt || offer.tool.repeat == Repeat::Once;
                self.run.push(call);
                self.outcomes.push(None);
                return;
            }
            (Some(_), Some(_)) => UNREADABLE.to_owned(),
            (None, _) => unknown(&call.name),
        };
        let told = match flaw.filter(|_| offer.is_some()) {
            Some(flaw) => format!("{why}: {flaw}; call it again with one JSON object"),
            None => why.clone(),
        };
        self.notes.push(PromptNote::RefusedCall {
            id: call.id.clone(),
            tool: offer.map(|it| it.index),
            name: call.name,
            input: call.input,
            message: why,
            flaw: flaw.filter(|_| offer.is_some()).map(str::to_owned),
        });
        self.outcomes
            .push(Some(ToolOutcome::refused(call.id, told)));
    }
}

fn unknown(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("there is no tool `{}…`", &name[..end]),
        None => format!("there is no tool `{name}`"),
    }
}

/// The most characters that are shown of a name that is none: the model has made it up.
const LONGEST_NAME: usize = 100;

const UNREADABLE: &str = "the arguments cannot be read";

fn too_many() -> String {
    format!("not run: at most {MOST_CALLS} calls are run in one turn; call it again")
}

fn too_many_called(count: usize) -> String {
    let refused = count - MOST_CALLS;
    format!(
        "the model called {count} tools in one turn; the first {MOST_CALLS} are taken, the other {refused} are refused"
    )
}

/// The message with the results of the model's calls, in the order of the calls.
pub(crate) fn results(outcomes: Vec<Option<ToolOutcome>>, run: Vec<ToolOutcome>) -> Message {
    let mut run = run.into_iter();
    // An agent has its conversation for as long as it runs, and most turns call one tool: room for more would be most of it.
    let mut content = Vec::with_capacity(outcomes.len());
    let given = outcomes
        .into_iter()
        .filter_map(|it| it.or_else(|| run.next()));
    content.extend(given.map(|it| Content::ToolResult {
        id: it.id,
        content: it.content,
        is_error: it.is_error,
        media: it.media,
    }));
    Message {
        role: Role::User,
        content,
    }
}

#[cfg(test)]
mod tests {
    use gsw_abi::builtin;
    use gsw_abi::program::{FunctionIndex, Program, Repeat, Tool, ToolBody, ToolSchema};
    use gsw_engine::model::{Content, PromptNote, ToolOutcome};
    use serde_json::json;

    use super::{Calls, MOST_CALLS, results};
    use crate::settings::Listed;

    fn program() -> Program {
        let pay = Tool {
            name: "pay".into(),
            module: "shop".into(),
            docs: None,
            parameters: Vec::new(),
            result: builtin::STRING,
            gives: gsw_abi::types::Trust::Any,
            repeat: Repeat::Once,
            body: ToolBody::Program,
            function: FunctionIndex(0),
            schema: ToolSchema::default(),
        };
        Program {
            tools: vec![pay],
            ..Program::empty("test", builtin::type_table())
        }
    }

    #[test]
    fn each_call_has_an_outcome_and_those_beyond_the_limit_are_named() {
        let call = |at: usize| Content::ToolUse {
            // Providers do not make sure that ids differ.
            id: format!("id{}", at / 2),
            name: if at == 1 { "buy" } else { "pay" }.into(),
            input: json!({}).into(),
            flaw: (at == 2).then(|| "this is not JSON".to_owned()),
        };
        let content: Vec<Content> = (0..100_000).map(call).collect();
        let calls = Calls::of(
            &content,
            &program(),
            &[Listed {
                tool: 0,
                name: None,
            }],
        );
        assert_eq!(
            (calls.run.len(), calls.outcomes.len()),
            (MOST_CALLS - 2, 100_000)
        );
        assert!(calls.begins_once && calls.run.iter().all(|it| it.tool == 0));
        let said = |it: &PromptNote| {
            if let PromptNote::RefusedCall { message, flaw, .. } = it {
                format!("{message}: {}", flaw.as_deref().unwrap_or_default())
            } else if let PromptNote::Warning { message } = it {
                message.clone()
            } else {
                panic!("{it:?}")
            }
        };
        let messages: Vec<String> = calls.notes.iter().map(said).collect();
        assert_eq!(messages[0], "there is no tool `buy`: ");
        assert!(messages[1].contains("this is not JSON"), "{messages:?}");
        assert!(
            messages[2].contains("the other 99872 are refused"),
            "{messages:?}"
        );
        let paid = |at: usize| ToolOutcome {
            media: Vec::new(),
            id: calls.run[at].id.clone(),
            content: format!("paid {at}"),
            is_error: false,
        };
        let run = (0..calls.run.len()).map(paid).collect();
        let told = results(calls.outcomes, run).content;
        assert_eq!(told.len(), 100_000);
        assert!(
            matches!(&told[3], Content::ToolResult { id, content, .. } if id == "id1" && content == "paid 1")
        );
        assert!(matches!(
            &told[99_999],
            Content::ToolResult { is_error: true, .. }
        ));
    }
}
