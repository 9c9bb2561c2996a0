//! The names that an item mentions and that may be looked up outside of it; tells which imports are used.

use std::collections::BTreeSet;

use gsw_source::{Db, ItemId, Name};
use gsw_syntax::ast::{
    Argument, AssertExpectation, Attribute, Block, Expression, ExpressionKind, ItemBody, MatchArm,
    MockOutcome, Modifier, ModifierKind, Parameter, Pattern, PatternKind, PromptEntry, RepeatClass,
    Setting, SettingValue, Signature, Statement, StatementKind, StringPart, TypeExpression,
    TypeExpressionKind,
};
use gsw_syntax::item_ast;

/// Every name in `item` that is looked up: more than are used, since locals are not told apart.
#[salsa::tracked(returns(ref))]
pub(crate) fn mentioned_names(db: &dyn Db, item: ItemId) -> BTreeSet<Name> {
    let mut names = Mentions(BTreeSet::new());
    if let Some(tree) = item_ast(db, item) {
        names.attributes(&tree.attributes);
        names.item(&tree.body);
    }
    names.0
}

struct Mentions(BTreeSet<Name>);

impl Mentions {
    fn name(&mut self, name: &Name) {
        self.0.insert(name.clone());
    }

    fn item(&mut self, body: &ItemBody) {
        match body {
            ItemBody::Function(it) => {
                self.signature(&it.signature);
                it.body.iter().for_each(|it| self.block(it));
            }
            ItemBody::Record(it) => {
                for field in &it.fields {
                    self.ty(&field.ty);
                    field
                        .default
                        .iter()
                        .chain(&field.check)
                        .for_each(|it| self.expression(it));
                }
            }
            ItemBody::Alias { target, check, .. } => {
                self.ty(target);
                check.iter().for_each(|it| self.expression(it));
            }
            ItemBody::Enum(it) => it
                .variants
                .iter()
                .for_each(|it| self.parameters(&it.fields)),
            ItemBody::Error(it) => self.parameters(&it.fields),
            ItemBody::Const(it) => {
                it.ty.iter().for_each(|it| self.ty(it));
                self.expression(&it.value);
            }
            ItemBody::Agent { settings, .. } | ItemBody::Permissions { settings } => {
                self.settings(settings)
            }
            ItemBody::Prompt { signature, entries } | ItemBody::Human { signature, entries } => {
                self.signature(signature);
                entries.iter().for_each(|it| self.entry(it));
            }
            ItemBody::Workflow { signature, body } => {
                self.signature(signature);
                self.block(body);
            }
            ItemBody::Tool { signature, body } => {
                self.signature(signature);
                body.iter().for_each(|it| self.block(it));
            }
            ItemBody::Mcp { transport, .. } => self.expression(transport),
            ItemBody::Hook { handlers, .. } => handlers.iter().for_each(|it| self.block(&it.body)),
            ItemBody::Test { cassette, body, .. } => {
                cassette.iter().for_each(|it| self.expression(it));
                self.block(body);
            }
            ItemBody::Import(_) | ItemBody::Skill { .. } | ItemBody::Invalid => {}
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        let arguments = attributes.iter().flat_map(|it| &it.arguments);
        arguments.for_each(|it| self.expression(it));
    }

    fn signature(&mut self, signature: &Signature) {
        self.parameters(&signature.parameters);
        let throws = signature.throws.iter().flatten();
        signature
            .result
            .iter()
            .chain(throws)
            .for_each(|it| self.ty(it));
        signature.by.iter().for_each(|it| self.expression(it));
        if let Some(RepeatClass::Idempotent(key)) = &signature.repeat {
            self.expression(key);
        }
        self.modifiers(&signature.modifiers);
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        for parameter in parameters {
            parameter.ty.iter().for_each(|it| self.ty(it));
            parameter.default.iter().for_each(|it| self.expression(it));
        }
    }

    fn entry(&mut self, entry: &PromptEntry) {
        match entry {
            PromptEntry::System(it) | PromptEntry::User(it) => self.expression(it),
            PromptEntry::Example {
                arguments, answer, ..
            } => {
                self.arguments(arguments);
                self.expression(answer);
            }
            PromptEntry::Setting(it) => self.settings(std::slice::from_ref(it)),
        }
    }

    fn settings(&mut self, settings: &[Setting]) {
        for setting in settings {
            match &setting.value {
                SettingValue::Expression(it) => self.expression(it),
                SettingValue::Settings { settings, .. } => self.settings(settings),
            }
        }
    }

    fn ty(&mut self, ty: &TypeExpression) {
        match &ty.kind {
            TypeExpressionKind::Named { path, arguments } => {
                path.iter().take(1).for_each(|it| self.name(&it.name));
                arguments.iter().for_each(|it| self.ty(it));
            }
            TypeExpressionKind::Optional(it) | TypeExpressionKind::List(it) => self.ty(it),
            TypeExpressionKind::Map { key, value } => {
                self.ty(key);
                self.ty(value);
            }
            TypeExpressionKind::Tuple(them) | TypeExpressionKind::Union(them) => {
                them.iter().for_each(|it| self.ty(it));
            }
            TypeExpressionKind::Function(it) => {
                let throws = it.throws.iter().flatten();
                it.parameters
                    .iter()
                    .chain(&it.result)
                    .chain(throws)
                    .for_each(|it| self.ty(it));
            }
            TypeExpressionKind::Unit
            | TypeExpressionKind::Literal(_)
            | TypeExpressionKind::Invalid => {}
        }
    }

    fn block(&mut self, block: &Block) {
        block.statements.iter().for_each(|it| self.statement(it));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let { pattern, ty, value }
            | StatementKind::Var { pattern, ty, value } => {
                self.pattern(pattern);
                ty.iter().for_each(|it| self.ty(it));
                self.expression(value);
            }
            StatementKind::State { ty, value, .. } => {
                self.ty(ty);
                self.expression(value);
            }
            StatementKind::Assign { target, value, .. } => {
                self.expression(target);
                self.expression(value);
            }
            StatementKind::Expression(it) => self.expression(it),
            StatementKind::Defer(it) => self.block(it),
            StatementKind::Assert {
                value,
                expectation,
                message,
            } => {
                self.expression(value);
                message.iter().for_each(|it| self.expression(it));
                if let AssertExpectation::Fails(pattern) = expectation {
                    self.pattern(pattern);
                }
            }
            StatementKind::Mock {
                target,
                arguments,
                outcome,
                ..
            } => {
                target.iter().take(1).for_each(|it| self.name(&it.name));
                arguments.iter().for_each(|it| self.pattern(&it.pattern));
                let MockOutcome::Value(value) = outcome;
                self.expression(value);
            }
            StatementKind::Invalid => {}
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Variant { path, fields, .. } => {
                path.iter().take(1).for_each(|it| self.name(&it.name));
                fields
                    .iter()
                    .flatten()
                    .for_each(|it| self.pattern(&it.pattern));
            }
            PatternKind::Record { path, fields, .. } => {
                path.iter().take(1).for_each(|it| self.name(&it.name));
                fields.iter().for_each(|it| self.pattern(&it.pattern));
            }
            PatternKind::Tuple(parts) | PatternKind::Or(parts) => {
                parts.iter().for_each(|it| self.pattern(it))
            }
            PatternKind::List { before, after, .. } => {
                before.iter().chain(after).for_each(|it| self.pattern(it));
            }
            PatternKind::Wildcard
            | PatternKind::Binding(_)
            | PatternKind::Literal(_)
            | PatternKind::Range { .. }
            | PatternKind::Invalid => {}
        }
    }

