//! Types as lists.

use tree_sitter::Node;

use crate::{Reader, Tree};

impl Reader<'_> {
    pub(crate) fn type_expression(self, node: Node<'_>) -> Option<Vec<Tree>> {
        let tree = match node.kind() {
            "named_type" => self.part_or_list(node),
            "type_path" | "effect" => self.path(node),
            "type_arguments" => return Some(self.all(node)),
            "optional_type" => self.list("optional", node),
            "list_type" => self.list("list", node),
            "map_type" => self.list("map", node),
            "union_type" => self.list("union", node),
            "tuple_type" if node.named_child_count() == 0 => Tree::word("()"),
            "tuple_type" => self.tuple("tuple", node),
            "function_type" => self.function_type(node),
            "parameter_types" => match self.all(node) {
                types if types.is_empty() => Tree::word("()"),
                types => Tree::List(types),
            },
            "uses" => self.list("uses", node),
            _ => return None,
        };
        Some(vec![tree])
    }

    /// The result of a type has no arrow before it.
    fn function_type(self, node: Node<'_>) -> Tree {
        let parts = self
            .children(node)
            .into_iter()
            .flat_map(|it| match it.kind() {
                "result" => self.all(it),
                _ => self.parts(it),
            });
        Tree::list("fn", parts)
    }
}
