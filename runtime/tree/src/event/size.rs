//! How much text an event holds.

use gsw_notation::issue::Issue;

use crate::event::{End, Event, EventKind, JsonText, State};

impl Event {
    /// About how many bytes of text it holds, for readers that must bound what they keep. Names that a program declares do
    /// not count: they are shared.
    #[must_use]
    #[expect(
        clippy::too_many_lines,
        reason = "one arm a kind: rustc names what a new kind must join"
    )]
    pub fn text_bytes(&self) -> usize {
        match &self.kind {
            EventKind::ChildAttached { input, .. } => json(input),
            EventKind::Status { end }
            | EventKind::WorkflowEnd { end, .. }
            | EventKind::StepEnd { end, .. }
            | EventKind::TaskEnd { end }
            | EventKind::PromptEnd { end, .. } => ended(end),
            EventKind::ToolCall { input, end, .. } => input.text().len() + ended(end),
            EventKind::StepRetry {
                error, analysis, ..
            } => error.len() + analysis.len(),
            EventKind::StepRestarted { state: of, .. } | EventKind::StateSnapshot { state: of } => {
                state(of)
            }
            EventKind::Error(error) => error.text_bytes(),
            EventKind::Log { message, data, .. } => message.len() + json(data),
            EventKind::Emit { value } | EventKind::StateChanged { value, .. } => value.text().len(),
            EventKind::ModelRequest {
                request,
                settings,
                tools,
                schema,
                ..
            } => json(request) + json(settings) + json(tools) + json(schema),
            EventKind::ModelAnswer { answer, error, .. } => {
                json(answer) + error.as_ref().map_or(0, String::len)
            }
            EventKind::Circuit { error, .. } => error.as_ref().map_or(0, String::len),
            EventKind::ModelRetry { error, .. } => error.len(),
            EventKind::InvalidResponse {
                response,
                issues: of,
            } => response.len() + issues(of),
            EventKind::StreamDelta { text, .. } => text.as_ref().map_or(0, |it| it.len()),
            EventKind::ReflectionStart { error, .. } => error.len(),
            EventKind::ReflectionEnd { reason, .. } | EventKind::Cancel { reason } => reason.len(),
            EventKind::HumanRequest {
                question,
                data,
                schema,
                ..
            } => question.len() + json(data) + schema.text().len(),
            EventKind::HumanAnswer { issues: of, .. }
            | EventKind::ExternalAnswer { issues: of, .. } => issues(of),
            EventKind::ExternalRequest {
                key, data, schema, ..
            } => key.as_ref().map_or(0, String::len) + json(data) + schema.text().len(),
            EventKind::SpawnRequest {
                workflow,
                description,
                reason,
                ..
            } => workflow.len() + description.len() + reason.as_ref().map_or(0, String::len),
            EventKind::McpEvent { server, happened } => server.len() + json(&happened.payload),
            EventKind::Skill { skill, file, .. } => {
                skill.len() + file.as_ref().map_or(0, String::len)
            }
            EventKind::Hook { hook, reason, .. } => {
                hook.len() + reason.as_ref().map_or(0, String::len)
            }
            EventKind::Untrusted(it) => {
                it.reason.len() + it.arguments.iter().map(String::len).sum::<usize>()
            }
            EventKind::ChildDetached { .. }
            | EventKind::TreeUpdated { .. }
            | EventKind::WorkflowStart { .. }
            | EventKind::StepStart { .. }
            | EventKind::TaskStart
            | EventKind::PromptStart { .. }
            | EventKind::CacheHit { .. }
            | EventKind::CacheMiss { .. }
            | EventKind::CacheWait { .. }
            | EventKind::PromptRevision { .. }
            | EventKind::CacheEvict { .. }
            | EventKind::SessionShortened { .. }
            | EventKind::ResultsCleared { .. }
            | EventKind::Budget { .. } => 0,
        }
    }
}

fn json(text: &Option<JsonText>) -> usize {
    text.as_ref().map_or(0, |it| it.text().len())
}

fn ended(end: &End) -> usize {
    json(&end.output) + end.error.as_ref().map_or(0, |it| it.len())
}

fn state(of: &State) -> usize {
    of.values().map(|it| it.text().len()).sum()
}

fn issues(of: &[Issue]) -> usize {
    let bytes = |it: &Issue| {
        let Issue {
            path,
            expected,
            found,
            message,
        } = it;
        path.len() + expected.len() + found.len() + message.len()
    };
    of.iter().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use crate::event::{End, Event, EventKind, JsonText};
    use crate::node::{NodeId, Status};

    #[test]
    fn what_a_tool_is_given_counts() {
        let event = |input: &str| Event {
            sequence: 0,
            time: 0,
            run: "r".into(),
            node: NodeId::ROOT,
            kind: EventKind::ToolCall {
                tool: "t".into(),
                input: JsonText::from(format!("{input:?}")),
                end: End {
                    status: Status::Completed,
                    duration: 0,
                    output: None,
                    error: None,
                },
            },
        };
        let [short, long] = ["", &"x".repeat(1000)].map(|it| event(it).text_bytes());
        assert_eq!(long - short, 1000);
    }
}