    fn arms(&mut self, arms: &[MatchArm]) {
        for arm in arms {
            self.pattern(&arm.pattern);
            arm.guard.iter().for_each(|it| self.expression(it));
            self.expression(&arm.body);
        }
    }

    fn arguments(&mut self, arguments: &[Argument]) {
        arguments.iter().for_each(|it| self.expression(&it.value));
    }

    fn modifiers(&mut self, modifiers: &[Modifier]) {
        for modifier in modifiers {
            match &modifier.kind {
                ModifierKind::Timeout(it) | ModifierKind::Limit(it) => self.expression(it),
                ModifierKind::Retry {
                    count,
                    backoff,
                    max,
                } => {
                    self.expression(count);
                    backoff.iter().chain(max).for_each(|it| self.expression(it));
                }
                ModifierKind::Reflect { count, with } => {
                    self.expression(count);
                    with.iter().for_each(|it| self.expression(it));
                }
                ModifierKind::Budget(arguments) => self.arguments(arguments),
                ModifierKind::Errors(_) => {}
            }
        }
    }

    fn all<'a>(&mut self, them: impl IntoIterator<Item = &'a Expression>) {
        them.into_iter().for_each(|it| self.expression(it));
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    fn expression(&mut self, expression: &Expression) {
        use ExpressionKind as Kind;
        match &expression.kind {
            Kind::Name(name) => self.name(name),
            Kind::Field { base: it, .. }
            | Kind::TupleField { base: it, .. }
            | Kind::AllOf(it)
            | Kind::Parenthesized(it)
            | Kind::Unary { operand: it, .. }
            | Kind::Fail(it)
            | Kind::Emit(it)
            | Kind::Spawn(it)
            | Kind::SpawnDetached(it)
            | Kind::Await(it)
            | Kind::Race(it)
            | Kind::Revise(it) => self.expression(it),
            Kind::Index { base, index } => self.all([&**base, index]),
            Kind::Range { start, end, .. } => self.all([&**start, end]),
            Kind::Binary { left, right, .. } => self.all([&**left, right]),
            Kind::By { call, agent } => self.all([&**call, agent]),
            Kind::Return(value) => self.all(value.as_deref()),
            Kind::List(them) | Kind::Tuple(them) | Kind::Parallel(them) => self.all(them),
            Kind::Map(entries) => self.all(entries.iter().flat_map(|it| [&it.key, &it.value])),
            Kind::Literal(_) | Kind::Unit | Kind::Break | Kind::Continue | Kind::Invalid => {}
            Kind::Interpolation(parts) => self.all(parts.iter().filter_map(|it| match it {
                StringPart::Expression(it) => Some(it),
                StringPart::Text(_) => None,
            })),
            Kind::Call {
                callee, arguments, ..
            } => {
                self.expression(callee);
                self.arguments(arguments);
            }
            Kind::Record { path, fields, base } => {
                path.iter().take(1).for_each(|it| self.name(&it.name));
                // A field without a value names a local or a constant.
                fields
                    .iter()
                    .filter(|it| it.value.is_none())
                    .for_each(|it| self.name(&it.name.name));
                self.all(fields.iter().filter_map(|it| it.value.as_ref()));
                self.all(base.as_deref());
            }
            Kind::As { value, ty } => {
                self.expression(value);
                self.ty(ty);
            }
            Kind::With { call, settings } => {
                self.expression(call);
                self.settings(settings);
            }
            Kind::Reflect {
                call,
                max,
                until,
                by,
            } => {
                self.expression(call);
                self.all([max, until, by].into_iter().flatten().map(Box::as_ref));
            }
            Kind::Lambda { parameters, body } => {
                for parameter in parameters {
                    self.pattern(&parameter.pattern);
                    parameter.ty.iter().for_each(|it| self.ty(it));
                }
                self.expression(body);
            }
            Kind::ParallelFor {
                pattern,
                iterable,
                modifiers,
                body,
            } => {
                self.pattern(pattern);
                self.expression(iterable);
                self.modifiers(modifiers);
                self.block(body);
            }
            Kind::Step {
                name,
                modifiers,
                body,
            } => {
                self.expression(name);
                self.modifiers(modifiers);
                self.block(body);
            }
            Kind::Modified { modifiers, body } => {
                self.modifiers(modifiers);
                self.block(body);
            }
            Kind::Catch { value, arms } | Kind::Match { value, arms } => {
                self.expression(value);
                self.arms(arms);
            }
            Kind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expression(condition);
                self.block(then);
                self.all(otherwise.as_deref());
            }
            Kind::IfLet {
                pattern,
                value,
                then,
                otherwise,
            } => {
                self.pattern(pattern);
                self.expression(value);
                self.block(then);
                self.all(otherwise.as_deref());
            }
            Kind::Do(block) => self.block(block),
            Kind::For {
                pattern,
                iterable,
                body,
            } => {
                self.pattern(pattern);
                self.expression(iterable);
                self.block(body);
            }
            Kind::While { condition, body } => {
                self.expression(condition);
                self.block(body);
            }
        }
    }
}
