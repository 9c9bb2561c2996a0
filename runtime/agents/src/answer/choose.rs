//! Which of the values in a text is the answer.
//!
//! Models conclude at the end, so the last value that looks like an answer decides, in the order of the text and whatever is around
//! it: if it does not fit, no earlier draft takes its place. Where a list is asked for and no list is there, the values are its items.

use gsw_notation::path::Step;
use gsw_notation::text::shortened;

use super::node::{End, Node};
use super::parse::{self, Flaw};
use super::repair::{RepairKind, Repairs};
use super::resemble::Suits;
use super::scan::{Follows, Found, Top};
use super::shape::{Match, Record, Shape, ShapeId, Shapes};
use super::work::Work;

/// The part of an answer that counts, with what was repaired to read it.
#[derive(Debug)]
pub(crate) struct Chosen<'t> {
    pub node: Node<'t>,
    pub repairs: Repairs,
    /// Why it cannot be read.
    pub flaw: Option<Flaw>,
}

impl<'t> Chosen<'t> {
    /// What was read without any brackets.
    pub fn plain((node, repairs): (Node<'t>, Repairs)) -> Self {
        Self {
            node,
            repairs,
            flaw: None,
        }
    }
}

pub(crate) struct Chooser<'t, 'c> {
    pub text: &'t str,
    pub shapes: &'c Shapes,
    pub work: &'c Work,
}

impl<'t> Chooser<'t, '_> {
    /// The answer among these values; none where nothing in the text looks like one.
    pub fn choose(&self, found: Found<'t>) -> Option<Chosen<'t>> {
        if let Some(chosen) = self.without_brackets() {
            return Some(chosen);
        }
        let root = self.shapes.root;
        // A list may stand for a record of one list, but not beside such a record.
        let is_record = |it: &Top<'_>| {
            matches!(it.node, Node::Object { .. }) && self.shapes.resembles(&it.node, root)
        };
        let is_list_enough = self.shapes.item(root).is_some() || !found.tops.iter().any(is_record);
        let is_answer = |it: &Top<'_>| {
            let counts = is_list_enough || matches!(it.node, Node::Object { .. });
            counts && (self.is_answer(&it.node, root) || self.is_wrapped(it))
        };
        let Some(last) = found.tops.iter().rposition(is_answer) else {
            return self.items(found.tops);
        };
        let gap = self.gap(&found.tops);
        let is_list = matches!(found.tops[last].node, Node::List { .. });
        let parts = is_list
            .then(|| self.row_around(&found.tops, last))
            .flatten();
        let mut tops = found.tops;
        let others: Vec<Top<'t>> = tops.split_off(last + 1);
        let chosen = tops.pop()?;
        // A comma and another value after it: the bracket that has ended it was one too many.
        let joined = others.first().filter(|it| {
            let between = self.text.get(chosen.end..it.start).unwrap_or_default();
            it.follows == Follows::Value && between.contains(',')
        });
        let joined = joined.map(|it| Flaw {
            steps: Vec::new(),
            expected: "the end of the answer after its last bracket",
            found: format!("`{}`", shortened(&self.text[chosen.end..it.end], 20)),
        });
        let mut repairs = self.around(chosen.start, chosen.end);
        let left_out = tops
            .iter()
            .chain(&others)
            .filter(|it| is_answer(it) || it.flaw.is_some() && it.node.is_container());
        for top in left_out {
            self.leave_out(top, &mut repairs);
        }
        repairs.add(chosen.repairs);
        Some(Chosen {
            node: chosen.node,
            repairs,
            flaw: chosen.flaw.or(parts).or(gap).or(joined),
        })
    }

    fn is_answer(&self, node: &Node<'_>, id: ShapeId) -> bool {
        let is_item = || {
            self.shapes
                .item(id)
                .is_some_and(|of| self.shapes.resembles(node, of))
        };
        self.shapes.resembles(node, id) || (!is_item() && self.is_wrapper(node, id))
    }

    /// Whether it is the object that was asked for around an answer. In a text that may be the answer itself, it must be the last word.
    fn is_wrapped(&self, top: &Top<'_>) -> bool {
        let is_last = || prose(&self.text[top.end..]).is_empty();
        self.shapes.wrapped(&top.node).is_some()
            && (!self.shapes.takes_text(self.shapes.root) || is_last())
    }

    /// Whether an answer is nested in a value that is not one: coercion takes it out, or reports why it cannot.
    fn is_wrapper(&self, node: &Node<'_>, id: ShapeId) -> bool {
        let mut waiting = vec![node];
        while let Some(it) = waiting.pop() {
            self.work.spend(1);
            let inside: Vec<&Node<'_>> = match it {
                Node::List { items, .. } => items.iter().collect(),
                Node::Object { fields, .. } => fields.iter().map(|it| &it.1).collect(),
                Node::Null | Node::Bool(_) | Node::Number(_) | Node::Bare(_) | Node::Text(_) => {
                    continue;
                }
            };
            let siblings = inside.len() - usize::from(!inside.is_empty());
            for it in inside.into_iter().filter(|it| it.is_container()) {
                if it.may_be_inside(siblings) && self.shapes.suits(it, id) > Suits::Changed {
                    return true;
                }
                waiting.push(it);
            }
        }
        false
    }

    /// A list with more items beside it is no whole answer.
    fn row_around(&self, tops: &[Top<'_>], last: usize) -> Option<Flaw> {
        let of = self.shapes.item(self.shapes.root)?;
        let belongs = |it: &Top<'_>| {
            self.shapes.resembles(&it.node, of) || self.shapes.resembles(&it.node, self.shapes.root)
        };
        let after = tops.get(last + 1).filter(|it| it.follows == Follows::Value);
        let before = last.checked_sub(1).map(|it| &tops[it]);
        let before = before.filter(|_| tops[last].follows == Follows::Value);
        let is_one = after.into_iter().chain(before).any(belongs);
        is_one.then(|| Flaw {
            steps: Vec::new(),
            expected: "one list",
            found: "a list and more values beside it".into(),
        })
    }

    /// Where a list is asked for and there is none: its items, one after the other.
    fn items(&self, tops: Vec<Top<'t>>) -> Option<Chosen<'t>> {
        let of = self.shapes.item(self.shapes.root)?;
        let gap = self.gap(&tops);
        let is_item =
            |it: &Top<'_>| matches!(it.node, Node::Object { .. }) && self.is_answer(&it.node, of);
        let tops: Vec<Top<'t>> = tops.into_iter().filter(is_item).collect();
        let (first, last) = (tops.first()?, tops.last()?);
        let mut repairs = self.around(first.start, last.end);
        if tops.len() == 1 {
            // One value, of which coercion makes a list; were it a piece of one, it would be inside of that.
            let top = tops.into_iter().next()?;
            repairs.add(top.repairs);
            return Some(Chosen {
                node: top.node,
                repairs,
                flaw: top.flaw.or(gap),
            });
        }
        let count = tops.len();
        let what = || format!("read {count} values in a row as a list");
        repairs.note_at(RepairKind::RowAsList, Vec::new, what);
        let mut flaw = gap;
        let mut items = Vec::with_capacity(count);
        for (index, top) in tops.into_iter().enumerate() {
            let top = top.below(&Step::Index(index));
            repairs.add(top.repairs);
            flaw = flaw.or(top.flaw);
            items.push(top.node);
        }
        Some(Chosen {
            node: Node::List {
                items,
                end: End::Closed,
            },
            repairs,
            flaw,
        })
    }

    /// A bracket between the values that closes none of them: they are pieces of something of which the beginning is missing.
    fn gap(&self, tops: &[Top<'_>]) -> Option<Flaw> {
        let starts = tops.iter().map(|it| it.start).chain([self.text.len()]);
        let ends = [0].into_iter().chain(tops.iter().map(|it| it.end));
        let mut open: usize = 0;
        for (end, start) in ends.zip(starts) {
            for it in self.text.get(end..start).unwrap_or_default().chars() {
                match it {
                    '{' | '[' => open += 1,
                    '}' | ']' if open == 0 => {
                        return Some(Flaw {
                            steps: Vec::new(),
                            expected: "the bracket that this one closes",
                            found: format!("`{it}`"),
                        });
                    }
                    '}' | ']' => open -= 1,
                    _ => {}
                }
            }
        }
        None
    }

    /// What is before and after an answer.
    fn around(&self, start: usize, end: usize) -> Repairs {
        let mut repairs = Repairs::default();
        let (before, after) = (&self.text[..start], &self.text[end.min(self.text.len())..]);
        let is_fenced = before.contains("```");
        if is_fenced {
            let what = || "took the answer out of a block of code".into();
            repairs.note_at(RepairKind::CodeBlock, Vec::new, what);
        }
        let (before, after) = (prose(before), prose(after));
        if !before.is_empty() || !after.is_empty() {
            repairs.leave_out_around(before, after);
        }
        repairs
    }

    fn leave_out(&self, top: &Top<'_>, repairs: &mut Repairs) {
        let text = &self.text[top.start..top.end];
        let what = || format!("left out another value, `{}`", shortened(text, 80));
        repairs.note_at(RepairKind::OtherValue, Vec::new, what);
    }

    /// An answer whose opening bracket is missing: it begins with a key, or with an item.
    fn without_brackets(&self) -> Option<Chosen<'t>> {
        let inside = inside_of_block(self.text);
        let start = inside.as_ptr().addr() - self.text.as_ptr().addr();
        let begins_with_key = inside.starts_with('"') && parse::is_key_ahead(inside);
        let parsed = match self.shapes.get(self.shapes.root) {
            Shape::Record(record) if begins_with_key || self.begins_with_field(inside, record) => {
                parse::fields(self.text, start, self.work)
            }
            Shape::Map { .. } | Shape::Any if begins_with_key => {
                parse::fields(self.text, start, self.work)
            }
            Shape::List { .. } if is_row_of_scalars(inside) => {
                parse::items(self.text, start, self.work)
            }
            Shape::Null
            | Shape::Any
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Duration
            | Shape::Text
            | Shape::Words(_)
            | Shape::List { .. }
            | Shape::Tuple(_)
            | Shape::Record(_)
            | Shape::Map { .. }
            | Shape::Choice(_) => return None,
        };
        let is_answer = self.is_answer(&parsed.node, self.shapes.root);
        if !is_answer || (parsed.flaw.is_some() && !begins_with_key) {
            return None;
        }
        let mut repairs = self.around(start, parsed.end);
        repairs.add(parsed.repairs);
        let rest = prose(&self.text[parsed.end..]);
        let goes_on = || Flaw {
            steps: Vec::new(),
            expected: "the end of the answer after its last bracket",
            found: format!("`{}`", shortened(rest, 20)),
        };
        let flaw = parsed
            .flaw
            .or_else(|| rest.starts_with([',', ':', '"', '}', ']']).then(goes_on));
        Some(Chosen {
            node: parsed.node,
            repairs,
            flaw,
        })
    }

    fn begins_with_field(&self, text: &str, record: &Record) -> bool {
        let end = text.find(|it: char| !(it.is_alphanumeric() || it == '_'));
        let key = &text[..end.unwrap_or(text.len())];
        matches!(record.field_of(key), Match::Exact(_)) && parse::is_key_ahead(text)
    }
}

