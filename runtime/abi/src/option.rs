//! THE table of options that every program has beside the parameters of its workflows.

/// An option of every program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuiltinOption {
    Model,
    Events,
    Json,
    Raw,
    Pretty,
    Quiet,
    Memory,
    Cache,
    Store,
    Resume,
    Idle,
    Record,
    Replay,
    Help,
    Version,
}

impl BuiltinOption {
    /// All, in the order in which help lists them.
    pub const ALL: [Self; 15] = [
        Self::Model,
        Self::Events,
        Self::Json,
        Self::Raw,
        Self::Pretty,
        Self::Quiet,
        Self::Memory,
        Self::Cache,
        Self::Store,
        Self::Resume,
        Self::Idle,
        Self::Record,
        Self::Replay,
        Self::Help,
        Self::Version,
    ];

    /// Without the leading `--`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Events => "events",
            Self::Json => "json",
            Self::Raw => "raw",
            Self::Pretty => "pretty",
            Self::Quiet => "quiet",
            Self::Memory => "memory",
            Self::Cache => "cache",
            Self::Store => "store",
            Self::Resume => "resume",
            Self::Idle => "idle",
            Self::Record => "record",
            Self::Replay => "replay",
            Self::Help => "help",
            Self::Version => "version",
        }
    }

    /// The option of this name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The value that follows it; `None` where it takes none.
    #[must_use]
    pub const fn operand(self) -> Option<&'static str> {
        match self {
            Self::Model => Some("PROVIDER/MODEL"),
            Self::Events | Self::Record | Self::Replay => Some("FILE"),
            Self::Memory => Some("SIZE"),
            Self::Cache => Some("DIR|off"),
            Self::Store => Some("FILE|off"),
            Self::Idle => Some("DURATION|never"),
            Self::Json
            | Self::Raw
            | Self::Pretty
            | Self::Quiet
            | Self::Resume
            | Self::Help
            | Self::Version => None,
        }
    }

    /// The environment variable that says the same where the option is not given.
    #[must_use]
    pub const fn variable(self) -> Option<&'static str> {
        match self {
            Self::Model => Some("GSW_MODEL"),
            Self::Memory => Some("GSW_MEMORY"),
            Self::Cache => Some("GSW_CACHE"),
            Self::Store => Some("GSW_STORE"),
            Self::Idle => Some("GSW_IDLE"),
            Self::Events
            | Self::Json
            | Self::Raw
            | Self::Pretty
            | Self::Quiet
            | Self::Resume
            | Self::Record
            | Self::Replay
            | Self::Help
            | Self::Version => None,
        }
    }

    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Model => {
                "Use this model for every agent; `sim/default` makes answers up, offline"
            }
            Self::Events => {
                "Write the events of the run as JSON lines, to a file or to standard output (`-`)"
            }
            Self::Json => "Print an error as JSON",
            Self::Raw => "Print a result that is a string without quotes",
            Self::Pretty => {
                "Print the result as on a terminal: a string bare, other values as indented JSON"
            }
            Self::Quiet => "Print no logs and no progress",
            Self::Memory => "Limit the memory of the run's values, such as `512MB`",
            Self::Cache => {
                "Keep answers of agents with `cache` in this folder; `off` keeps them in memory"
            }
            Self::Store => "Keep runs in this file, so that they can be resumed; `off` keeps none",
            Self::Resume => {
                "Go on with the run of the same input that was interrupted, if there is one"
            }
            Self::Idle => {
                "Leave a run that has waited this long for an answer or a time; it stays in the store"
            }
            Self::Record => "Record what models are asked and answer, for `--replay` and for tests",
            Self::Replay => "Take the answers of models from a file of `--record` and ask none",
            Self::Help => "Print this help",
            Self::Version => "Print the program's name and version",
        }
    }

    /// Whether a workflow's parameter may have the name: then the option is the parameter's.
    const fn gives_way(self) -> bool {
        match self {
            Self::Pretty
            | Self::Memory
            | Self::Cache
            | Self::Store
            | Self::Resume
            | Self::Idle
            | Self::Version => true,
            Self::Model
            | Self::Events
            | Self::Json
            | Self::Raw
            | Self::Quiet
            | Self::Record
            | Self::Replay
            | Self::Help => false,
        }
    }
}

/// Whether no parameter of a workflow may have this name.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    BuiltinOption::of(name).is_some_and(|it| !it.gives_way())
}
