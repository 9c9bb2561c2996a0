//! Items as lists.

use crate::ast::{
    Attribute, FieldDeclaration, HookHandler, Identifier, Import, Item, ItemBody, Parameter,
    PromptEntry, RepeatClass, Signature, Variant, Visibility,
};
use crate::dump::expression::{arguments, expression, modifiers, setting, settings};
use crate::dump::statement::block;
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

fn body(it: &ItemBody) -> Node {
    match it {
        ItemBody::Import(it) => import(it),
        ItemBody::Function(function) => {
            let receiver = function.receiver.as_ref().map(|name| word(&name.name));
            let body = function.body.as_ref().map(block);
            let parts = optional("on", receiver)
                .into_iter()
                .chain(signature(&function.signature));
            Node::list("fn", parts.chain(body))
        }
        ItemBody::Record(record) => {
            let fields = record.fields.iter().map(field);
            Node::list(
                "type",
                head(&record.name, &record.generics)
                    .into_iter()
                    .chain(fields),
            )
        }
        ItemBody::Alias {
            name,
            generics,
            target,
            check,
        } => {
            let check = optional("where", check.as_ref().map(expression));
            let parts = head(name, generics)
                .into_iter()
                .chain([type_expression(target)]);
            Node::list("alias", parts.chain(check))
        }
        ItemBody::Enum(it) => {
            let variants = it.variants.iter().map(variant);
            Node::list(
                "enum",
                head(&it.name, &it.generics).into_iter().chain(variants),
            )
        }
        ItemBody::Error(error) => Node::list(
            "error",
            std::iter::once(word(&error.name.name)).chain(parameters(&error.fields)),
        ),
        ItemBody::Const(constant) => {
            let ty = constant.ty.as_ref().map(type_expression);
            let parts = std::iter::once(word(&constant.name.name)).chain(ty);
            Node::list("const", parts.chain([expression(&constant.value)]))
        }
        ItemBody::Mcp { name, transport } => {
            Node::list("mcp", [word(&name.name), expression(transport)])
        }
        ItemBody::Skill { name } => Node::list("skill", [word(&name.name)]),
        ItemBody::Invalid => word("invalid"),
        _ => workflow_body(it),
    }
}

fn workflow_body(it: &ItemBody) -> Node {
    match it {
        ItemBody::Agent {
            name,
            settings: inner,
        } => Node::list(
            "agent",
            std::iter::once(word(&name.name)).chain(settings(inner)),
        ),
        ItemBody::Prompt {
            signature: head,
            entries,
        } => Node::list(
            "prompt",
            signature(head).into_iter().chain(entries.iter().map(entry)),
        ),
        ItemBody::Human {
            signature: head,
            entries,
        } => Node::list(
            "human",
            signature(head).into_iter().chain(entries.iter().map(entry)),
        ),
        ItemBody::Workflow {
            signature: head,
            body,
        } => Node::list("workflow", signature(head).into_iter().chain([block(body)])),
        ItemBody::Tool {
            signature: head,
            body,
        } => Node::list(
            "tool",
            signature(head).into_iter().chain(body.iter().map(block)),
        ),
        ItemBody::Hook { name, handlers } => {
            let handler = |handler: &HookHandler| {
                let parameters = Node::List(parameters(&handler.parameters));
                Node::list(&handler.name.name, [parameters, block(&handler.body)])
            };
            Node::list(
                "hook",
                std::iter::once(word(&name.name)).chain(handlers.iter().map(handler)),
            )
        }
        ItemBody::Test {
            name,
            cassette,
            body,
            ..
        } => {
            let cassette = optional("cassette", cassette.as_ref().map(expression));
            Node::list(
                "test",
                std::iter::once(quoted(name))
                    .chain(cassette)
                    .chain([block(body)]),
            )
        }
        ItemBody::Permissions { settings: inner } => Node::list("permissions", settings(inner)),
        _ => word("invalid"),
    }
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
        .chain(throws)
        .chain(optional("by", it.by.as_ref().map(expression)))
        .chain(repeat)
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
        Node::List(parts.chain(ty).chain(default).collect())
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
        PromptEntry::System(text) => Node::list("system", [expression(text)]),
        PromptEntry::User(text) => Node::list("user", [expression(text)]),
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
