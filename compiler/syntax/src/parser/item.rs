//! Declarations.

mod data;
mod import;

use chumsky::prelude::{IterParser, Parser, choice};

use crate::ast::{
    Constant, Expression, ExpressionKind, Function, HookHandler, Item, ItemBody, Parameter,
    TestRows, Visibility,
};
use crate::parser::error::Expected;
use crate::parser::input::{
    Context, Extra, Rule, Tokens, identifier, looking_at, span_of, token, token_as, word,
};
use crate::parser::line::line_break;
use crate::parser::literal::{literal, plain_string, string_literal};
use crate::parser::recovery::{Boundary, closing_brace, end_of_item, separator, skip_to};
use crate::parser::rules::{Mode, Rules};
use crate::parser::setting::prompt_body;
use crate::parser::signature::{Typing, parameters, prefix, signature};
use crate::token::{TokenKind, Word};

/// `Item = Prefix [ "private" ] Declaration ;`
pub(crate) fn item(rules: &Rules) -> Rule<Item> {
    let visibility = token_as(TokenKind::Private, Expected::NOTHING)
        .then_ignore(line_break())
        .or_not()
        .map(|private| match private {
            Some(_) => Visibility::Private,
            None => Visibility::Public,
        });
    prefix(rules)
        .then(visibility)
        .then(declaration(rules))
        .map_with(
            |((prefix, visibility), body), context: &mut Context<'_>| Item {
                docs: prefix.docs,
                attributes: prefix.attributes,
                visibility,
                body,
                span: gsw_source::Span::new(0, span_of(context).end),
            },
        )
        .then_ignore(token_as(TokenKind::Semicolon, Expected::NOTHING).or_not())
        .then_ignore(end_of_item())
        .boxed()
}

/// `Declaration = Import | Function | TypeDeclaration | Enum | Error | Const | Agent | Prompt | Workflow | Tool | Mcp |
/// Hook | Human | External | Skill | Test | Permissions ;`
fn declaration(rules: &Rules) -> Rule<ItemBody> {
    let keywords = choice((
        import::import(),
        function(rules),
        data::type_declaration(rules),
        data::enum_declaration(rules),
        data::error_declaration(rules),
        constant(rules),
        workflow(rules),
    ));
    let words = choice((
        agent(rules),
        prompt(rules),
        tool(rules),
        mcp(rules),
        hook(rules),
        human(rules),
        external(rules),
        skill(),
        test(rules),
        permissions(rules),
    ));
    choice((keywords, words)).boxed()
}

/// The word that starts a declaration.
fn declared(name: Word) -> impl Parser<'static, Tokens, crate::token::Token, Extra> + Clone {
    word(name, Expected::DECLARATION)
}

/// `Function = "fn" [ Name "." ] Signature [ Block ] ;`
fn function(rules: &Rules) -> Rule<ItemBody> {
    let receiver = looking_at(
        |state, index| state.kind(index + 1) == Some(TokenKind::Dot),
        Expected::NOTHING,
    )
    .ignore_then(identifier())
    .then_ignore(token(TokenKind::Dot))
    .or_not();
    token_as(TokenKind::Fn, Expected::DECLARATION)
        .ignore_then(receiver)
        .then(signature(rules))
        .then(rules.block.clone().or_not())
        .map(|((receiver, signature), body)| {
            ItemBody::Function(Function {
                receiver,
                signature,
                body,
            })
        })
        .boxed()
}

/// `Const = "const" Name [ ":" Type ] "=" Expression ;`
fn constant(rules: &Rules) -> Rule<ItemBody> {
    let ty = token(TokenKind::Colon)
        .ignore_then(rules.type_expression.clone())
        .or_not();
    token_as(TokenKind::Const, Expected::DECLARATION)
        .ignore_then(identifier())
        .then(ty)
        .then_ignore(token(TokenKind::Equal))
        .then(rules.any_expression())
        .map(|((name, ty), value)| ItemBody::Const(Constant { name, ty, value }))
        .boxed()
}

/// `Workflow = "workflow" Signature Block ;`
fn workflow(rules: &Rules) -> Rule<ItemBody> {
    token_as(TokenKind::Workflow, Expected::DECLARATION)
        .ignore_then(signature(rules))
        .then(rules.block.clone())
        .map(|(signature, body)| ItemBody::Workflow { signature, body })
        .boxed()
}

/// `Tool = "tool" Signature [ Block ] ;`
fn tool(rules: &Rules) -> Rule<ItemBody> {
    declared(Word::Tool)
        .ignore_then(signature(rules))
        .then(rules.block.clone().or_not())
        .map(|(signature, body)| ItemBody::Tool { signature, body })
        .boxed()
}

/// `Agent = "agent" Name Settings ;`
fn agent(rules: &Rules) -> Rule<ItemBody> {
    declared(Word::Agent)
        .ignore_then(identifier())
        .then_ignore(line_break())
        .then(rules.settings.clone())
        .map(|(name, settings)| ItemBody::Agent { name, settings })
        .boxed()
}

