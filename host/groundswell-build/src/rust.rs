//! Typed Rust for a program: a struct or enum for each type that its workflows and host tools take and give, a function for
//! each workflow, and a trait of the tools that it leaves to its host.

mod declaration;
mod function;
mod name;
mod type_name;

use std::fmt::Write;

use gsw_abi::program::{Program, ToolBody};
use gsw_abi::types::TypeId;

use type_name::Names;

/// What is generated for a program, as source text.
#[must_use]
pub fn generate(program: &Program) -> String {
    let mut names = Names::new(&program.types);
    let mut out = String::new();
    write_front(&mut out, program);
    for workflow in &program.workflows {
        let owner = name::pascal(&workflow.name);
        function::write_workflow(&mut out, &mut names, workflow, &owner);
    }
    let tools: Vec<_> = program
        .tools
        .iter()
        .filter(|it| it.body == ToolBody::Host)
        .collect();
    function::write_tools(&mut out, &mut names, &tools);
    let mut written = 0;
    while written < names.order.len() {
        let (id, name): (TypeId, String) = names.order[written].clone();
        declaration::write(&mut out, &mut names, id, &name);
        written += 1;
    }
    out
}

fn write_front(out: &mut String, program: &Program) {
    docs(out, "", program.docs.as_deref());
    let _ = write!(
        out,
        "/// The compiled program `{name}`.\n\
         pub static IMAGE: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.image\"));\n\n\
         /// The program, checked.\n\
         ///\n\
         /// # Errors\n\
         /// When it was built for another version of the crate `groundswell`.\n\
         pub fn program() -> Result<::groundswell::Program, ::groundswell::LoadError> {{\n    \
         ::groundswell::Program::from_image(IMAGE)\n}}\n\n",
        name = program.name
    );
}

/// Writes docs as attributes, which take any text.
fn docs(out: &mut String, indent: &str, docs: Option<&str>) {
    for line in docs.unwrap_or_default().lines() {
        let _ = writeln!(out, "{indent}#[doc = {line:?}]");
    }
}
