//! What was repaired to read an answer: a closed list of kinds, and the list of one answer.
//!
//! A repair says where, what was there and what was taken. One that loses something is always named by itself; of those that lose
//! nothing, only the first of a kind are, and the last of these says how many more there were.

use gsw_notation::path::{self, Step};
use gsw_notation::text::shortened;

use super::place::Place;

/// Declares the kinds with their names.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident = $name:literal, $loss:ident;)+) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum RepairKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl RepairKind {
            #[cfg(test)]
            pub const ALL: &[RepairKind] = &[$(RepairKind::$kind,)+];

            /// Its name in events and in the reference.
            pub fn name(self) -> &'static str {
                match self {
                    $(RepairKind::$kind => $name,)+
                }
            }

            fn loss(self) -> Loss {
                match self {
                    $(RepairKind::$kind => Loss::$loss,)+
                }
            }
        }
    };
}

/// Whether something that was written is not in the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Loss {
    Nothing,
    Something,
}

kinds! {
    /// The answer was in a block of code.
    CodeBlock = "code-block", Nothing;
    /// Prose before or after the answer was left out.
    SurroundingText = "surrounding-text", Nothing;
    /// What the model thought aloud was left out.
    Thinking = "thinking", Nothing;
    /// Another value in the text, such as a draft, was left out.
    OtherValue = "other-value", Something;
    /// Several values in a row were read as the list of them.
    RowAsList = "row-as-list", Nothing;
    /// Lines with bullets or numbers were read as the list of them.
    MarkdownList = "markdown-list", Nothing;
    /// The text itself, not JSON in it, was read as the value.
    PlainText = "plain-text", Nothing;

    /// A comment was left out.
    Comment = "comment", Something;
    /// A character that is no blank to JSON was read as one.
    OddBlank = "odd-blank", Nothing;
    /// A comma before a closing bracket was left out.
    TrailingComma = "trailing-comma", Nothing;
    /// One of two commas in a row was left out.
    ExtraComma = "extra-comma", Nothing;
    /// A comma was put in.
    MissingComma = "missing-comma", Nothing;
    /// A semicolon was read as a comma.
    Semicolon = "semicolon", Nothing;
    /// Another sign was read as the colon after a key.
    OddColon = "odd-colon", Nothing;
    /// A colon was put in.
    MissingColon = "missing-colon", Nothing;
    /// The bracket at the beginning was put in.
    MissingStart = "missing-start", Nothing;
    /// A closing bracket was put in.
    MissingEnd = "missing-end", Nothing;
    /// A closing bracket too many was left out.
    ExtraBracket = "extra-bracket", Nothing;
    /// Round brackets were read as those of a list.
    RoundBrackets = "round-brackets", Nothing;
    /// A key was put in quotes.
    UnquotedKey = "unquoted-key", Nothing;
    /// A bare text was put in quotes.
    UnquotedText = "unquoted-text", Nothing;
    /// Other quotes were read as those of JSON.
    OddQuotes = "odd-quotes", Nothing;
    /// Quotes inside of a string were read as part of it.
    InnerQuotes = "inner-quotes", Nothing;
    /// A line break or tab inside of a string was taken as it is.
    RawCharacter = "raw-character", Nothing;
    /// An escape that JSON does not have was taken as it is written.
    OddEscape = "odd-escape", Nothing;
    /// Half of a character was replaced.
    BrokenCharacter = "broken-character", Something;
    /// Strings with a plus between them were joined.
    JoinedTexts = "joined-texts", Nothing;
    /// `True`, `None` and the like were read as JSON's words.
    OddWord = "odd-word", Nothing;
    /// A number in another notation was read.
    OddNumber = "odd-number", Nothing;
    /// A duplicate key with equal values was read once.
    RepeatedKey = "repeated-key", Nothing;
    /// A duplicate element of a set was read once.
    RepeatedElement = "repeated-element", Nothing;

    /// A key in another spelling was read as that of a field, or as a key that a map may have.
    NearKey = "near-key", Nothing;
    /// A key that no field has was left out, with its value.
    DroppedKey = "dropped-key", Something;
    /// The value was taken out of an object or list around it.
    Wrapper = "wrapper", Nothing;
    /// One value was read as a list of it.
    SingleAsList = "single-as-list", Nothing;
    /// A bare value was read as the only field of a record.
    OnlyField = "only-field", Nothing;
    /// A word near to an allowed one was read as that.
    NearWord = "near-word", Nothing;
    /// A text was read as a number.
    TextAsNumber = "text-as-number", Nothing;
    /// A text was read as `true` or `false`.
    TextAsBool = "text-as-bool", Nothing;
    /// A text was read as `null`.
    TextAsNull = "text-as-null", Nothing;
    /// A text was read as a duration.
    TextAsDuration = "text-as-duration", Nothing;
    /// A number or `true` or `false` was read as a text.
    ScalarAsText = "scalar-as-text", Nothing;
    /// A text was read as the list or object that is written in it.
    TextAsValue = "text-as-value", Nothing;
    /// A number was rounded to the nearest float.
    RoundedNumber = "rounded-number", Something;
    /// The key around a variant's fields was read as the name of the variant.
    KeyAsKind = "key-as-kind", Nothing;
    /// Another key than `kind` was read as the name of the variant.
    OtherKind = "other-kind", Nothing;
    /// The only variant with these fields was taken.
    GuessedKind = "guessed-kind", Nothing;
    /// Something in a hidden field was repaired.
    HiddenValue = "hidden-value", Nothing;
}

