//! Patterns as lists.

use tree_sitter::Node;

use crate::tree::NUMBER;
use crate::{Reader, Tree};

impl Reader<'_> {
    pub(crate) fn pattern(self, node: Node<'_>) -> Option<Vec<Tree>> {
        let tree = match node.kind() {
            "or_pattern" => self.list("or", node),
            "path_pattern" | "pattern_path" => self.path(node),
            "variant_pattern" => Tree::List(self.all(node)),
            "record_pattern" => Tree::list("record", self.rest_last(node)),
            "pattern_fields" => return Some(self.rest_last(node)),
            "pattern_field" => self.labelled(node),
            "short_field" => {
                let name = self.text(node);
                Tree::list(&format!("{name}:"), [Tree::word(name)])
            }
            "rest" => self.path(node),
            "literal_pattern" => self.part(node.named_child(0)?),
            "range_pattern" => Tree::list(
                self.operator(node),
                [Tree::word(NUMBER), Tree::word(NUMBER)],
            ),
            "tuple_pattern" => self.tuple("tuple", node),
            "list_pattern" => self.list("list", node),
            _ => return None,
        };
        Some(vec![tree])
    }

    /// The fields, then `..` if it is among them.
    fn rest_last(self, node: Node<'_>) -> Vec<Tree> {
        let (rests, others): (Vec<Node<'_>>, Vec<Node<'_>>) = self
            .children(node)
            .into_iter()
            .partition(|it| it.kind() == "rest");
        let rest = rests.first().map(|_| Tree::word(".."));
        let others = others.into_iter().flat_map(|it| self.parts(it));
        others.chain(rest).collect()
    }

    /// One element in parentheses is that element.
    pub(crate) fn tuple(self, head: &str, node: Node<'_>) -> Tree {
        let mut parts = self.all(node);
        match parts.len() {
            1 => parts.remove(0),
            _ => Tree::list(head, parts),
        }
    }
}
