//! The grammar for tree-sitter as a parser, and its trees as the compiler's dump writes its own.

mod declaration;
mod expression;
mod pattern;
mod statement;
mod tree;
mod type_expression;

pub use tree::Tree;

use tree_sitter::{Language, Node, Parser};
use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_gsw() -> *const ();
}

/// The language that the grammar describes.
#[must_use]
pub fn language() -> Language {
    // SAFETY: the build script has made and linked the function that gives the tables.
    Language::new(unsafe { LanguageFn::from_raw(tree_sitter_gsw) })
}

/// What tree-sitter makes of a program: one tree an item; or the lines where it found none.
///
/// # Errors
/// The places that are errors to it.
pub fn items(source: &str) -> Result<Vec<Tree>, Vec<String>> {
    let mut parser = Parser::new();
    parser
        .set_language(&language())
        .expect("the tables are of a version that this tree-sitter reads");
    let tree = parser
        .parse(source, None)
        .expect("nothing stops the parser before its end");
    let root = tree.root_node();
    if root.has_error() {
        let mut places = Vec::new();
        errors(root, source, &mut places);
        return Err(places);
    }
    let reader = Reader { source };
    Ok(reader
        .children(root)
        .into_iter()
        .map(|it| reader.item(it).with_units())
        .collect())
}

fn errors(node: Node<'_>, source: &str, places: &mut Vec<String>) {
    if node.is_error() || node.is_missing() {
        let start = node.start_position();
        let text = source[node.byte_range()].lines().next().unwrap_or_default();
        places.push(format!(
            "{}:{} {} {text:?}",
            start.row + 1,
            start.column + 1,
            node.kind()
        ));
        return;
    }
    for index in 0..node.child_count() {
        if let Some(child) = node.child(index as u32).filter(|it| it.has_error()) {
            errors(child, source, places);
        }
    }
}

/// Reads nodes of one program.
#[derive(Clone, Copy)]
struct Reader<'source> {
    source: &'source str,
}

impl<'source> Reader<'source> {
    fn text(self, node: Node<'_>) -> &'source str {
        &self.source[node.byte_range()]
    }

    /// The named children that are no comments.
    fn children<'tree>(self, node: Node<'tree>) -> Vec<Node<'tree>> {
        let named = (0..node.named_child_count()).filter_map(|it| node.named_child(it as u32));
        named
            .filter(|it| !matches!(it.kind(), "comment" | "doc_comment" | "module_doc"))
            .collect()
    }

    /// The first child that is a word or mark.
    fn mark(self, node: Node<'_>) -> &'source str {
        let children = (0..node.child_count()).filter_map(|it| node.child(it as u32));
        let mut marks = children.filter(|it| !it.is_named());
        marks.next().map_or("", |it| self.text(it))
    }

    /// The operator of a node, which may be written as several words with any blanks between.
    fn operator<'tree>(self, node: Node<'tree>) -> &'tree str {
        let operator = node.child_by_field_name("operator");
        operator.map_or("", |it| it.kind())
    }

    /// A list of a head and everything that the children are.
    fn list(self, head: &str, node: Node<'_>) -> Tree {
        Tree::list(head, self.all(node))
    }

    fn all(self, node: Node<'_>) -> Vec<Tree> {
        self.children(node)
            .into_iter()
            .flat_map(|it| self.parts(it))
            .collect()
    }

    /// A dotted name without blanks and comments.
    fn path(self, node: Node<'_>) -> Tree {
        let lines = self.text(node).lines();
        let code = lines.map(|it| it.split_once("//").map_or(it, |it| it.0));
        Tree::Word(code.flat_map(str::split_whitespace).collect())
    }

    fn part(self, node: Node<'_>) -> Tree {
        let mut parts = self.parts(node);
        match parts.len() {
            1 => parts.remove(0),
            _ => Tree::List(parts),
        }
    }

    /// What a node is among the elements of the list around it.
    fn parts(self, node: Node<'_>) -> Vec<Tree> {
        self.declaration(node)
            .or_else(|| self.statement(node))
            .or_else(|| self.expression(node))
            .or_else(|| self.pattern(node))
            .or_else(|| self.type_expression(node))
            .unwrap_or_else(|| vec![self.path(node)])
    }
}
