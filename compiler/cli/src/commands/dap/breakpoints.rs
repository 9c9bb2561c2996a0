//! Where a run is to stop: statements by their lines, functions and nodes by their names, errors.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gsw_abi::call::NodeKind;
use gsw_abi::program::{Program, SpanIndex};
use gsw_engine::debug::{Point, What};

/// The statements of a program by file and line.
#[derive(Debug, Default)]
pub struct Lines {
    /// By path: by line, from 1, the statement that begins there first.
    files: BTreeMap<String, BTreeMap<u32, u32>>,
}

impl Lines {
    pub fn of(program: &Program, statements: &[SpanIndex]) -> Self {
        let mut lines = Self::default();
        for index in statements {
            let Some(span) = program.spans.get(index.0 as usize) else {
                continue;
            };
            let Some(source) = program.sources.get(span.source as usize) else {
                continue;
            };
            let line = source.lines.partition_point(|&start| start <= span.start);
            let of_file = lines.files.entry(source.path.clone()).or_default();
            let first = of_file.entry(line as u32).or_insert(index.0);
            // Of several on a line the outermost comes first.
            let is_before = program
                .spans
                .get(*first as usize)
                .is_some_and(|it| (span.start, it.end) < (it.start, span.end));
            if is_before {
                *first = index.0;
            }
        }
        lines
    }

    /// The first statement at a line or below, with its line.
    pub fn at(&self, path: &str, line: u32) -> Option<(u32, u32)> {
        let of_file = self.files.get(path).or_else(|| {
            // The editor may know the file by another way.
            let wanted = Path::new(path).canonicalize().ok()?;
            let is_it = |it: &&String| Path::new(it).canonicalize().is_ok_and(|it| it == wanted);
            self.files.get(self.files.keys().find(is_it)?)
        })?;
        let mut below = of_file.range(line..);
        below.next().map(|(line, span)| (*line, *span))
    }
}

/// Where a run is to stop.
#[derive(Clone, Debug, Default)]
pub struct Breakpoints {
    /// Statements, by the file as the client names it.
    pub lines: BTreeMap<String, BTreeSet<u32>>,
    /// Names of functions and nodes; a `*` stands for anything.
    pub names: Vec<String>,
    /// Functions of these names.
    pub functions: BTreeSet<u32>,
    pub raised: Stops,
    pub uncaught: Stops,
}

/// Whether a run stops for something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stops {
    Yes,
    #[default]
    No,
}

/// Why a run stops at a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    Line,
    Name(String),
    Raised(String),
}

impl Breakpoints {
    /// Sets the names, of which functions are looked up.
    pub fn set_names(&mut self, names: Vec<String>, program: &Program) {
        let functions = (0..).zip(&program.functions);
        let is_meant = |function: &str| {
            let short = function.rsplit_once('.').map_or(function, |it| it.1);
            names.iter().any(|it| fits(it, short) || fits(it, function))
        };
        let meant = functions.filter(|(_, it)| is_meant(&it.name));
        self.functions = meant.map(|it| it.0).collect();
        self.names = names;
    }

    /// Why a run is to stop at a point, if it is.
    pub fn why(&self, point: &Point<'_>) -> Option<Why> {
        match point.what {
            What::Statement { span, entered } => {
                if let Some(function) = entered
                    && self.functions.contains(&function)
                {
                    return Some(Why::Name("a function begins".to_owned()));
                }
                let is_set = self.lines.values().any(|it| it.contains(&span));
                is_set.then_some(Why::Line)
            }
            What::Node { kind, name } => {
                let is_meant = has_own_name(kind) && self.names.iter().any(|it| fits(it, name));
                is_meant.then(|| Why::Name(format!("{} `{name}` begins", kind.name())))
            }
            What::Raised { error, message } => (self.raised == Stops::Yes).then(|| {
                Why::Raised(match message.starts_with(error) {
                    true => message.to_owned(),
                    false => format!("{error}: {message}"),
                })
            }),
        }
    }
}

/// Whether nodes of this kind are found by name. Workflows and tools are functions.
const fn has_own_name(kind: NodeKind) -> bool {
    match kind {
        NodeKind::Step | NodeKind::Prompt | NodeKind::Human | NodeKind::External => true,
        NodeKind::Workflow
        | NodeKind::Tool
        | NodeKind::Hook
        | NodeKind::Undo
        | NodeKind::Task
        | NodeKind::Parallel
        | NodeKind::Iteration
        | NodeKind::Reflection
        | NodeKind::Attempt
        | NodeKind::Region => false,
    }
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_anything() {
        assert!(fits("review", "review") && !fits("review", "review a"));
        assert!(fits("review *", "review a") && fits("*", ""));
        assert!(fits("a*c*e", "abcde") && !fits("a*c*e", "abcd"));
        assert!(!fits("", "x"));
    }
}