/// `Prompt = "prompt" Signature PromptBody ;`
fn prompt(rules: &Rules) -> Rule<ItemBody> {
    declared(Word::Prompt)
        .ignore_then(signature(rules))
        .then(prompt_body(rules))
        .map(|(signature, entries)| ItemBody::Prompt { signature, entries })
        .boxed()
}

/// `Human = "human" Signature PromptBody ;`
fn human(rules: &Rules) -> Rule<ItemBody> {
    declared(Word::Human)
        .ignore_then(signature(rules))
        .then(prompt_body(rules))
        .map(|(signature, entries)| ItemBody::Human { signature, entries })
        .boxed()
}

/// `External = "external" Signature ;`
fn external(rules: &Rules) -> Rule<ItemBody> {
    declared(Word::External)
        .ignore_then(signature(rules))
        .map(|signature| ItemBody::External { signature })
        .boxed()
}

/// `Mcp = "mcp" Name "=" Expression ;`
fn mcp(rules: &Rules) -> Rule<ItemBody> {
    declared(Word::Mcp)
        .ignore_then(identifier())
        .then_ignore(token(TokenKind::Equal))
        .then(rules.any_expression())
        .map(|(name, transport)| ItemBody::Mcp { name, transport })
        .boxed()
}

/// `Hook = "hook" Name "{" { HookHandler [ "," | Newline ] } "}" ;`
fn hook(rules: &Rules) -> Rule<ItemBody> {
    declared(Word::Hook)
        .ignore_then(identifier())
        .then_ignore(line_break())
        .then_ignore(token(TokenKind::BraceOpen))
        .then(
            hook_handler(rules)
                .then_ignore(separator().or_not())
                .repeated()
                .collect::<Vec<_>>(),
        )
        .then_ignore(closing_brace())
        .map(|(name, handlers)| ItemBody::Hook { name, handlers })
        .boxed()
}

/// `HookHandler = Name Parameters Block ;`
fn hook_handler(rules: &Rules) -> Rule<HookHandler> {
    identifier()
        .then(parameters(rules, Typing::Optional))
        .then(rules.block.clone())
        .map(
            |((name, parameters), body): ((_, Vec<Parameter>), _)| HookHandler {
                name,
                parameters,
                body,
            },
        )
        .boxed()
}

/// `Skill = "skill" Name { any token } ;`
fn skill() -> Rule<ItemBody> {
    declared(Word::Skill)
        .ignore_then(identifier())
        .then_ignore(skip_to(Boundary::Item).or_not())
        .map(|name| ItemBody::Skill { name })
        .boxed()
}

/// `Test = "test" String [ [ Newline ] TestRows ] [ [ Newline ] "pass" Literal ] [ [ Newline ] "repeat" Literal ]
/// [ [ Newline ] "cassette" String ] [ Newline ] Block ;`
fn test(rules: &Rules) -> Rule<ItemBody> {
    let name = plain_string(Expected::STRING)
        .map_with(|name, context: &mut Context<'_>| (name, span_of(context)));
    let number = |name: Word| {
        let number =
            literal(Expected::EXPRESSION).map_with(|literal, context: &mut Context<'_>| {
                Expression {
                    kind: ExpressionKind::Literal(literal),
                    span: span_of(context),
                }
            });
        let clause = line_break()
            .ignore_then(word(name, Expected::WORD))
            .ignore_then(number);
        clause.or_not()
    };
    let cassette = line_break()
        .ignore_then(word(Word::Cassette, Expected::WORD))
        .ignore_then(string_literal(rules, Expected::STRING))
        .or_not();
    declared(Word::Test)
        .ignore_then(name)
        .then(line_break().ignore_then(test_rows(rules)).or_not())
        .then(number(Word::Pass))
        .then(number(Word::Repeat))
        .then(cassette)
        .then_ignore(line_break())
        .then(rules.block.clone())
        .map(
            |((((((name, name_span), rows), pass), repeat), cassette), body)| ItemBody::Test {
                name,
                name_span,
                rows,
                pass,
                repeat,
                cassette,
                body,
            },
        )
        .boxed()
}

/// `TestRows = "for" Pattern "in" Head ;`
fn test_rows(rules: &Rules) -> Rule<TestRows> {
    token_as(TokenKind::For, Expected::NOTHING)
        .ignore_then(rules.pattern.clone())
        .then_ignore(token(TokenKind::In))
        .then(rules.expression(Mode::Head))
        .map(|(pattern, rows)| TestRows { pattern, rows })
        .boxed()
}

/// `Permissions = "permissions" Settings ;`
fn permissions(rules: &Rules) -> Rule<ItemBody> {
    declared(Word::Permissions)
        .ignore_then(rules.settings.clone())
        .map(|settings| ItemBody::Permissions { settings })
        .boxed()
}
