//! One function per instance: its colour, its name, its parameters, its code.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::program::Colour;
use gsw_abi::types::CheckScope;
use gsw_analysis::Waits;
use gsw_infer::Child;
use gsw_infer::children;
use gsw_infer::hir::{Body, BodyPart, ExpressionKind, Lambda};
use gsw_names::types::Type;
use gsw_source::{ItemId, ItemKind};

use crate::instance::{BodyInstance, Instance, LambdaUse};
use crate::ir::{Function, Operand, Terminator};
use crate::lower::Lowering;
use crate::lower::builder::Builder;
use crate::lower::human::Asked;
use crate::lower::variable::Variable;
use crate::program_view::ProgramView;
use crate::types::check_scope;
use crate::waiting::{ArgumentsWait, item_waits};

/// The colour of an instance.
pub(crate) fn colour(view: &dyn ProgramView, instance: &Instance) -> Colour {
    let waits = match instance {
        Instance::Body(body) => body_waits(view, body),
        Instance::Lambda {
            owner,
            expression,
            position,
            purpose,
        } => {
            // What the runtime starts as a task has a frame, also if it never waits.
            *purpose == LambdaUse::Task
                || match view.lambda_waits(owner.item, owner.part, (*expression, *position)) {
                    Some(waits) => waits_with(waits, owner.arguments),
                    // A frame is always right, only slower.
                    None => true,
                }
        }
        Instance::FunctionValue { item, .. } => item_waits(view, *item) != Waits::Never,
        Instance::ConstructorValue { .. } | Instance::Examples { .. } => false,
        // `Default`, `Rows` and `PromptEntry` are called by the runtime alone, which calls in frames.
        Instance::Prompt { .. }
        // Before it answers, the call may be performed outside of the run.
        | Instance::Mock { .. }
        | Instance::PromptEntry { .. }
        | Instance::CalledByModel { .. }
        | Instance::Handler { .. }
        | Instance::Human { .. }
        | Instance::External { .. }
        | Instance::Default { .. }
        | Instance::Rows { .. } => true,
        Instance::PromptText { item } => part_waits(view, *item, BodyPart::User, ArgumentsWait::No),
    };
    if waits {
        Colour::Resumable
    } else {
        Colour::Plain
    }
}

fn body_waits(view: &dyn ProgramView, instance: &BodyInstance) -> bool {
    if instance.part == BodyPart::Main {
        return waits_with(item_waits(view, instance.item), instance.arguments);
    }
    part_waits(view, instance.item, instance.part, instance.arguments)
}

fn part_waits(
    view: &dyn ProgramView,
    item: ItemId,
    part: BodyPart,
    arguments: ArgumentsWait,
) -> bool {
    waits_with(view.part_waits(item, part), arguments)
}

fn waits_with(waits: Waits, arguments: ArgumentsWait) -> bool {
    match waits {
        Waits::Always => true,
        Waits::Never => false,
        // Compiled twice where it is called both ways: without waiting arguments it is plain code, which is faster.
        Waits::WithArguments => arguments == ArgumentsWait::Yes,
    }
}

impl<'v> Lowering<'v> {
    /// The code of an instance.
    pub fn lower_instance(&mut self, instance: &Instance) -> Function {
        let colour = self.colour(instance);
        match instance {
            Instance::Body(body) => self.lower_body(body, colour),
            Instance::Lambda {
                owner,
                expression,
                position,
                ..
            } => self.lower_lambda(owner, *expression, *position, colour),
            Instance::Mock { owner, outcome } => self.lower_mock(owner, *outcome, colour),
            Instance::FunctionValue {
                item,
                type_arguments,
            } => self.lower_function_value(*item, type_arguments, colour),
            Instance::ConstructorValue {
                item,
                variant,
                result,
            } => self.lower_constructor_value(*item, *variant, result),
            Instance::Prompt { item, form } => self.lower_prompt(*item, *form),
            Instance::PromptEntry { item } => self.lower_prompt_entry(*item),
            Instance::CalledByModel { item } => self.lower_called_by_model(*item),
            Instance::Handler {
                item,
                index,
                moment,
            } => self.lower_handler(*item, *index, *moment),
            Instance::PromptText { item } => self.lower_prompt_text(*item, colour),
            Instance::Examples { item } => self.lower_examples(*item),
            Instance::Default { item, parameter } => self.lower_default(*item, *parameter),
            Instance::Human { item } => self.lower_question(*item, Asked::Person),
            Instance::External { item } => self.lower_question(*item, Asked::Outside),
            Instance::Rows { item } => self.lower_rows(*item),
        }
    }

