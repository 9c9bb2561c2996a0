//! Settings, prompts and statements as lists.

use tree_sitter::Node;

use crate::{Reader, Tree};

impl Reader<'_> {
    pub(crate) fn statement(self, node: Node<'_>) -> Option<Vec<Tree>> {
        let tree = match node.kind() {
            "settings" | "prompt_body" => return Some(self.all(node)),
            "setting" => self.labelled(node),
            "example" => self.example(node),
            "block" => self.list("do", node),
            "let" => self.let_binding(node),
            "var" | "state" | "defer" => self.list(node.kind(), node),
            "assignment" => self.list(self.operator(node), node),
            "assert" => self.assert(node),
            "mock" => self.mock(node),
            "mocked_path" => self.path(node),
            "mock_agent" => self.list("mock-agent", node),
            "script_turn" => self.list(self.mark(node), node),
            "text" => self.prompt_text(node),
            _ => return None,
        };
        Some(vec![tree])
    }

    /// `name: value` as a list that starts with `name:`.
    pub(crate) fn labelled(self, node: Node<'_>) -> Tree {
        let mut children = self.children(node).into_iter();
        let name = children.next().map(|it| self.path(it).to_string());
        let label = format!("{}:", name.unwrap_or_default());
        Tree::list(&label, children.flat_map(|it| self.parts(it)))
    }

    fn example(self, node: Node<'_>) -> Tree {
        let parts = self.children(node).into_iter().map(|it| match it.kind() {
            "arguments" => Tree::List(self.all(it)),
            _ => self.part(it),
        });
        Tree::list("example", parts)
    }

    fn let_binding(self, node: Node<'_>) -> Tree {
        let mut parts = self.all(node);
        let has_else = (0..node.child_count())
            .filter_map(|it| node.child(it as u32))
            .any(|it| it.kind() == "else");
        let otherwise = if has_else { parts.pop() } else { None };
        let binding = Tree::list("let", parts);
        match otherwise {
            Some(otherwise) => Tree::list("let-else", [binding, otherwise]),
            None => binding,
        }
    }

    fn assert(self, node: Node<'_>) -> Tree {
        let fails = node.child_by_field_name("fails");
        let message = node.child_by_field_name("message");
        let parts = self.children(node).into_iter().map(|it| {
            let part = self.part(it);
            if Some(it) == fails {
                Tree::list("fails", [part])
            } else if Some(it) == message {
                Tree::list("message", [part])
            } else {
                part
            }
        });
        Tree::list("assert", parts)
    }

    fn mock(self, node: Node<'_>) -> Tree {
        let calls = node.child_by_field_name("calls");
        let parts = self.children(node).into_iter().map(|it| match it.kind() {
            "pattern_fields" => Tree::List(self.all(it)),
            _ if Some(it) == calls => Tree::list("calls", [self.part(it)]),
            _ => self.part(it),
        });
        Tree::list("mock", parts)
    }

    fn prompt_text(self, node: Node<'_>) -> Tree {
        let mut children = self.children(node).into_iter();
        let role = children.next().map_or("", |it| self.text(it));
        Tree::list(role, children.map(|it| self.part(it)))
    }
}
