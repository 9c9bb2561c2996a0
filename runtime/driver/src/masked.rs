//! Masks secrets in what comes from outside: a command, a page or a server may repeat them, and its output goes to models, logs
//! and the journal.

use std::borrow::Cow;

use gsw_abi::provider::Provider;
use gsw_engine::operation::{ExecOutput, Failure, HttpAnswer, Outcome, ServerReply};
use gsw_tree::event::{JsonText, McpHappened};

use crate::host::Variables;
use crate::work::Completion;

/// The fewest bytes of a secret that is masked: shorter ones occur as ordinary words. A guess.
const SHORTEST: usize = 8;
const MASK: &str = "***";

/// A completion that gets the outcome without the secrets that were used until then, and without the keys of providers.
pub(crate) fn masking(completion: Completion, variables: &Variables) -> Completion {
    let variables = variables.clone();
    Completion::new(move |outcome| completion.deliver(Mask::of(&variables).outcome(outcome)))
}

/// What is taken out, longest first: a part of one must leave nothing of the other.
struct Mask(Vec<String>);

impl Mask {
    fn of(variables: &Variables) -> Self {
        let keys = Provider::ALL.iter().filter_map(|it| it.key());
        let mut hidden: Vec<String> = keys.filter_map(|it| variables.variable(it)).collect();
        hidden.extend(variables.used_secrets().values());
        hidden.retain(|it| it.len() >= SHORTEST);
        hidden.sort_by_key(|it| std::cmp::Reverse(it.len()));
        Self(hidden)
    }

    fn outcome(&self, outcome: Outcome) -> Outcome {
        if self.0.is_empty() {
            return outcome;
        }
        match outcome {
            Outcome::Exec(ExecOutput {
                code,
                stdout,
                stderr,
            }) => Outcome::Exec(ExecOutput {
                code,
                stdout: self.text(stdout),
                stderr: self.text(stderr),
            }),
            Outcome::Http(HttpAnswer {
                status,
                headers,
                body,
            }) => Outcome::Http(HttpAnswer {
                status,
                headers: headers
                    .into_iter()
                    .map(|(name, value)| (name, self.text(value)))
                    .collect(),
                body: self.text(body),
            }),
            Outcome::Server(reply) => Outcome::Server(Box::new(self.reply(*reply))),
            Outcome::Failed(failure) => Outcome::Failed(self.failure(failure)),
            other @ (Outcome::Done
            | Outcome::Found(_)
            | Outcome::GaveWay(_)
            | Outcome::Time(_)
            | Outcome::Float(_)
            | Outcome::Int(_)
            | Outcome::Bool(_)
            | Outcome::Text(_)
            | Outcome::Earlier { .. }
            | Outcome::Json(_)
            | Outcome::OptionalText(_)
            | Outcome::Bytes(_)
            | Outcome::Texts(_)
            | Outcome::Media(_)
            | Outcome::Host { .. }
            | Outcome::Piece(_)
            | Outcome::Model(_)
            | Outcome::Human(_)) => other,
        }
    }

    fn reply(&self, reply: ServerReply) -> ServerReply {
        let ServerReply {
            server,
            happened,
            answer,
        } = reply;
        let happened = happened.into_iter().map(|McpHappened { what, payload }| {
            let payload = payload.map(|it| JsonText::from(self.json(it.text().to_owned())));
            McpHappened { what, payload }
        });
        ServerReply {
            server,
            happened: happened.collect(),
            answer: match answer {
                Ok(answer) => Ok(self.json(answer)),
                Err(failure) => Err(self.failure(failure)),
            },
        }
    }

    fn failure(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Io { path, message } => Failure::Io {
                path,
                message: self.text(message),
            },
            Failure::Tool { tool, message } => Failure::Tool {
                tool,
                message: self.text(message),
            },
            Failure::Mcp { server, message } => Failure::Mcp {
                server,
                message: self.text(message),
            },
            Failure::Unknown { what } => Failure::Unknown {
                what: self.text(what),
            },
            Failure::Other { message } => Failure::Other {
                message: self.text(message),
            },
            other @ (Failure::Denied { .. }
            | Failure::Timeout { .. }
            | Failure::Declined { .. }
            | Failure::Unreachable { .. }
            | Failure::Stopped
            | Failure::TooLarge) => other,
        }
    }

    fn text(&self, text: String) -> String {
        self.without(text, |it| Cow::Borrowed(it))
    }

    /// A text of JSON, in whose strings some characters are written otherwise.
    fn json(&self, text: String) -> String {
        self.without(text, |it| {
            let written = serde_json::Value::from(it).to_string();
            Cow::Owned(written[1..written.len() - 1].to_owned())
        })
    }

    fn without(&self, text: String, written: impl Fn(&str) -> Cow<'_, str>) -> String {
        self.0.iter().fold(text, |text, it| {
            let it = written(it);
            match text.contains(&*it) {
                true => text.replace(&*it, MASK),
                false => text,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use gsw_engine::operation::{ExecOutput, Outcome, ServerReply};

    use super::Mask;
    use crate::host::{Beyond, Variables};

    fn mask(secrets: &[&str]) -> Mask {
        let mut variables = Variables::default();
        variables.look_beyond(Beyond::Nothing);
        for secret in secrets {
            variables.set_secret(*secret, *secret);
            let _ = variables.secret(secret);
        }
        Mask::of(&variables)
    }

    #[test]
    fn the_longer_secret_leaves_nothing_of_itself() {
        let output = |stdout: &str| {
            Outcome::Exec(ExecOutput {
                code: 0,
                stdout: stdout.into(),
                stderr: "tiny".into(),
            })
        };
        let mask = mask(&["password", "password-of-ada", "tiny"]);
        let masked = mask.outcome(output("password password-of-ada"));
        assert_eq!(masked, output("*** ***"));
    }

    #[test]
    fn an_answer_stays_json() {
        let reply = |answer: &str| {
            Outcome::Server(Box::new(ServerReply {
                server: "s".into(),
                happened: Vec::new(),
                answer: Ok(answer.into()),
            }))
        };
        let masked =
            mask(&["a\"quoted\"\nsecret"]).outcome(reply(r#"{"a":"a\"quoted\"\nsecret!"}"#));
        assert_eq!(masked, reply(r#"{"a":"***!"}"#));
    }
}