    /// What an instance is called in traces.
    pub fn instance_name(&self, instance: &Instance) -> String {
        let (item, suffix) = match instance {
            Instance::Body(body) => (body.item, part_suffix(body.part)),
            Instance::Lambda { owner, .. } => (owner.item, " lambda".to_owned()),
            Instance::Mock { owner, .. } => (owner.item, " mock".to_owned()),
            Instance::FunctionValue { item, .. } | Instance::ConstructorValue { item, .. } => {
                (*item, " value".to_owned())
            }
            Instance::PromptEntry { item } => (*item, " from outside".to_owned()),
            Instance::CalledByModel { item } => (*item, " as a tool".to_owned()),
            Instance::Handler { item, moment, .. } => (*item, format!(".{}", moment.name())),
            Instance::PromptText { item } => (*item, " text".to_owned()),
            Instance::Examples { item } => (*item, " examples".to_owned()),
            Instance::Default { item, parameter } => {
                let part = BodyPart::ParameterDefault(*parameter);
                (*item, part_suffix(part) + " from outside")
            }
            Instance::Rows { item } => (*item, part_suffix(BodyPart::Rows) + " from outside"),
            Instance::Prompt { item, .. }
            | Instance::Human { item }
            | Instance::External { item } => (*item, String::new()),
        };
        let db = self.view.db();
        let module = self.view.module(item.file(db));
        let module = module
            .strip_prefix("std/")
            .unwrap_or(&module)
            .replace('/', ".");
        format!("{module}.{}{suffix}", item.name(db))
    }

    /// Begins a function of `item` whose code no body holds.
    pub fn builder(&mut self, item: ItemId, part: BodyPart, colour: Colour) -> Builder<'_, 'v> {
        let body = self
            .view
            .body(item, part)
            .unwrap_or_else(|| Arc::new(empty_body(item)));
        let owner = BodyInstance {
            item,
            part,
            type_arguments: Vec::new(),
            arguments: ArgumentsWait::Yes,
        };
        Builder::new(self, body, owner, colour)
    }

    fn lower_body(&mut self, instance: &BodyInstance, colour: Colour) -> Function {
        let body = self.view.body(instance.item, instance.part);
        let body = body.unwrap_or_else(|| Arc::new(empty_body(instance.item)));
        let kind = instance.item.kind(self.view.db());
        // Known already, or it would not be lowered: this only looks up its number.
        let own = self.instance(Instance::Body(instance.clone()));
        let mut builder = Builder::new(self, body, instance.clone(), colour);
        builder.bind_parameters();
        match kind {
            // Its number is the key under which a run keeps the value.
            ItemKind::Const => builder.constant_body(own),
            ItemKind::Workflow if instance.part == BodyPart::Main => builder.workflow(),
            ItemKind::Tool if instance.part == BodyPart::Main => builder.tool(),
            ItemKind::Test if instance.part == BodyPart::Main => builder.test_body(),
            ItemKind::Function if instance.part == BodyPart::Main => {
                builder.mockable_here();
                builder.whole_body();
            }
            // Their other parts: defaults, checks, texts, settings, keys.
            ItemKind::Import
            | ItemKind::Function
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::External
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => builder.whole_body(),
        }
        builder.finish()
    }

