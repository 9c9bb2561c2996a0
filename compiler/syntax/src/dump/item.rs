//! Items as lists.

use crate::ast::{
    Attribute, FieldDeclaration, HookHandler, Identifier, Import, Item, ItemBody, Parameter,
    PromptEntry, RepeatClass, Signature, TestRows, Variant, Visibility,
};
use crate::dump::expression::{arguments, expression, modifiers, setting, settings};
use crate::dump::pattern::pattern;
use crate::dump::statement::{block, statement};
use crate::dump::type_expression::type_expression;
use crate::dump::{Node, optional, quoted, word};

pub(super) fn item(it: &Item) -> Node {
    let body = body(&it.body);
    let private = (it.visibility == Visibility::Private).then(|| word("private"));
    let before: Vec<Node> = prefix(it.docs.as_ref(), &it.attributes)
        .into_iter()
        .chain(private)
        .collect();
    if before.is_empty() {
        return body;
    }
    Node::List(before.into_iter().chain([body]).collect())
}

fn prefix(docs: Option<&String>, attributes: &[Attribute]) -> Vec<Node> {
    let docs = docs.map(|docs| Node::list("docs", [quoted(docs)]));
    let attribute = |attribute: &Attribute| {
        Node::list(
            &format!("@{}", attribute.name.name),
            attribute.arguments.iter().map(expression),
        )
    };
    docs.into_iter()
        .chain(attributes.iter().map(attribute))
        .collect()
}

#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
fn body(it: &ItemBody) -> Node {
    match it {
        ItemBody::Import(it) => import(it),
        ItemBody::Function(function) => {
            let receiver = function.receiver.as_ref().map(|name| word(&name.name));
            let receiver = optional("on", receiver).into_iter();
            let parts = receiver.chain(signature(&function.signature));
            Node::list("fn", parts.chain(function.body.as_ref().map(block)))
        }
        ItemBody::Record(record) => declared(
            "type",
            head(&record.name, &record.generics),
            record.fields.iter().map(field),
        ),
        ItemBody::Alias {
            name,
            generics,
            target,
            check,
        } => {
            let check = optional("where", check.as_ref().map(expression));
            let parts = std::iter::once(type_expression(target)).chain(check);
            declared("alias", head(name, generics), parts)
        }
        ItemBody::Enum(it) => declared(
            "enum",
            head(&it.name, &it.generics),
            it.variants.iter().map(variant),
        ),
        ItemBody::Error(error) => {
            declared("error", head(&error.name, &[]), parameters(&error.fields))
        }
        ItemBody::Const(constant) => {
            let ty = constant.ty.as_ref().map(type_expression);
            let parts = ty.into_iter().chain([expression(&constant.value)]);
            declared("const", head(&constant.name, &[]), parts)
        }
        ItemBody::Mcp { name, transport } => {
            declared("mcp", head(name, &[]), [expression(transport)])
        }
        ItemBody::Skill { name } => declared("skill", head(name, &[]), []),
        ItemBody::Agent {
            name,
            settings: inner,
        } => declared("agent", head(name, &[]), settings(inner)),
        ItemBody::Prompt {
            signature: head,
            entries,
        } => declared("prompt", signature(head), entries.iter().map(entry)),
        ItemBody::Human {
            signature: head,
            entries,
        } => declared("human", signature(head), entries.iter().map(entry)),
        ItemBody::External { signature: head } => declared("external", signature(head), []),
        ItemBody::Workflow {
            signature: head,
            body,
        } => declared("workflow", signature(head), [block(body)]),
        ItemBody::Tool {
            signature: head,
            body,
        } => declared("tool", signature(head), body.iter().map(block)),
        ItemBody::Hook { name, handlers } => {
            let handler = |handler: &HookHandler| {
                let parameters = Node::List(parameters(&handler.parameters));
                Node::list(&handler.name.name, [parameters, block(&handler.body)])
            };
            declared("hook", head(name, &[]), handlers.iter().map(handler))
        }
        ItemBody::Test {
            name,
            name_span: _,
            rows,
            pass,
            repeat,
            cassette,
            body,
        } => {
            let rows = rows.as_ref().map(|TestRows { pattern: row, rows }| {
                Node::list("for", [pattern(row), expression(rows)])
            });
            let clauses = [("pass", pass), ("repeat", repeat), ("cassette", cassette)];
            let clauses = clauses
                .into_iter()
                .filter_map(|(name, value)| optional(name, value.as_ref().map(expression)));
            let parts = rows.into_iter().chain(clauses).chain([block(body)]);
            declared("test", vec![quoted(name)], parts)
        }
        ItemBody::Permissions { settings: inner } => Node::list("permissions", settings(inner)),
        ItemBody::Invalid => word("invalid"),
    }
}

