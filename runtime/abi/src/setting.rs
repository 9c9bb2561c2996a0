//! THE table of settings: what agents, prompts, questions and calls can set, and how it crosses the ABI.
//!
//! A row reads `Variant name: form(…), from(…), read(…), key(…);`.
//!
//! - `form`: the [`Form`] of the value.
//! - `from`: the outermost [`Origin`] that may set it.
//! - `read`: who gives it its effect: `agents`, whose settings need a field of its name, the `engine`, `people` alone, or
//!   `nobody` yet: the compiler refuses it.
//! - `key`: what of it enters the key of a kept answer. `none`, since it does not change which answers are good; `request`,
//!   since the key holds the request that it leads to; `effective`, the value that it has, defaults included; `written`, as
//!   the program wrote it, since its effect shows nowhere else.
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
            /// What an agent is for, for readers of the program.
            Description description: form(Text), from(Program), read(people), key(none);
            /// The tools that the model may call.
            Tools tools: form(Tools), from(Program), read(agents), key(request);
            /// The workflows that the model may start.
            Spawns spawns: form(Names(Listed::Workflows)), from(Program), read(agents), key(effective);
            /// Skills that the model may read.
            Skills skills: form(Names(Listed::Skills)), from(Program), read(agents), key(written);
            /// What is called before and after tool calls.
            Hooks hooks: form(Names(Listed::Hooks)), from(Program), read(engine), key(written);
            /// Environment variables of the agent's tools and processes.
            Env env: form(Environment), from(Program), read(engine), key(written);
            /// The conversation that the call continues; handed over beside the settings, since it has no JSON form.
            Session session: form(Session), from(Call), read(engine), key(request);
            /// `lenient`, `exact` or `keep_valid`: what the parser may do to an answer that does not fit.
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
            /// The most requests a minute of all calls that share it, in the whole process.
            Rate rate: form(Count { least: 1 }), from(Project), read(agents), key(none);
            /// The most turns of tool use.
            MaxTurns max_turns: form(Count { least: 1 }), from(Project), read(agents), key(effective);
            /// From which share of the model's window on the results of older tool calls are left out of what is sent.
            ClearResults clear_results: form(Number), from(Project), read(agents), key(effective);
            /// How long one request may take, all attempts together; of a question, how long it may stay open.
            Timeout timeout: form(Duration), from(Project), read(agents), key(none);
            /// How long one request may take until something of its answer comes; then it counts as failed.
            FirstToken first_token: form(Duration), from(Project), read(agents), key(none);
            /// Whether answers are kept, and for how long.
            Cache cache: form(Cache), from(Project), read(agents), key(none);
            /// The most that a call may use.
            Budget budget: form(Budget), from(Program), read(engine), key(none);
        }
    };
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    Text,
    Texts,
    Count {
        /// The least that it may be.
        least: u32,
    },
    /// A number with a fraction.
    Number,
    Duration,
    /// A model's name, or several in `first_of(…)`.
    Model,
    /// `true`, `false` or some of [`CACHE_PARTS`].
    Cache,
    /// A record of some of [`BUDGET_PARTS`].
    Budget,
    /// A list of tools, each by its name or as another: `accounts.remove as remove_account`.
    Tools,
    /// A list of declarations by name.
    Names(Listed),
    /// Names of variables with strings or secrets.
    Environment,
    /// One of the words of [`AnswerForm`].
    Answer,
    Session,
}

/// What the setting `answer` says: how an answer becomes a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AnswerForm {
    /// Near misses are repaired, and each repair is reported.
    Lenient,
    Exact,
    /// As `lenient`, and items of lists that do not fit are left out, each of them reported.
    KeepValid,
}

impl AnswerForm {
    pub const ALL: [Self; 3] = [Self::Lenient, Self::Exact, Self::KeepValid];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lenient => "lenient",
            Self::Exact => "exact",
            Self::KeepValid => "keep_valid",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// The declarations that a list of names takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Listed {
    /// `skill`, or the folder of one as a text.
    Skills,
    Hooks,
    Workflows,
}

/// Where a setting may be written; what one origin may set, the ones after it may set too and win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// The table `[models.settings]` of the project's `gsw.toml`.
    Project,
    /// An agent, a prompt or a question.
    Program,
    /// One call, in the settings after `with`.
    Call,
}

/// The part of the system that gives a setting its effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reader {
    /// The crate that asks models.
    Agents,
    Engine,
    /// Documentation only.
    People,
    /// Reserved: nothing reads it yet.
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
pub const USD: &str = "usd";
/// The most tokens, input and output together.
pub const TOKENS: &str = "tokens";
pub const CALLS: &str = "calls";
pub const TIME: &str = "time";

macro_rules! define {
    ($($(#[doc = $docs:literal])+ $variant:ident $name:ident:
        form($($form:tt)*), from($from:ident), read($read:ident), key($key:ident);)*) => {
        /// A setting, in table order.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Setting { $($(#[doc = $docs])+ $variant),* }

        impl Setting {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// As it is written, and the key of its value in JSON.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($name)),* }
            }

            #[must_use]
            pub const fn form(self) -> Form {
                match self { $(Self::$variant => Form::$($form)*),* }
            }

            /// The outermost place where it may be written.
            #[must_use]
            pub const fn origin(self) -> Origin {
                match self { $(Self::$variant => Origin::$from),* }
            }

            /// What it is for, as the table says.
            #[must_use]
            pub const fn docs(self) -> &'static str {
                match self { $(Self::$variant => concat!($($docs),+).trim_ascii()),* }
            }

            #[must_use]
            pub const fn reader(self) -> Reader {
                match self { $(Self::$variant => define!(@reader $read)),* }
            }

        }
    };
    (@reader agents) => { Reader::Agents };
    (@reader engine) => { Reader::Engine };
    (@reader people) => { Reader::People };
    (@reader nobody) => { Reader::Nobody };
}

for_each_setting!(define);

impl Setting {
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
    /// The settings in the body of the prompt.
    pub prompt: Map<String, Value>,
    /// The settings after `with` at the call.
    pub call: Map<String, Value>,
    /// The index of the agent after `by`.
    pub agent: Option<usize>,
    /// The answer that is to be improved, with the number of the round.
    pub improving: Option<Value>,
    pub turn: Turn,
}

/// What the answer of a call is to what was asked before it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Turn {
    #[default]
    New,
    /// It replaces the last one: `revise p(…)`.
    Revised,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallPart {
    Prompt,
    Call,
    Agent,
    /// The answer that is to be improved.
    Improving,
    /// Present where the call is [`Turn::Revised`].
    Revise,
}

impl CallPart {
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Call => "call",
            Self::Agent => "agent",
            Self::Improving => "improving",
            Self::Revise => "revise",
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
            turn: match take(CallPart::Revise) {
                Some(_) => Turn::Revised,
                None => Turn::New,
            },
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
