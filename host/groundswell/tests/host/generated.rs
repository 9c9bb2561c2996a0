//! What is generated for the types of a program.

use crate::file;

const SOURCE: &str = r#"
/// A shape.
enum Shape { Empty, Circle(radius: float), Group(of: [Shape], next: Shape?) }
type Node { value: int, next: Node?, kind: "leaf" | "inner", type: string }

/// Measures a shape.
workflow measure(shape: Shape, node: Node, scale: float = 1.0) -> {string: (int, duration)} { {} }

/// Draws it.
@host tool draw(shape: Shape, loop: int?) -> bytes
"#;

#[test]
fn types_have_their_rust_counterparts() {
    let built = groundswell_build::compile(&file("generated", SOURCE));
    let text = groundswell_build::generate(&built.unwrap_or_else(|it| panic!("{it}")).program);
    for part in [
        "#[doc = \"A shape.\"]",
        "pub enum Shape {",
        "    Empty,\n    Circle(ShapeCircle),\n    Group(ShapeGroup),",
        "pub of: Vec<Shape>,",
        "pub next: Option<Box<Shape>>,",
        "pub next: Option<Box<Node>>,",
        "pub enum NodeKind {",
        "#[serde(rename = \"leaf\")]\n    Leaf,",
        "pub r#type: String,",
        "pub fn measure(\n    host: &::groundswell::Host,\n    shape: Shape,\n    node: Node,\n    scale: Option<f64>,",
        "Run<::groundswell::Map<String, (i64, ::groundswell::Span,)>>",
        "fn draw(&self, input: DrawInput) -> impl ::core::future::Future<Output = Result<::groundswell::Bytes, ::groundswell::ToolError>> + Send;",
        "pub r#loop: Option<i64>,",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}
