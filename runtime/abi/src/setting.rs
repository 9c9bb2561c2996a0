//! THE table of settings: what agents, prompts, questions and calls can set, and how it crosses the ABI.
//!
//! A row reads `Variant name: form(…), from(…), read(…), key(…);`.
//!
//! `form` is the [`Form`] of the value · `from` the outermost [`Origin`] that may set it · `read` the [`Reader`] that gives
//! it its effect · `key` what of it enters the key of a kept answer: `none`, because it does not change which answers are
//! good · `request`, because the request holds what it leads to, and the key holds the request · `effective`, as the reader
//! understood it, defaults included · `written`, as the program wrote it, because its effect shows nowhere else.
//!
//! The checker, `gsw.toml`, the crate that asks models, its cache key and the graph expand or match the table, so that a new
//! row names what it must join. Durations cross as seconds.

use serde_json::{Map, Value};

/// Passes all rows to the macro `$then`.
#[macro_export]
macro_rules! for_each_setting {
    ($then:path) => {
        $then! {
            /// `provider/model`, or several that are tried in turn.
            Model model: form(Model), from(Program), read(agents), key(effective);
            /// The system prompt.
            System system: form(Text), from(Program), read(engine), key(request);
            /// What an agent is for.
            Description description: form(Text), from(Program), read(nobody), key(none);
            /// The tools that the model may call.
            Tools tools: form(Tools), from(Program), read(agents), key(request);
            /// The workflows that the model may start.
            Spawns spawns: form(Names(Listed::Workflows)), from(Program), read(agents), key(effective);
            /// MCP servers whose tools the model may call.
            Mcp mcp: form(Names(Listed::Servers)), from(Program), read(nobody), key(written);
            /// Skills that the model may read.
            Skills skills: form(Names(Listed::Skills)), from(Program), read(nobody), key(written);
            /// What is called before and after tool calls.
            Hooks hooks: form(Names(Listed::Hooks)), from(Program), read(nobody), key(written);
            /// Environment variables of the agent's tools and processes.
            Env env: form(Environment), from(Program), read(nobody), key(written);
            /// A conversation to continue.
            Session session: form(Session), from(Call), read(nobody), key(written);
            /// `exact`, or `lenient`: whether the parser may repair an answer.
            Answer answer: form(Answer), from(Project), read(agents), key(effective);
            /// The most tokens of one answer.
            MaxTokens max_tokens: form(Count { least: 1 }), from(Project), read(agents), key(effective);
            /// Texts that end an answer.
            Stop stop: form(Texts), from(Project), read(agents), key(effective);
            /// The sampling temperature, for models that take it.
            Temperature temperature: form(Number), from(Project), read(agents), key(effective);
            /// The most tokens to think with; 0 turns thinking off.
            Thinking thinking: form(Count { least: 0 }), from(Project), read(agents), key(effective);
            /// How often an answer that does not fit is shown back to the model.
            Reflect reflect: form(Count { least: 0 }), from(Project), read(agents), key(none);
            /// How often a request that failed is sent again.
            Retry retry: form(Count { least: 0 }), from(Project), read(agents), key(none);
            /// The most turns of tool use.
            MaxTurns max_turns: form(Count { least: 1 }), from(Project), read(agents), key(effective);
            /// How long one request may take, all attempts together; of a question, how long it may stay open.
            Timeout timeout: form(Duration), from(Project), read(agents), key(none);
            /// Whether answers are kept, and for how long.
            Cache cache: form(Cache), from(Project), read(agents), key(none);
            /// The most that a call may use.
            Budget budget: form(Budget), from(Program), read(engine), key(none);
        }
    };
}

/// What a setting takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A whole number.
    Count {
        /// The least that it may be.
        least: u32,
    },
    /// A number with a fraction.
    Number,
    /// A duration.
    Duration,
    /// A model's name, or several in `first_of(…)`.
    Model,
    /// `true`, `false` or [`CACHE_PARTS`].
    Cache,
    /// Some of [`BUDGET_PARTS`].
    Budget,
    /// A list of tools, each by its name or as another: `accounts.remove as remove_account`.
    Tools,
    /// A list of declarations by name.
    Names(Listed),
    /// Names of variables with strings or secrets.
    Environment,
    /// `exact` or `lenient`.
    Answer,
    /// A conversation.
    Session,
}

/// The declarations that a list of names takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Listed {
    /// `mcp`
    Servers,
    /// `skill`, or the folder of one as a text.
    Skills,
    /// `hook`
    Hooks,
    /// `workflow`
    Workflows,
}

/// Where a setting may be written; what one origin may set, the ones after it may set too and win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// `[models.settings]` in `gsw.toml`.
    Project,
    /// An agent, a prompt or a question.
    Program,
    /// A call, after `with`.
    Call,
}

/// The part of the runtime that gives a setting its effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reader {
    /// The crate that asks models.
    Agents,
    /// The run.
    Engine,
    /// None: it is accepted and has no effect.
    Nobody,
}

