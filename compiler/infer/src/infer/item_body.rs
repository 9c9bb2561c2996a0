//! Which bodies an item has, and what each of them starts from and must give.

use std::sync::Arc;

use gsw_abi::setting::Origin;
use gsw_abi::setting::Setting;
use gsw_names::types::Type;
use gsw_names::{Parameter, has_media_inside, holds_secret};
use gsw_source::{Db, ItemId, ItemKind, Name, Place, Span};
use gsw_syntax::{ast, is_damaged};

use crate::errors::{calls, habits};
use crate::hir::{
    Arm, Body, BodyPart, ExpressionId, ExpressionKind, LocalId, LocalKind, Pattern, PatternKind,
    conversation_type,
};
use crate::infer::argument::Call;
use crate::infer::context::Context;
use crate::infer::conversation;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::literal;
use crate::infer::lookup;
use crate::infer::pattern_names::PatternNames;
use crate::infer::prompt;
use crate::infer::scopes::Scopes;
use crate::infer::setting;
use crate::infer::workflow;
use crate::infer::zonk;
use crate::item_bodies::ItemBodies;

/// The inference of all bodies of one item.
pub(super) struct ItemInference<'db> {
    pub(super) db: &'db dyn Db,
    pub(super) item: ItemId,
    pub(super) found: ItemBodies,
}

/// `example (arguments) -> answer`
struct Example<'tree> {
    /// The type of what the prompt says for these arguments.
    said: Type,
    arguments: &'tree [ast::Argument],
    answer: &'tree ast::Expression,
    span: Span,
}

impl<'db> ItemInference<'db> {
    /// Infers every body that the item's syntax holds.
    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    pub(super) fn run(&mut self, ast: &ast::Item) {
        match &ast.body {
            ast::ItemBody::Function(function) => {
                self.defaults(&function.signature);
                if let Some(body) = &function.body {
                    self.main(&function.signature, body);
                }
            }
            ast::ItemBody::Workflow { signature, body } => {
                self.defaults(signature);
                self.main(signature, body);
            }
            ast::ItemBody::Tool { signature, body } => {
                self.tool(signature, body.as_ref());
                if let Some(ast::RepeatClass::Idempotent(key)) = &signature.repeat {
                    self.value(BodyPart::Key, self.all(), key, Type::String);
                }
            }
            ast::ItemBody::Prompt { signature, entries }
            | ast::ItemBody::Human { signature, entries } => {
                self.defaults(signature);
                self.prompt(signature, entries);
            }
            ast::ItemBody::External { signature } => {
                self.defaults(signature);
                self.prompt(signature, &[]);
                if let Some(key) = &signature.by {
                    self.value(BodyPart::Key, self.all(), key, Type::String);
                }
            }
            ast::ItemBody::Agent { settings, .. } => {
                self.part(BodyPart::Settings, &[], Type::Json, |cx| {
                    setting::infer_settings(cx, settings, Origin::Program)
                });
            }
            ast::ItemBody::Const(constant) => {
                let ty = lookup::signature(self.db, self.item).result.clone();
                self.value(BodyPart::Main, &[], &constant.value, ty);
            }
            ast::ItemBody::Test {
                name: _,
                name_span: _,
                rows,
                pass,
                repeat,
                cassette,
                body,
            } => {
                self.test_head(pass.as_ref(), repeat.as_ref(), cassette.as_ref());
                self.test(rows.as_ref(), body);
            }
            ast::ItemBody::Record(record) => self.record(&record.fields),
            ast::ItemBody::Enum(declaration) => {
                for (variant, written) in (0u32..).zip(&declaration.variants) {
                    let declared = lookup::variants(self.db, self.item);
                    let fields = declared
                        .get(variant as usize)
                        .map_or(&[][..], |it| &it.fields);
                    self.payload(variant, &written.fields, fields);
                }
            }
            ast::ItemBody::Error(error) => {
                self.payload(0, &error.fields, lookup::fields(self.db, self.item));
            }
            ast::ItemBody::Alias {
                check: Some(check), ..
            } => {
                let target = gsw_names::alias_target(self.db, self.item);
                self.check(BodyPart::AliasCheck, check, &target, None);
            }
            ast::ItemBody::Hook { name: _, handlers } => self.hook(handlers),
            ast::ItemBody::Mcp { name: _, transport } => {
                let server = match is_damaged(self.db, self.item) {
                    // A call without its arguments is no server, which is reported where they end.
                    true => Type::Invalid,
                    false => lookup::signature(self.db, self.item).result.clone(),
                };
                self.value(BodyPart::Main, &[], transport, server);
            }
            ast::ItemBody::Import(_)
            | ast::ItemBody::Alias { .. }
            | ast::ItemBody::Skill { .. }
            | ast::ItemBody::Permissions { .. }
            | ast::ItemBody::Invalid => {}
        }
    }