    fn lower_lambda(
        &mut self,
        owner: &BodyInstance,
        expression: gsw_infer::hir::ExpressionId,
        position: u32,
        colour: Colour,
    ) -> Function {
        let body = self.view.body(owner.item, owner.part);
        let body = body.unwrap_or_else(|| Arc::new(empty_body(owner.item)));
        let mut builder = Builder::new(self, Arc::clone(&body), owner.clone(), colour);
        if let Some(lambda) = lambda_at(&body, expression, position) {
            // Begun with the span of the whole body; traces must name the lambda.
            builder.span = body.expression(lambda.body).span;
            builder.lambda_code(lambda);
        }
        builder.finish()
    }
}

/// Lambda number `position` of the expression with this id.
pub(crate) fn lambda_at(
    body: &Body,
    expression: gsw_infer::hir::ExpressionId,
    position: u32,
) -> Option<&Lambda> {
    children(&body.expression(expression).kind)
        .into_iter()
        .find_map(|it| match it {
            Child::Closure(lambda, found) if found == position => Some(lambda),
            Child::Closure(..) | Child::Inline(_) => None,
        })
}

fn part_suffix(part: BodyPart) -> String {
    match part {
        BodyPart::Main => String::new(),
        BodyPart::ParameterDefault(index) => format!(" default {index}"),
        BodyPart::FieldDefault { variant, field } => format!(" default {variant}.{field}"),
        BodyPart::FieldCheck(index) => format!(" check {index}"),
        BodyPart::AliasCheck => " check".to_owned(),
        BodyPart::User => " user".to_owned(),
        BodyPart::System => " system".to_owned(),
        BodyPart::Messages => " messages".to_owned(),
        BodyPart::Example(index) => format!(" example {index}"),
        BodyPart::Settings => " settings".to_owned(),
        BodyPart::Key => " key".to_owned(),
        BodyPart::Handler(index) => format!(" handler {index}"),
        BodyPart::Rows => " rows".to_owned(),
    }
}

/// A body that gives `()`.
fn empty_body(item: ItemId) -> Body {
    Body {
        item,
        part: BodyPart::Main,
        parameters: Vec::new(),
        locals: Vec::new(),
        expressions: vec![gsw_infer::hir::Expression {
            kind: ExpressionKind::Unit,
            ty: Type::Unit,
            span: gsw_source::Span::default(),
        }],
        root: gsw_infer::hir::ExpressionId(0),
        result: Type::Unit,
    }
}

impl Builder<'_, '_> {
    /// Makes the body's parameters the function's.
    pub fn bind_parameters(&mut self) {
        let body = Arc::clone(&self.body);
        for (index, &local) in body.parameters.iter().enumerate() {
            let declared = body.local(local);
            // Parameter 0 of a field's check is the field, parameter 1 the record around it.
            let unread = index == 1
                && matches!(body.part, BodyPart::FieldCheck(_))
                && check_scope(&body) == CheckScope::Value;
            // A check that names no sibling is given 0 for the record, which must not be counted.
            let ty = if unread {
                builtin::INT
            } else {
                let ty = self.concrete(&declared.ty);
                self.type_id(&ty)
            };
            let parameter = self.parameter(ty, &declared.name);
            self.variables.bind(local, Variable::Local(parameter));
        }
    }

    /// The whole body as the function's code.
    pub fn whole_body(&mut self) {
        let body = Arc::clone(&self.body);
        self.mark_expression(body.root);
        let value = self.expression(body.root);
        let value = self.returned(value, &self.concrete(&body.result));
        self.end(Terminator::Return(value));
    }

    /// What code that gives a `result` returns after it has evaluated `value`: without a result the value is dropped.
    pub fn returned(&self, value: Operand, result: &Type) -> Operand {
        if matches!(result, Type::Unit | Type::Never) {
            Operand::Word(0)
        } else {
            value
        }
    }
}
