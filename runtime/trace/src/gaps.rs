//! What a file of events lacks, as text.

use std::collections::BTreeMap;

use crate::measure::counted;

/// What a file of events lacks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Gaps {
    /// The version of the form, when it is newer than what is known here.
    pub newer: Option<u64>,
    /// Whether the first line does not say what the file is.
    pub has_no_header: bool,
    /// The bytes of a last line that was cut.
    pub torn: Option<usize>,
    /// The numbers of the first lines that are no JSON objects.
    pub damaged: Vec<u64>,
    /// How many such lines there are.
    pub damaged_count: u64,
    /// How often a kind of event came that is not known here.
    pub unknown: BTreeMap<String, u64>,
    /// How often a known kind came in a form that is not.
    pub misread: BTreeMap<String, u64>,
    /// Events that are not there although later ones are, or that the writer says it lost.
    pub missing: u64,
    /// Nodes whose start was not recorded.
    pub headless: u64,
    /// Nodes whose end was not recorded.
    pub unfinished: u64,
    /// Events that contradict earlier ones.
    pub contradictions: u64,
    /// Whether the file could not be read to its end, and why.
    pub unreadable: Option<String>,
}

impl Gaps {
    /// What is missing, a sentence each; nothing for a whole file.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let mut said = Vec::new();
        if let Some(version) = self.newer {
            said.push(format!(
                "the file has version {version} of the event format, and this program knows version {}: what is new in it is left out",
                gsw_tree::event::VERSION
            ));
        }
        if self.has_no_header {
            said.push("the first line is not the header of a file of events".into());
        }
        if let Some(why) = &self.unreadable {
            said.push(format!("the rest of the file cannot be read: {why}"));
        }
        if let Some(bytes) = self.torn {
            said.push(format!(
                "the last line is cut after {}: the file ends in the middle of an event",
                counted(bytes as u64, "byte")
            ));
        }
        self.say_damage(&mut said);
        if self.missing > 0 {
            said.push(format!("{} missing", is_are(self.missing, "event")));
        }
        if self.headless > 0 {
            let what = counted(self.headless, "node");
            said.push(format!(
                "the start of {what} is not in the file; they are shown at the top"
            ));
        }
        if self.contradictions > 0 {
            let what = counted(self.contradictions, "event");
            said.push(format!(
                "{what} contradicted earlier ones and were left out"
            ));
        }
        if self.unfinished > 0 {
            let what = counted(self.unfinished, "node");
            said.push(format!("the end of {what} is not in the file"));
        }
        said
    }

    fn say_damage(&self, said: &mut Vec<String>) {
        if self.damaged_count > 0 {
            let lines: Vec<_> = self.damaged.iter().map(u64::to_string).collect();
            let more = if self.damaged_count > self.damaged.len() as u64 {
                ", …"
            } else {
                ""
            };
            let what = if self.damaged_count == 1 {
                "no event"
            } else {
                "no events"
            };
            let is_are = is_are(self.damaged_count, "line");
            said.push(format!("{is_are} {what} (line {}{more})", lines.join(", ")));
        }
        for (kind, times) in &self.unknown {
            said.push(format!(
                "{} of the unknown kind `{kind}`",
                is_are(*times, "event")
            ));
        }
        for (kind, times) in &self.misread {
            said.push(format!(
                "{} not as `{kind}` is written here",
                is_are(*times, "event")
            ));
        }
    }
}

fn is_are(number: u64, what: &str) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(number, what))
}
