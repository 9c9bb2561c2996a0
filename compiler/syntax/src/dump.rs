//! Syntax trees as text without spans, for tests: nested lists, one line where it fits.

mod expression;
mod item;
mod pattern;
mod statement;
mod type_expression;

use crate::ast::Item;

/// The tree of an item as text.
#[must_use]
pub fn dump_item(item: &Item) -> String {
    let mut output = String::new();
    item::item(item).write(0, &mut output);
    output.push('\n');
    output
}

/// A tree of words and lists.
enum Node {
    Word(String),
    List(Vec<Node>),
}

/// The longest line that is not broken.
const WIDTH: usize = 100;

impl Node {
    /// A list that starts with a word.
    fn list(head: &str, rest: impl IntoIterator<Item = Self>) -> Self {
        Self::List(std::iter::once(word(head)).chain(rest).collect())
    }

    fn length(&self) -> usize {
        match self {
            Self::Word(text) => text.chars().count(),
            Self::List(nodes) => nodes.iter().map(|node| node.length() + 1).sum::<usize>() + 1,
        }
    }

    fn write(&self, indentation: usize, output: &mut String) {
        match self {
            Self::Word(text) => output.push_str(text),
            Self::List(nodes) => {
                let breaks = indentation + self.length() > WIDTH;
                output.push('(');
                for (index, node) in nodes.iter().enumerate() {
                    match index {
                        0 => {}
                        _ if breaks => {
                            output.push('\n');
                            output.extend(std::iter::repeat_n(' ', indentation + 2));
                        }
                        _ => output.push(' '),
                    }
                    node.write(indentation + 2, output);
                }
                output.push(')');
            }
        }
    }
}

fn word(text: &str) -> Node {
    Node::Word(text.to_owned())
}

fn quoted(text: &str) -> Node {
    Node::Word(format!("{text:?}"))
}

fn path(names: &[crate::ast::Identifier]) -> Node {
    let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
    word(&names.join("."))
}

/// `(head node)` when there is a node.
fn optional(head: &str, node: Option<Node>) -> Option<Node> {
    node.map(|node| Node::list(head, [node]))
}
