//! Declarations and their heads as lists.

use tree_sitter::Node;

use crate::{Reader, Tree};

impl Reader<'_> {
    /// A declaration with what precedes it.
    pub(crate) fn item(self, node: Node<'_>) -> Tree {
        let mut children = self.children(node);
        let Some(declaration) = children.pop() else {
            return Tree::word("invalid");
        };
        let mut before: Vec<Tree> = children.into_iter().flat_map(|it| self.parts(it)).collect();
        let mut marks = (0..node.child_count()).filter_map(|it| node.child(it as u32));
        if marks.any(|it| it.kind() == "private") {
            before.push(Tree::word("private"));
        }
        let declaration = self.part(declaration);
        if before.is_empty() {
            return declaration;
        }
        Tree::List(before.into_iter().chain([declaration]).collect())
    }

    pub(crate) fn declaration(self, node: Node<'_>) -> Option<Vec<Tree>> {
        let kind = node.kind();
        let tree = match kind {
            "import" => self.with_field("import", node, "alias", "as"),
            "import_path" => self.path(node),
            "imported_names" => Tree::List(self.all(node)),
            "imported_name" => match self.all(node) {
                names if names.len() == 2 => Tree::list("as", names),
                names => return Some(names),
            },
            "function" => self.with_field("fn", node, "receiver", "on"),
            "type_record" => self.list("type", node),
            "type_alias" => self.list("alias", node),
            "enum" | "const" | "agent" | "prompt" | "workflow" | "tool" | "mcp" | "hook"
            | "human" | "external" | "test" | "permissions" | "skill" | "generics" => {
                self.list(kind, node)
            }
            "skill_body" => return Some(Vec::new()),
            "attribute" => self.attribute(node),
            "check" => self.list("where", node),
            "default" => self.list("=", node),
            "result" => {
                let mut parts = self.with_trust(node);
                let trusted = parts.split_off(1.min(parts.len()));
                return Some([vec![Tree::list("->", parts)], trusted].concat());
            }
            "throws" => self.list("throws", node),
            "asked" => self.list("by", node),
            "repeat_class" => match self.mark(node) {
                "idempotent" => self.list("idempotent", node),
                class => Tree::word(class),
            },
            "parameter" => Tree::List(self.with_trust(node)),
            "field_declaration" | "parameters" => Tree::List(self.all(node)),
            "variant" => Tree::List(self.with_payload(node)),
            "error" => Tree::list("error", self.with_payload(node)),
            "hook_handler" => self.named(node),
            "test_rows" => self.list("for", node),
            "test_clause" => self.list(self.mark(node), node),
            _ => return None,
        };
        Some(vec![tree])
    }

    /// All children, with `trusted` where it is: a word of its own.
    fn with_trust(self, node: Node<'_>) -> Vec<Tree> {
        let named = self.children(node);
        let all = (0..node.child_count()).filter_map(|it| node.child(it as u32));
        let parts = all.flat_map(|it| match it.kind() {
            "trusted" => vec![Tree::word("trusted")],
            _ if named.contains(&it) => self.parts(it),
            _ => Vec::new(),
        });
        parts.collect()
    }

    /// A list in which the child of that field is a list of its own.
    fn with_field(self, head: &str, node: Node<'_>, field: &str, inner: &str) -> Tree {
        let special = node.child_by_field_name(field);
        let parts = self.children(node).into_iter().flat_map(|it| {
            if Some(it) == special {
                vec![Tree::list(inner, self.parts(it))]
            } else {
                self.parts(it)
            }
        });
        Tree::list(head, parts)
    }

    fn attribute(self, node: Node<'_>) -> Tree {
        let mut children = self.children(node).into_iter();
        let name = children.next().map_or("", |it| self.text(it));
        let arguments = children.flat_map(|it| self.parts(it));
        Tree::list(&format!("@{name}"), arguments)
    }

    /// Variants and errors hold the fields of their payload themselves.
    fn with_payload(self, node: Node<'_>) -> Vec<Tree> {
        let children = self.children(node).into_iter();
        let parts = children.flat_map(|it| match it.kind() {
            "parameters" => self.all(it),
            _ => self.parts(it),
        });
        parts.collect()
    }

    /// A list that starts with a name.
    fn named(self, node: Node<'_>) -> Tree {
        let mut children = self.children(node).into_iter();
        let name = children.next().map_or("", |it| self.text(it));
        Tree::list(name, children.flat_map(|it| self.parts(it)))
    }
}
