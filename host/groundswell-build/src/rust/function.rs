//! A function for each workflow, and a trait of the tools that the host has.

use std::fmt::Write;

use gsw_abi::program::{Tool, Workflow};
use gsw_abi::types::{Field, TypeId};

use crate::rust::name::{pascal, value};
use crate::rust::type_name::Names;
use crate::rust::{declaration, docs};

/// No type of a program.
const NOT_DECLARED: TypeId = TypeId(u32::MAX);

/// A function of the host and the parameters: those with a default are options, whose absence leaves the default to the program.
pub fn write_workflow(out: &mut String, names: &mut Names<'_>, workflow: &Workflow, owner: &str) {
    let result = names.of(workflow.result, &format!("{owner} result"));
    docs(out, "", workflow.docs.as_deref());
    let _ = writeln!(
        out,
        "///\n/// # Errors\n/// When the run cannot be started."
    );
    if !workflow.errors.is_empty() {
        let _ = writeln!(out, "/// The run raises {}.", workflow.errors.join(", "));
    }
    let name = value(&workflow.name);
    let _ = writeln!(out, "pub fn {name}(\n    host: &::groundswell::Host,");
    let mut insert = String::new();
    for parameter in &workflow.parameters {
        let ty = names.of(parameter.ty, &format!("{owner} {}", parameter.name));
        // A name that begins so is no name of the language.
        let local = value(&parameter.name);
        if parameter.default.is_some() {
            let _ = writeln!(out, "    {local}: Option<{ty}>,");
            let _ = writeln!(
                insert,
                "    if let Some({local}) = {local} {{\n        __input.add({:?}, &{local})?;\n    }}",
                parameter.wire
            );
        } else {
            let _ = writeln!(out, "    {local}: {ty},");
            let _ = writeln!(insert, "    __input.add({:?}, &{local})?;", parameter.wire);
        }
    }
    let _ = write!(
        out,
        ") -> Result<::groundswell::Run<{result}>, ::groundswell::HostError> {{\n    \
         let mut __input = ::groundswell::Input::default();\n{insert}    \
         host.start({:?}, &__input)\n}}\n\n",
        workflow.name
    );
}

/// `trait Tools` with a method for each tool, and a function that gives them to a host.
pub fn write_tools(out: &mut String, names: &mut Names<'_>, tools: &[&Tool]) {
    if tools.is_empty() {
        return;
    }
    let mut methods = String::new();
    let mut added = String::new();
    for tool in tools {
        let owner = pascal(&tool.name);
        let input = names.fresh(&format!("{owner} input"));
        docs(
            out,
            "",
            Some(&format!("What the tool `{}` is given.", tool.name)),
        );
        // No type of the program is the input, so none of its fields can hold it.
        let own = (input.as_str(), NOT_DECLARED);
        declaration::write_struct(out, names, own, &by_name(&tool.parameters));
        let result = names.of(tool.result, &format!("{owner} result"));
        docs(&mut methods, "    ", tool.docs.as_deref());
        let method = value(&tool.name);
        let _ = writeln!(
            methods,
            "    fn {method}(&self, input: {input}) -> impl ::core::future::Future<Output = Result<{result}, ::groundswell::ToolError>> + Send;"
        );
        let _ = writeln!(
            added,
            "        .tool({:?}, {{\n            \
             let tools = ::std::sync::Arc::clone(&tools);\n            \
             move |input: {input}| {{\n                \
             let tools = ::std::sync::Arc::clone(&tools);\n                \
             async move {{ tools.{method}(input).await }}\n            }}\n        }})",
            tool.name
        );
    }
    let _ = write!(
        out,
        "/// The tools that the program leaves to its host.\n\
         pub trait Tools: Send + Sync + 'static {{\n{methods}}}\n\n\
         /// Gives a host the tools that the program needs.\n\
         #[must_use]\n\
         pub fn with_tools(builder: ::groundswell::HostBuilder, tools: impl Tools) -> ::groundswell::HostBuilder {{\n    \
         let tools = ::std::sync::Arc::new(tools);\n    builder\n{added}}}\n\n"
    );
}

/// Arguments come under the names of the parameters.
fn by_name(parameters: &[Field]) -> Vec<Field> {
    let parameters = parameters.iter().cloned();
    parameters
        .map(|it| Field {
            wire: it.name.clone(),
            ..it
        })
        .collect()
}