/// How many repairs of one kind are named, where they lose nothing.
const MOST_OF_A_KIND: usize = 20;
/// How many parts an answer may lose, each named. A guess: what loses more is no answer that is near to what was asked for.
const MOST_LOST: usize = 100;

#[derive(Clone, Debug)]
struct Repair {
    kind: RepairKind,
    steps: Vec<Step<'static>>,
    what: String,
    /// How many more there were of the kind.
    more: usize,
}

/// The repairs of one answer, in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repairs {
    all: Vec<Repair>,
    lost: usize,
}

impl Repairs {
    /// Notes a repair; `what` is a phrase with a verb in front.
    pub fn note(&mut self, kind: RepairKind, place: &Place<'_>, what: impl FnOnce() -> String) {
        if place.is_hidden() {
            let what = || "repaired a hidden value".into();
            return self.note_at(RepairKind::HiddenValue, || place.steps(), what);
        }
        self.note_at(kind, || place.steps(), what);
    }

    /// Notes that the text before and after an answer was left out.
    pub fn leave_out_around(&mut self, before: &str, after: &str) {
        let (before, after) = (shortened(before, 40), shortened(after, 40));
        let what = || match (before.as_str(), after.as_str()) {
            (before, "") => format!("left out `{before}` before it"),
            ("", after) => format!("left out `{after}` after it"),
            (before, after) => format!("left out `{before}` before it and `{after}` after it"),
        };
        self.note_at(RepairKind::SurroundingText, Vec::new, what);
    }

    /// Notes a repair with the steps of its place.
    pub fn note_at(
        &mut self,
        kind: RepairKind,
        steps: impl FnOnce() -> Vec<Step<'static>>,
        what: impl FnOnce() -> String,
    ) {
        match kind.loss() {
            Loss::Something => {
                self.lost += 1;
                if self.lost > MOST_LOST {
                    return;
                }
            }
            Loss::Nothing => {
                let same = |it: &&mut Repair| it.kind == kind;
                let mut noted = self.all.iter_mut().filter(same);
                if let Some(last) = noted.nth(MOST_OF_A_KIND - 1) {
                    last.more += 1;
                    return;
                }
            }
        }
        self.all.push(Repair {
            kind,
            steps: steps(),
            what: what(),
            more: 0,
        });
    }

    /// Adds those of a part that was read apart.
    pub fn add(&mut self, others: Repairs) {
        self.lost += others.lost;
        self.all.extend(others.all);
    }

    /// Moves them to below a step, where what they were made in has become a part.
    pub fn move_below(&mut self, step: &Step<'static>) {
        for repair in &mut self.all {
            repair.steps.insert(0, step.clone());
        }
    }

    /// Whether more was lost than can be named.
    pub fn lose_too_much(&self) -> bool {
        self.lost > MOST_LOST
    }

    /// Where something is hidden, repairs of the text keep to themselves what they are about: any part of it may be hidden.
    pub fn conceal(&mut self) {
        for repair in &mut self.all {
            repair.steps.clear();
            repair.what = "repaired text that may be hidden".into();
        }
    }

    /// Each as a sentence that begins with the name of its kind.
    pub fn into_texts(self) -> Vec<String> {
        self.all.into_iter().map(Repair::into_text).collect()
    }
}

impl Repair {
    fn into_text(self) -> String {
        let Self {
            kind,
            steps,
            what,
            more,
        } = self;
        let place = path::text(&steps);
        let more = match more {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        format!("{} at {place}: {what}{more}", kind.name())
    }
}
