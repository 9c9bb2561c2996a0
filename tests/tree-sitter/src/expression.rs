//! Expressions as lists.

use tree_sitter::Node;

use crate::tree::{NUMBER, STRING};
use crate::{Reader, Tree};

impl Reader<'_> {
    pub(crate) fn expression(self, node: Node<'_>) -> Option<Vec<Tree>> {
        let kind = node.kind();
        let tree = match kind {
            "string" => self.string(node),
            "integer" | "float" | "duration" => Tree::word(NUMBER),
            "unit" => Tree::word("()"),
            "break" | "continue" => Tree::word(kind),
            "binary" | "unary" | "field" => self.list(self.operator(node), node),
            "all_of" => self.list(".*", node),
            "parenthesized" => self.list("parens", node),
            "lambda" => Tree::list("=>", self.with_body(node)),
            "lambda_parameters" => Tree::List(self.all(node)),
            "lambda_parameter" => self.part_or_list(node),
            "conversion" => self.conversion(node),
            "catch" => self.catch(node),
            "arm" | "bare_arm" => Tree::List(self.with_body(node)),
            "guard" => self.list("if", node),
            "open" => self.open(node),
            "map_entry" => Tree::List(self.all(node)),
            "record" => self.record(node),
            "record_path" => self.path(node),
            "record_field" | "named_argument" => self.labelled(node),
            "record_base" => self.list("..", node),
            "let_condition" => self.list("let", node),
            "step" => self.step(node),
            "race" => self.race(node),
            "was" | "index" | "call" | "by" | "with" | "list" | "tuple" | "map" | "if"
            | "match" | "for" | "while" | "undo" | "parallel" | "modified" | "revise"
            | "timeout" | "limit" | "errors" | "budget" | "backoff" | "max" => {
                self.list(kind, node)
            }
            "parallel_for" => self.list("parallel-for", node),
            "retry" => self.ordered("retry", node, &["backoff", "max"]),
            "reflect_modifier" => self.reflect_modifier(node),
            "reflect" => self.reflect(node),
            "reflect_part" => self.list(self.mark(node), node),
            "do" | "arms" | "arguments" => return Some(self.all(node)),
            _ => return None,
        };
        Some(vec![tree])
    }

    fn string(self, node: Node<'_>) -> Tree {
        let mut holes = self.children(node);
        holes.retain(|it| it.kind() == "interpolation");
        if holes.is_empty() {
            return Tree::word(STRING);
        }
        let parts = holes.into_iter().flat_map(|it| self.all(it));
        // A dump does not say which text is in a hole and which between them.
        Tree::list(
            "interpolation",
            parts.filter(|it| *it != Tree::word(STRING)),
        )
    }

    /// The one child, or a list of them.
    pub(crate) fn part_or_list(self, node: Node<'_>) -> Tree {
        let mut parts = self.all(node);
        match parts.len() {
            1 => parts.remove(0),
            _ => Tree::List(parts),
        }
    }

    fn conversion(self, node: Node<'_>) -> Tree {
        let is_optional = (0..node.child_count())
            .filter_map(|it| node.child(it as u32))
            .any(|it| it.kind() == "?");
        self.list(if is_optional { "as?" } else { "as" }, node)
    }

    fn catch(self, node: Node<'_>) -> Tree {
        let is_bare = self.children(node).iter().any(|it| it.kind() == "bare_arm");
        self.list(if is_bare { "catch-one" } else { "catch" }, node)
    }

    /// The body of an arm or lambda that assigns is a block of that one statement.
    fn with_body(self, node: Node<'_>) -> Vec<Tree> {
        let children = self.children(node).into_iter();
        let parts = children.flat_map(|it| match it.kind() {
            "assignment" => vec![Tree::list("do", self.parts(it))],
            _ => self.parts(it),
        });
        parts.collect()
    }

    fn open(self, node: Node<'_>) -> Tree {
        let parts = self.all(node);
        let is_detached = (0..node.child_count())
            .filter_map(|it| node.child(it as u32))
            .any(|it| it.kind() == "detached");
        match self.mark(node) {
            "return" if parts.is_empty() => Tree::word("return"),
            _ if is_detached => Tree::list("spawn-detached", parts),
            word => Tree::list(word, parts),
        }
    }

    /// The base of a record comes last, wherever it is written.
    fn record(self, node: Node<'_>) -> Tree {
        let (bases, others): (Vec<Node<'_>>, Vec<Node<'_>>) = self
            .children(node)
            .into_iter()
            .partition(|it| it.kind() == "record_base");
        let parts = others.into_iter().chain(bases);
        Tree::list("record", parts.map(|it| self.part(it)))
    }

    /// What a step was called comes after what it is called.
    fn step(self, node: Node<'_>) -> Tree {
        let mut children = self.children(node);
        if children.first().is_some_and(|it| it.kind() == "was") {
            children.swap(0, 1);
        }
        Tree::list("step", children.into_iter().flat_map(|it| self.parts(it)))
    }

    fn race(self, node: Node<'_>) -> Tree {
        let mut parts = self.all(node);
        let errors = (parts.len() == 2).then(|| parts.pop()).flatten();
        let errors = errors.map(|it| Tree::list("errors", [it]));
        Tree::list("race", parts.into_iter().chain(errors))
    }

    /// The parts that have a name come in this order.
    fn ordered(self, head: &str, node: Node<'_>, order: &[&str]) -> Tree {
        let mut children = self.children(node);
        children.sort_by_key(|it| order.iter().position(|name| *name == it.kind()));
        Tree::list(head, children.into_iter().map(|it| self.part(it)))
    }

    fn reflect_modifier(self, node: Node<'_>) -> Tree {
        let mut parts = self.all(node);
        let with = (parts.len() == 2).then(|| parts.pop()).flatten();
        let with = with.map(|it| Tree::list("with", [it]));
        Tree::list("reflect", parts.into_iter().chain(with))
    }

    fn reflect(self, node: Node<'_>) -> Tree {
        const ORDER: [&str; 3] = ["max", "until", "by"];
        let mut children = self.children(node).into_iter();
        let Some(first) = children.next() else {
            return Tree::word("invalid");
        };
        let mut call = self.part(first);
        let mut parts = Vec::new();
        for child in children {
            if child.kind() == "settings" {
                call = Tree::list("with", std::iter::once(call).chain(self.all(child)));
            } else {
                parts.push(child);
            }
        }
        parts.sort_by_key(|it| ORDER.iter().position(|name| *name == self.mark(*it)));
        let parts = parts.into_iter().map(|it| self.part(it));
        Tree::list("reflect", std::iter::once(call).chain(parts))
    }
}