/// The part of `cache: { … }`.
pub const CACHE_PARTS: &[(&str, Form)] = &[(TTL, Form::Duration)];

/// The parts of `budget: { … }`.
pub const BUDGET_PARTS: &[(&str, Form)] = &[
    (USD, Form::Number),
    (TOKENS, Form::Count { least: 0 }),
    (CALLS, Form::Count { least: 0 }),
    (TIME, Form::Duration),
];

/// How long an answer is kept.
pub const TTL: &str = "ttl";
/// The most dollars.
pub const USD: &str = "usd";
/// The most tokens, input and output together.
pub const TOKENS: &str = "tokens";
/// The most requests.
pub const CALLS: &str = "calls";
/// The most time.
pub const TIME: &str = "time";

macro_rules! define {
    ($($(#[$doc:meta])* $variant:ident $name:ident:
        form($($form:tt)*), from($from:ident), read($read:ident), key($key:ident);)*) => {
        /// A setting, in table order.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Setting { $($(#[$doc])* $variant),* }

        impl Setting {
            /// Every row.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// As it is written, and the key of its value in JSON.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($name)),* }
            }

            /// What it takes.
            #[must_use]
            pub const fn form(self) -> Form {
                match self { $(Self::$variant => Form::$($form)*),* }
            }

            /// The outermost place where it may be written.
            #[must_use]
            pub const fn origin(self) -> Origin {
                match self { $(Self::$variant => Origin::$from),* }
            }

            /// What gives it its effect.
            #[must_use]
            pub const fn reader(self) -> Reader {
                match self { $(Self::$variant => define!(@read $read)),* }
            }
        }
    };
    (@read agents) => { Reader::Agents };
    (@read engine) => { Reader::Engine };
    (@read nobody) => { Reader::Nobody };
}

for_each_setting!(define);

impl Setting {
    /// The row called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.name() == name)
    }

    /// The names of the settings that may be written at `origin`, sorted.
    #[must_use]
    pub fn names_at(origin: Origin) -> Vec<&'static str> {
        let allowed = Self::ALL.iter().filter(|it| it.origin() <= origin);
        let mut names: Vec<&'static str> = allowed.map(|it| it.name()).collect();
        names.sort_unstable();
        names
    }
}

/// The settings of one prompt call as compiled code hands them over: a JSON object of what is written, by [`CallPart`].
#[derive(Clone, Default, PartialEq, Debug)]
pub struct CallSettings {
    /// The prompt's own.
    pub prompt: Map<String, Value>,
    /// Those after `with`.
    pub call: Map<String, Value>,
    /// The index of the agent after `by`.
    pub agent: Option<usize>,
    /// The answer that is to be improved, with the number of the round.
    pub improving: Option<Value>,
}

/// A key of [`CallSettings`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallPart {
    /// The prompt's own settings.
    Prompt,
    /// The settings after `with`.
    Call,
    /// The agent after `by`.
    Agent,
    /// The answer that is to be improved.
    Improving,
}

impl CallPart {
    /// Its key.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Call => "call",
            Self::Agent => "agent",
            Self::Improving => "improving",
        }
    }
}

impl From<Map<String, Value>> for CallSettings {
    fn from(mut given: Map<String, Value>) -> Self {
        let mut take = |part: CallPart| given.remove(part.key());
        let object = |it: Option<Value>| match it {
            Some(Value::Object(settings)) => settings,
            Some(
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_),
            )
            | None => Map::new(),
        };
        Self {
            prompt: object(take(CallPart::Prompt)),
            call: object(take(CallPart::Call)),
            agent: take(CallPart::Agent)
                .and_then(|it| it.as_u64())
                .and_then(|it| usize::try_from(it).ok()),
            improving: take(CallPart::Improving),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CallSettings, Origin, Setting};

    #[test]
    fn every_row_is_found_by_its_name_alone() {
        for setting in Setting::ALL {
            assert_eq!(Setting::named(setting.name()), Some(*setting));
        }
        assert_eq!(Setting::named("temprature"), None);
    }

    #[test]
    fn a_project_sets_less_than_a_program_and_a_program_less_than_a_call() {
        let names = [Origin::Project, Origin::Program, Origin::Call].map(Setting::names_at);
        assert!(names[0].contains(&"max_tokens") && !names[0].contains(&"tools"));
        assert!(names[1].contains(&"tools") && !names[1].contains(&"session"));
        assert_eq!(names[2].len(), Setting::ALL.len());
    }

    #[test]
    fn what_a_call_leaves_out_is_empty() {
        let Value::Object(given) = json!({ "call": { "retry": 1 }, "agent": 2 }) else {
            unreachable!("an object");
        };
        let settings = CallSettings::from(given);
        assert_eq!(settings.call["retry"], 1);
        assert_eq!((settings.agent, settings.improving), (Some(2), None));
        assert!(settings.prompt.is_empty());
    }
}