/// The prose of a text: what is left beside blanks, fences, bullets and tags.
fn prose(text: &str) -> &str {
    let text = text.trim();
    let text = text.strip_suffix("```json").unwrap_or(text);
    text.trim_matches(|it: char| it.is_whitespace() || "`*_-".contains(it))
}

/// A text without the fences around it.
pub(crate) fn inside_of_block(text: &str) -> &str {
    let trimmed = text.trim();
    let Some(rest) = trimmed.strip_prefix("```") else {
        return trimmed;
    };
    let rest = rest.trim_start_matches('`');
    let rest =
        rest.trim_start_matches(|it: char| it.is_ascii_alphanumeric() || "-_+.".contains(it));
    // A language's name alone on its line; else it was the answer.
    let rest = match rest.starts_with(['\n', '\r', ' ']) {
        true => rest,
        false => trimmed.trim_start_matches('`'),
    };
    rest.trim_end().trim_end_matches('`').trim()
}

/// Whether a text is several numbers or strings with commas between, and nothing else.
fn is_row_of_scalars(text: &str) -> bool {
    let begins = |it: char| it == '"' || it == '-' || it.is_ascii_digit();
    let is_ended = text.ends_with(['"', ']']);
    is_ended && text.starts_with(begins) && text.contains(',') && !text.contains(['{', '[', '\n'])
}
