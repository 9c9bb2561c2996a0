//! Where a run is to stop: statements by their lines, functions and nodes by their names, errors.

use std::collections::BTreeMap;
use std::path::Path;

use gsw_abi::call::NodeKind;
use gsw_abi::program::{Program, SpanIndex};
use gsw_engine::debug::{Point, What};

use super::expression::Names;
use super::guard::{Guard, Verdict};

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
    pub lines: BTreeMap<String, BTreeMap<u32, Guard>>,
    /// Names of functions and nodes; a `*` stands for anything.
    names: Vec<(String, Guard)>,
    functions: BTreeMap<u32, Named>,
    pub raised: Stops,
    pub uncaught: Stops,
}

/// A function that names among those that are set mean.
#[derive(Clone, Debug)]
struct Named {
    /// Without its module.
    function: String,
    /// The positions of the names.
    by: Vec<usize>,
}

/// What a hit count belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Site {
    Statement(u32),
    /// By its position among the names.
    Name(usize),
}

/// How often a run has come to each breakpoint.
#[derive(Debug, Default)]
pub struct HitCounts(BTreeMap<Site, u64>);

/// What a run does at a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Met {
    Nothing,
    /// It continues and logs this.
    Log(String),
    Stop(Why),
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
    /// It is unknown whether it must stop, for this reason.
    Unclear(String),
}

impl Breakpoints {
    /// Sets the names, of which functions are looked up.
    pub fn set_names(&mut self, names: Vec<(String, Guard)>, program: &Program) {
        let functions = (0..).zip(&program.functions);
        let meant = |function: &str| {
            let short = function.rsplit_once('.').map_or(function, |it| it.1);
            let is_meant = |it: &str| fits(it, short) || fits(it, function);
            let all = (0..).zip(&names).filter(|(_, it)| is_meant(&it.0));
            let by: Vec<usize> = all.map(|(index, _)| index).collect();
            let function = short.to_owned();
            (!by.is_empty()).then_some(Named { function, by })
        };
        let meant = functions.filter_map(|(index, it)| Some((index, meant(&it.name)?)));
        self.functions = meant.collect();
        self.names = names;
    }

    /// What a run does at a point where names hold what `names` says.
    pub fn met(&self, point: &Point<'_>, names: &Names<'_>, hits: &mut HitCounts) -> Met {
        if let What::Raised { error, message } = point.what {
            return match self.raised {
                Stops::No => Met::Nothing,
                Stops::Yes => Met::Stop(Why::Raised(match message.starts_with(error) {
                    true => message.to_owned(),
                    false => format!("{error}: {message}"),
                })),
            };
        }
        let mut met = Met::Nothing;
        // Each counts its hits, also where another one stops the run.
        for (why, site, guard) in self.set_at(point) {
            let own = match guard.verdict(names, hits.0.entry(site).or_default()) {
                Verdict::Pass => Met::Nothing,
                Verdict::Log(text) => Met::Log(text),
                Verdict::Stop => Met::Stop(why),
                Verdict::Unclear(reason) => Met::Stop(Why::Unclear(reason)),
            };
            met = met.and(own);
        }
        met
    }

    /// The breakpoints at a point.
    fn set_at(&self, point: &Point<'_>) -> Vec<(Why, Site, &Guard)> {
        match point.what {
            What::Statement { span, entered } => {
                let function = entered.and_then(|it| self.functions.get(&it));
                let named = function.into_iter().flat_map(|it| {
                    let why = Why::Name(format!("`{}` begins", it.function));
                    let guards = it
                        .by
                        .iter()
                        .filter_map(|at| Some((*at, self.names.get(*at)?)));
                    guards.map(move |(at, name)| (why.clone(), Site::Name(at), &name.1))
                });
                let line = self.lines.values().find_map(|it| it.get(&span));
                let line = line.map(|guard| (Why::Line, Site::Statement(span), guard));
                named.chain(line).collect()
            }
            What::Node { kind, name } if has_own_name(kind) => {
                let names = self.names.iter().enumerate();
                let meant = names.filter(|(_, it)| fits(&it.0, name));
                let set = meant.map(|(index, (_, guard))| {
                    let why = Why::Name(format!("{} `{name}` begins", kind.name()));
                    (why, Site::Name(index), guard)
                });
                set.collect()
            }
            What::Node { .. } | What::Raised { .. } => Vec::new(),
        }
    }
}

impl Met {
    /// What is done where this and another breakpoint are met: the first that stops the run says why, and what is logged before it is.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Stop(why), _) | (Self::Nothing | Self::Log(_), Self::Stop(why)) => {
                Self::Stop(why)
            }
            (Self::Log(one), Self::Log(two)) => Self::Log(format!("{one}\n{two}")),
            (Self::Log(text), Self::Nothing) | (Self::Nothing, Self::Log(text)) => Self::Log(text),
            (Self::Nothing, Self::Nothing) => Self::Nothing,
        }
    }
}

/// Whether nodes of this kind are found by name. Workflows, tools and prompts are functions, which stop with their arguments.
const fn has_own_name(kind: NodeKind) -> bool {
    match kind {
        NodeKind::Step | NodeKind::Human | NodeKind::External => true,
        NodeKind::Workflow
        | NodeKind::Prompt
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