    /// The parameters of the item's head.
    fn all(&self) -> &'db [Parameter] {
        &lookup::signature(self.db, self.item).parameters
    }

    fn main(&mut self, signature: &ast::Signature, block: &ast::Block) {
        let result = lookup::signature(self.db, self.item).result.clone();
        self.main_of(signature, |cx| {
            // The value of the last expression is dropped there, so `fn f() { g() }` is right whatever `g` gives.
            if result == Type::Unit {
                let id = cx.block(block, &Expected::Dropped);
                cx.hir.without_value(id)
            } else {
                cx.block(block, &Expected::Type(result))
            }
        });
    }

    /// The modifiers of a head, and within them what `work` makes of the body.
    pub(super) fn main_of(
        &mut self,
        signature: &ast::Signature,
        work: impl FnOnce(&mut Context<'db>) -> ExpressionId,
    ) {
        let result = lookup::signature(self.db, self.item).result.clone();
        let mut modifiers = None;
        self.part(BodyPart::Main, self.all(), result, |cx| {
            modifiers = Some(workflow::infer_modifiers(cx, &signature.modifiers));
            work(cx)
        });
        self.found.modifiers = modifiers.unwrap_or_default();
    }

    /// Reports the modifiers of a head that mean nothing there.
    fn refuse_modifiers(
        &mut self,
        signature: &ast::Signature,
        is_refused: impl Fn(&ast::ModifierKind) -> bool,
    ) {
        let is_prompt = self.item.kind(self.db) == ItemKind::Prompt;
        for modifier in signature.modifiers.iter().filter(|it| is_refused(&it.kind)) {
            let place = Place::Item {
                item: self.item,
                span: modifier.span,
            };
            let report = calls::misplaced_modifier(place, &modifier.kind);
            self.found.diagnostics.push(match is_prompt {
                true => report.note(calls::modifier_as_setting()),
                false => report,
            });
        }
    }

    /// A setting of a question to a person.
    fn refuse_setting(&mut self, setting: &ast::Setting) {
        let place = Place::Item {
            item: self.item,
            span: setting.name.span,
        };
        let report = calls::setting_of_question(place, &setting.name.name);
        self.found.diagnostics.push(report);
    }

    fn tool(&mut self, signature: &ast::Signature, body: Option<&ast::Block>) {
        self.defaults(signature);
        if let Some(body) = body {
            return self.main(signature, body);
        }
        if let Some(by) = &signature.by {
            return self.tool_of_server(signature, by);
        }
        self.without_body(signature);
    }

    /// A body that is elsewhere: what it gives is unknown here.
    pub(super) fn without_body(&mut self, signature: &ast::Signature) {
        self.main_of(signature, |cx| {
            // Of type `Never` so that it fits every result; nothing lowers or evaluates it.
            cx.hir
                .push(ExpressionKind::Unit, Type::Never, Span::default())
        });
    }

    fn defaults(&mut self, signature: &ast::Signature) {
        let parameters = self.all();
        for (index, written) in signature.parameters.iter().enumerate() {
            if let (Some(default), Some(parameter)) = (&written.default, parameters.get(index)) {
                let part = BodyPart::ParameterDefault(u32::try_from(index).unwrap_or(u32::MAX));
                // A default sees the parameters before it, which have their values when it is evaluated; not those after it.
                self.value(part, &parameters[..index], default, parameter.ty.clone());
            }
        }
    }

    fn payload(&mut self, variant: u32, written: &[ast::Parameter], declared: &'db [Parameter]) {
        for (field, (written, declared)) in (0u32..).zip(written.iter().zip(declared)) {
            if let Some(default) = &written.default {
                let part = BodyPart::FieldDefault { variant, field };
                // A field's default sees no other field, so a literal may give the fields in any order.
                self.value(part, &[], default, declared.ty.clone());
            }
        }
    }

    fn record(&mut self, written: &[ast::FieldDeclaration]) {
        let declared = lookup::fields(self.db, self.item);
        let generics = gsw_names::generics_of(self.db, self.item);
        let arguments: Vec<Type> = (0u32..)
            .zip(&generics)
            .map(|(index, it)| Type::Parameter(index, it.clone()))
            .collect();
        let whole = Type::Record(self.item, arguments.into());
        for (field, (written, declared)) in (0u32..).zip(written.iter().zip(declared)) {
            if let Some(default) = &written.default {
                let part = BodyPart::FieldDefault { variant: 0, field };
                self.value(part, &[], default, declared.ty.clone());
            }
            if let Some(check) = &written.check {
                self.check(
                    BodyPart::FieldCheck(field),
                    check,
                    &declared.ty,
                    Some(&whole),
                );
            }
        }
    }

    /// A `where`. On an optional `it` is the value present, and absence passes.
    fn check(&mut self, part: BodyPart, check: &ast::Expression, ty: &Type, whole: Option<&Type>) {
        let span = check.span;
        self.part(part, &[], Type::Bool, |cx| {
            let it = Name::new_static("it");
            let Type::Optional(inner) = ty else {
                declare_hidden(cx, &it, ty.clone(), span);
                declare_whole(cx, whole, span);
                return checked_condition(cx, check);
            };
            // `it` is two locals: the parameter, which may be `none`, and the value present, which the check sees. The result is the
            // check as one arm of a `match` and `true` as the other.
            let given = cx
                .hir
                .locals
                .add(it.clone(), ty.clone(), LocalKind::Parameter, span);
            // Before the hidden local `it`: parameters are the first locals of a body (`parameter_count`).
            declare_whole(cx, whole, span);
            let value = cx.hir.local_value(given, span);
            let present = cx
                .hir
                .locals
                .add(it.clone(), (**inner).clone(), LocalKind::Let, span);
            cx.scopes.name(it, present);
            let body = checked_condition(cx, check);
            let passes = cx.hir.push(ExpressionKind::Bool(true), Type::Bool, span);
            let pattern = |kind, ty: &Type| Pattern {
                kind,
                ty: ty.clone(),
                span,
            };
            let binding = Box::new(pattern(PatternKind::Binding(present), inner));
            let arms = vec![
                Arm {
                    pattern: pattern(PatternKind::Some(binding), ty),
                    guard: None,
                    body,
                },
                Arm {
                    pattern: pattern(PatternKind::Wildcard, ty),
                    guard: None,
                    body: passes,
                },
            ];
            cx.hir
                .push(ExpressionKind::Match { value, arms }, Type::Bool, span)
        });
    }

    fn prompt(&mut self, signature: &ast::Signature, entries: &[ast::PromptEntry]) {
        let mut examples = 0;
        let mut settings = Vec::new();
        let asks_person = self.item.kind(self.db) == ItemKind::Human;
        let is_conversation = conversation::is_conversation(entries);
        if is_conversation {
            self.part(BodyPart::Messages, self.all(), conversation_type(), |cx| {
                conversation::infer_conversation(cx, entries)
            });
        }
        for entry in entries {
            match entry {
                ast::PromptEntry::Text { .. } if is_conversation => {}
                ast::PromptEntry::Text { role, text, span } => self.text(*role, text, *span),
                ast::PromptEntry::Statement(_) => {}
                ast::PromptEntry::Example {
                    arguments,
                    answer,
                    span,
                } => {
                    let said = match is_conversation {
                        true => conversation_type(),
                        false => Type::String,
                    };
                    let example = Example {
                        said,
                        arguments,
                        answer,
                        span: *span,
                    };
                    self.example(examples, example);
                    examples += 1;
                }
                ast::PromptEntry::Setting(setting) if asks_person => self.refuse_setting(setting),
                ast::PromptEntry::Setting(setting) => settings.push(setting.clone()),
            }
        }
        let is_limit = |it: &ast::ModifierKind| matches!(it, ast::ModifierKind::Timeout(_));
        self.refuse_modifiers(signature, |it| !is_limit(it));
        // A question's time limit is in its head.
        for modifier in &signature.modifiers {
            if let ast::ModifierKind::Timeout(value) = &modifier.kind {
                settings.push(ast::Setting {
                    name: ast::Identifier {
                        name: Name::new_static(Setting::Timeout.name()),
                        span: modifier.span,
                    },
                    value: ast::SettingValue::Expression(value.clone()),
                });
            }
        }
        if !settings.is_empty() {
            self.part(BodyPart::Settings, self.all(), Type::Json, |cx| {
                setting::infer_settings(cx, &settings, Origin::Program)
            });
        }
    }

    /// The one `user` or `system` text.
    fn text(&mut self, role: ast::TextRole, text: &ast::Expression, span: Span) {
        let (part, ty) = match role {
            ast::TextRole::User => (BodyPart::User, Type::String),
            // Two of a role, and any `assistant`, make a conversation.
            ast::TextRole::System | ast::TextRole::Assistant => (BodyPart::System, Type::String),
        };
        self.part(part, self.all(), ty.clone(), |cx| {
            conversation::refuse_speaker(&mut cx.hir, role, span);
            match role {
                ast::TextRole::User => literal::user_text(cx, text),
                ast::TextRole::System | ast::TextRole::Assistant => {
                    cx.expression(text, &Expected::Type(ty))
                }
            }
        });
    }

    fn example(&mut self, index: u32, example: Example<'_>) {
        let Example {
            said,
            arguments,
            answer,
            span,
        } = example;
        let result = lookup::signature(self.db, self.item).result.clone();
        let item = self.item;
        let pair = Type::Tuple([said.clone(), Type::Json].into());
        self.part(BodyPart::Example(index), &[], pair.clone(), |cx| {
            let ends = arguments.iter().map(|it| it.value.span).reduce(Span::to);
            let call = Call {
                arguments,
                arguments_span: ends.unwrap_or(span),
                span,
            };
            let arguments = prompt::prompt_arguments(cx, item, call);
            let kind = ExpressionKind::PromptText { item, arguments };
            let text = cx.hir.push(kind, said, span);
            let answer = cx.expression(answer, &Expected::Type(result));
            let answer = literal::as_json(&mut cx.hir, answer);
            cx.hir
                .push(ExpressionKind::Tuple(vec![text, answer]), pair, span)
        });
    }

    /// A body that is one expression.
    fn value(
        &mut self,
        part: BodyPart,
        parameters: &'db [Parameter],
        value: &ast::Expression,
        ty: Type,
    ) {
        self.part(part, parameters, ty.clone(), |cx| {
            cx.expression(value, &Expected::Type(ty))
        });
    }

    /// Infers one body: `work` gives its root, of type `result`.
    pub(super) fn part(
        &mut self,
        part: BodyPart,
        parameters: &'db [Parameter],
        result: Type,
        work: impl FnOnce(&mut Context<'db>) -> ExpressionId,
    ) {
        let count = parameter_count(part, parameters.len());
        self.part_with(part, parameters, count, result, work);
    }

    /// Infers one body whose first `count` locals are its parameters; those that are written nowhere are declared by `work`.
    pub(super) fn part_with(
        &mut self,
        part: BodyPart,
        parameters: &'db [Parameter],
        count: usize,
        result: Type,
        work: impl FnOnce(&mut Context<'db>) -> ExpressionId,
    ) {
        let mut cx = Context {
            db: self.db,
            file: self.item.file(self.db),
            part,
            generics: &lookup::signature(self.db, self.item).generics,
            hir: HirBuilder::new(self.db, self.item),
            scopes: Scopes::default(),
            said: None,
            pattern_names: PatternNames::default(),
        };
        cx.hir.locals.open_frame(Some(result.clone()));
        let is_asked = matches!(
            self.item.kind(self.db),
            gsw_source::ItemKind::Prompt
                | gsw_source::ItemKind::Human
                | gsw_source::ItemKind::External
        );
        for parameter in parameters {
            let mut ty = parameter.ty.clone();
            // The head is reported, and the text that shows it follows from that.
            let is_refused = || holds_secret(self.db, &ty) || has_media_inside(self.db, &ty);
            if is_asked && is_refused() {
                ty = Type::Invalid;
            }
            cx.declare(&parameter.name, ty, LocalKind::Parameter, parameter.span);
        }
        // Each part has a table of its own: nothing that is unknown in one body can be learned from another.
        let root = work(&mut cx);
        zonk::zonk(&mut cx.hir);
        let locals = cx.hir.locals.finish();
        let parameters = (0u32..)
            .map(LocalId)
            .zip(&locals)
            // A lambda's parameters are of the same kind and may follow at once, hence also the `take` below.
            .take_while(|(_, it)| it.kind == LocalKind::Parameter)
            .take(count)
            .map(|(id, _)| id)
            .collect();
        self.found.bodies.push(Arc::new(Body {
            item: self.item,
            part,
            parameters,
            locals,
            expressions: cx.hir.arena.finish(),
            root,
            result,
        }));
        cx.hir.findings.finish(&mut self.found);
    }
}

/// How many locals of a body are its parameters.
fn parameter_count(part: BodyPart, declared: usize) -> usize {
    match part {
        BodyPart::FieldCheck(_) => 2,
        BodyPart::AliasCheck => 1,
        BodyPart::Main
        | BodyPart::ParameterDefault(_)
        | BodyPart::FieldDefault { .. }
        | BodyPart::User
        | BodyPart::System
        | BodyPart::Messages
        | BodyPart::Example(_)
        | BodyPart::Settings
        | BodyPart::Key
        | BodyPart::Handler(_)
        | BodyPart::Rows => declared,
    }
}

/// Declares a parameter that is written nowhere.
pub(super) fn declare_hidden(cx: &mut Context, name: &Name, ty: Type, span: Span) {
    let id = cx
        .hir
        .locals
        .add(name.clone(), ty, LocalKind::Parameter, span);
    cx.scopes.name(name.clone(), id);
}

fn declare_whole(cx: &mut Context, whole: Option<&Type>, span: Span) {
    if let Some(whole) = whole {
        declare_hidden(cx, &Name::new_static("self"), whole.clone(), span);
    }
}

/// The condition of a check.
fn checked_condition(cx: &mut Context, check: &ast::Expression) -> ExpressionId {
    let before = cx.hir.findings.reported();
    let id = cx.expression(check, &Expected::Type(Type::Bool));
    let place = cx.hir.place(check.span);
    if let ast::ExpressionKind::Lambda { parameters, body } = &check.kind
        && let Some(report) = cx.hir.findings.first_error_since(before)
    {
        let is_it = |it: &ast::LambdaParameter| matches!(&it.pattern.kind, ast::PatternKind::Binding(name) if name.name == "it");
        let text = gsw_names::source_text(cx.db, cx.hir.item, body.span);
        let body = parameters.iter().all(is_it).then_some(text);
        habits::check_is_condition(report, place, body.as_deref());
    }
    id
}
