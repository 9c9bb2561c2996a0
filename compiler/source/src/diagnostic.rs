//! A diagnostic as data. Detection makes it, `errors` modules word it, `render` shows it.

use crate::{Code, Place};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The program does not compile.
    Error,
    /// The program compiles; something in it is most likely not what was meant.
    Warning,
    Hint,
}

impl Severity {
    /// Its name in reports: `error`, `warning` or `hint`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// One report to the author of a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    /// Its name, which `gswc explain` takes.
    pub code: Code,
    pub severity: Severity,
    /// One lower-case sentence without a final period; source words in back-quotes.
    pub message: String,
    /// What it is about, as narrowly as possible.
    pub place: Place,
    /// Other places that explain it.
    pub labels: Vec<Label>,
    /// Sentences that teach, each on a line of its own.
    pub notes: Vec<String>,
    /// Edits that would mend it, best first.
    pub fixes: Vec<Fix>,
}

/// A remark at a further place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    pub place: Place,
    /// The remark for that place.
    pub message: String,
}

/// A change that mends what a diagnostic reports; the editor offers it, `gswc check --format json` lists it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fix {
    /// What it does, in the imperative.
    pub title: String,
    /// The edits, none overlapping another.
    pub edits: Vec<Edit>,
    pub mention: Mention,
    pub applicability: Applicability,
}

/// Whether a fix may be applied without asking the author.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Applicability {
    /// It says what was meant beyond doubt: `gswc fix` and "fix all" apply it.
    Certain,
    /// It may change what the program means or what others see of it, or loses written text: the author decides.
    Offered,
}

impl Applicability {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Offered => "offered",
        }
    }
}

/// Whether reports for people show the title of a fix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mention {
    Shown,
    /// A note says what the fix does.
    Implied,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edit {
    /// What is replaced; an empty span inserts.
    pub place: Place,
    pub text: String,
}

impl Diagnostic {
    /// An error with no labels, notes or fixes yet.
    #[must_use]
    pub fn error(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            place,
            labels: Vec::new(),
            notes: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// A warning with no labels, notes or fixes yet.
    #[must_use]
    pub fn warning(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, place, message)
        }
    }

    /// Adds a remark at another place.
    #[must_use]
    pub fn label(mut self, place: Place, message: impl Into<String>) -> Self {
        self.labels.push(Label {
            place,
            message: message.into(),
        });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a certain fix of one edit.
    #[must_use]
    pub fn fix(self, title: impl Into<String>, place: Place, text: impl Into<String>) -> Self {
        let text = text.into();
        self.fix_parts(title, vec![Edit { place, text }])
    }

    /// Adds a certain fix of several edits.
    #[must_use]
    pub fn fix_parts(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fixes.push(Fix {
            title: title.into(),
            edits,
            mention: Mention::Shown,
            applicability: Applicability::Certain,
        });
        self
    }

    /// Adds a certain fix that puts something around the text between two places.
    #[must_use]
    pub fn fix_around(
        self,
        title: impl Into<String>,
        (start, before): (Place, &str),
        (end, after): (Place, &str),
    ) -> Self {
        let edit = |place, text: &str| Edit {
            place,
            text: text.to_owned(),
        };
        self.fix_parts(title, vec![edit(start, before), edit(end, after)])
    }

    /// Adds a fix of one edit that only the author can decide on.
    #[must_use]
    pub fn offer(self, title: impl Into<String>, place: Place, text: impl Into<String>) -> Self {
        self.fix(title, place, text).offered()
    }

    /// Leaves the last fix to the author.
    #[must_use]
    pub fn offered(self) -> Self {
        self.decided_by(Applicability::Offered)
    }

    /// The same with a last fix that this one decides on.
    #[must_use]
    pub fn decided_by(mut self, applicability: Applicability) -> Self {
        if let Some(fix) = self.fixes.last_mut() {
            fix.applicability = applicability;
        }
        self
    }

    /// Adds a question whether a name was meant, and the fix that writes it.
    #[must_use]
    pub fn suggest(
        mut self,
        name: &str,
        place: Place,
        text: impl Into<String>,
        applicability: Applicability,
    ) -> Self {
        self = self.note(format!("did you mean `{name}`?")).fix(
            format!("write `{name}`"),
            place,
            text,
        );
        if let Some(fix) = self.fixes.last_mut() {
            fix.mention = Mention::Implied;
            fix.applicability = applicability;
        }
        self
    }
}