/// A declaration: its word, what is in its head and the rest.
fn declared(keyword: &str, head: Vec<Node>, rest: impl IntoIterator<Item = Node>) -> Node {
    Node::list(keyword, head.into_iter().chain(rest))
}

fn import(it: &Import) -> Node {
    let alias = it.alias.as_ref().map(|alias| word(&alias.name));
    let names = it.names.iter().map(|names| {
        let name = |name: &crate::ast::ImportedName| match &name.alias {
            Some(alias) => Node::list("as", [word(&name.name.name), word(&alias.name)]),
            None => word(&name.name.name),
        };
        Node::List(names.iter().map(name).collect())
    });
    Node::list(
        "import",
        std::iter::once(word(&it.path))
            .chain(optional("as", alias))
            .chain(names),
    )
}

fn head(name: &Identifier, generics: &[Identifier]) -> Vec<Node> {
    let generics = (!generics.is_empty())
        .then(|| Node::list("generics", generics.iter().map(|name| word(&name.name))));
    std::iter::once(word(&name.name)).chain(generics).collect()
}

fn signature(it: &Signature) -> Vec<Node> {
    let result = it.result.as_ref().map(type_expression);
    let throws = it
        .throws
        .as_ref()
        .map(|throws| Node::list("throws", throws.iter().map(type_expression)));
    let repeat = it.repeat.as_ref().map(|repeat| match repeat {
        RepeatClass::Pure(_) => word("pure"),
        RepeatClass::Reads(_) => word("reads"),
        RepeatClass::Once(_) => word("once"),
        RepeatClass::Idempotent(key) => Node::list("idempotent", [expression(key)]),
    });
    head(&it.name, &it.generics)
        .into_iter()
        .chain([Node::List(parameters(&it.parameters))])
        .chain(optional("->", result))
        .chain(it.trusted.map(|_| word("trusted")))
        .chain(throws)
        .chain(repeat)
        .chain(optional("by", it.by.as_ref().map(expression)))
        .chain(modifiers(&it.modifiers))
        .collect()
}

fn parameters(parameters: &[Parameter]) -> Vec<Node> {
    let parameter = |parameter: &Parameter| {
        let ty = parameter.ty.as_ref().map(type_expression);
        let default = optional("=", parameter.default.as_ref().map(expression));
        let parts = prefix(parameter.docs.as_ref(), &parameter.attributes)
            .into_iter()
            .chain(std::iter::once(word(&parameter.name.name)));
        let trusted = parameter.trusted.map(|_| word("trusted"));
        Node::List(parts.chain(ty).chain(trusted).chain(default).collect())
    };
    parameters.iter().map(parameter).collect()
}

fn field(it: &FieldDeclaration) -> Node {
    let default = optional("=", it.default.as_ref().map(expression));
    let check = optional("where", it.check.as_ref().map(expression));
    let parts = prefix(it.docs.as_ref(), &it.attributes)
        .into_iter()
        .chain([word(&it.name.name), type_expression(&it.ty)]);
    Node::List(parts.chain(default).chain(check).collect())
}

fn variant(it: &Variant) -> Node {
    let parts = prefix(it.docs.as_ref(), &it.attributes)
        .into_iter()
        .chain(std::iter::once(word(&it.name.name)));
    Node::List(parts.chain(parameters(&it.fields)).collect())
}

fn entry(it: &PromptEntry) -> Node {
    match it {
        PromptEntry::Text { role, text, .. } => Node::list(role.text(), [expression(text)]),
        PromptEntry::Statement(inner) => statement(inner),
        PromptEntry::Example {
            arguments: inner,
            answer,
            ..
        } => Node::list(
            "example",
            [Node::List(arguments(inner)), expression(answer)],
        ),
        PromptEntry::Setting(inner) => setting(inner),
    }
}
