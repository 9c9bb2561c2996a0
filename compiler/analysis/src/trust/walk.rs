//! Walks the bodies of one item: the label of each expression.

mod call;
mod function;
mod statement;

use std::collections::BTreeMap;

use gsw_infer::hir::{Arm, Body, BodyPart, ExpressionId, ExpressionKind, LocalId, Part};
use gsw_infer::{ItemBodies, modifier_expressions};
use gsw_names::types::Type;
use gsw_names::{Presence, Signature, item_signature};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place, Span};

use self::function::can_hold_function;
use super::label::Label;
use super::origin::has_body;
use super::{ItemTrust, Unit, Walked};
use crate::errors;
use crate::summary::fills;

/// What is known of a body by now.
#[derive(Default)]
pub(super) struct Known {
    locals: Vec<Label>,
    /// Of functions that are written where they are handed over: by where.
    functions: BTreeMap<ExpressionId, Label>,
}

/// A walk of an item.
pub(super) struct ItemWalk<'u, 'a> {
    unit: &'u mut Unit<'a>,
    item: ItemId,
    bodies: &'a ItemBodies,
    signature: &'a Signature,
    /// Of the parameters that are left out.
    defaults: BTreeMap<u32, Label>,
    trust: ItemTrust,
    reports: BTreeMap<(u32, u32), Diagnostic>,
    body: &'a Body,
    known: Known,
    /// Whether more is known than at the beginning of the walk.
    has_learnt: bool,
    /// What is returned, of the item and of each lambda around: as many as the depth.
    returns: Vec<Label>,
    /// How deep each `var` is declared.
    depths: BTreeMap<LocalId, u32>,
}

/// The message of an error may come from outside.
const ERROR: &str = "what an error says";

/// A function that is kept may be called from anywhere.
const HANDED: &str = "what a function is given that is kept";

impl<'u, 'a> ItemWalk<'u, 'a> {
    pub(super) fn new(
        unit: &'u mut Unit<'a>,
        item: ItemId,
        bodies: &'a ItemBodies,
        body: &'a Body,
    ) -> Self {
        let signature = &item_signature(unit.db, item).signature;
        Self {
            unit,
            item,
            bodies,
            signature,
            defaults: BTreeMap::new(),
            trust: ItemTrust::default(),
            reports: BTreeMap::new(),
            body,
            known: Known::default(),
            has_learnt: false,
            returns: Vec::new(),
            depths: BTreeMap::new(),
        }
    }

    fn db(&self) -> &'a dyn Db {
        self.unit.db
    }

    pub(super) fn run(&mut self) {
        // Defaults first: the body does not know which of its parameters were left out.
        let is_default =
            |it: &&std::sync::Arc<Body>| matches!(it.part, BodyPart::ParameterDefault(_));
        let bodies = &self.bodies.bodies;
        for body in bodies
            .iter()
            .filter(is_default)
            .chain(bodies.iter().filter(|it| !is_default(it)))
        {
            match body.part {
                BodyPart::ParameterDefault(_)
                | BodyPart::Main
                | BodyPart::Handler(_)
                | BodyPart::FieldDefault { .. }
                | BodyPart::FieldCheck(_)
                | BodyPart::AliasCheck
                | BodyPart::User
                | BodyPart::System
                | BodyPart::Messages
                | BodyPart::Settings
                | BodyPart::Key => self.walk_body(body),
                // The program has written them.
                BodyPart::Example(_) | BodyPart::Rows => {}
            }
        }
    }

    pub(super) fn finish(self) -> Walked {
        Walked {
            trust: self.trust,
            reports: self.reports,
        }
    }

    fn walk_body(&mut self, body: &'a Body) {
        self.body = body;
        let key = (self.item, body.part);
        self.known = self.unit.bodies.remove(&key).unwrap_or_default();
        self.known
            .locals
            .resize_with(body.locals.len(), Label::default);
        self.depths.clear();
        self.learn_parameters();
        let result = loop {
            self.has_learnt = false;
            self.returns.push(Label::default());
            let mut result = self.expression(body.root);
            result.join(&self.returns.pop().unwrap_or_default());
            if !self.has_learnt {
                break result;
            }
        };
        if body.part == BodyPart::Settings {
            self.environment(body.root);
        }
        self.unit
            .bodies
            .insert(key, std::mem::take(&mut self.known));
        let name = self.item.name(self.db());
        let span = body.expression(body.root).span;
        match body.part {
            BodyPart::Main => {
                let is_held = has_body(self.db(), self.item);
                if is_held && self.signature.trusted == Presence::Present {
                    self.demand(&result, span, &format!("the result of `{name}`"));
                }
                self.trust.result.join(&result);
            }
            BodyPart::ParameterDefault(index) => {
                let parameter = &self.signature.parameters[index as usize];
                if parameter.trusted == Presence::Present {
                    self.demand(&result, span, &format!("`{}` of `{name}`", parameter.name));
                } else {
                    self.defaults.insert(index, result);
                }
            }
            BodyPart::User | BodyPart::System | BodyPart::Messages | BodyPart::Settings => {
                self.trust.says.join(&result);
            }
            BodyPart::FieldDefault { .. } => {
                self.trust.defaults.insert(body.part, result);
            }
            BodyPart::Handler(_)
            | BodyPart::FieldCheck(_)
            | BodyPart::AliasCheck
            | BodyPart::Example(_)
            | BodyPart::Key
            | BodyPart::Rows => {}
        }
    }

    fn learn_parameters(&mut self) {
        let given_by_others = self.given_by_others();
        for (index, local) in (0u32..).zip(&self.body.parameters) {
            let span = self.body.local(*local).span;
            if let Some(what) = given_by_others {
                self.learn(*local, &Label::foreign(span, what));
                continue;
            }
            let declared = self.signature.parameters.get(index as usize);
            let is_trusted = declared.is_some_and(|it| it.trusted == Presence::Present);
            // Of a function it is to be known whose it is.
            if is_trusted && !can_hold_function(self.db(), &self.body.local(*local).ty) {
                continue;
            }
            let mut label = Label::parameter(index);
            if let Some(default) = self.defaults.get(&index) {
                label.join(default);
            }
            self.learn(*local, &label);
        }
    }

    /// What the parameters of a body hold that are not the declaration's.
    fn given_by_others(&self) -> Option<&'static str> {
        match self.body.part {
            BodyPart::Handler(_) => Some("what a hook is given"),
            // Any value of the type is checked, a model's answer too.
            BodyPart::FieldCheck(_) | BodyPart::AliasCheck => Some("what a `where` looks at"),
            BodyPart::Main
            | BodyPart::ParameterDefault(_)
            | BodyPart::FieldDefault { .. }
            | BodyPart::User
            | BodyPart::System
            | BodyPart::Messages
            | BodyPart::Example(_)
            | BodyPart::Settings
            | BodyPart::Key
            | BodyPart::Rows => None,
        }
    }

    fn learn(&mut self, local: LocalId, label: &Label) {
        let known = &mut self.known.locals[local.0 as usize];
        let before = known.clone();
        known.join(label);
        self.has_learnt |= *known != before;
    }

    /// A value flows to a place that accepts only trusted ones.
    fn demand(&mut self, label: &Label, span: Span, wanted: &str) {
        let is_tool = self.item.kind(self.db()) == ItemKind::Tool;
        let is_given_by_model = is_tool || self.unit.given.contains(&self.item);
        let parameters = (0u32..).zip(&self.signature.parameters);
        // Callers are held to those that are `trusted` already.
        let mut given = parameters.filter(|(index, it)| {
            it.trusted == Presence::Absent && label.parameters.contains(*index)
        });
        // The caller of a function answers for what happens to its arguments; a model answers for nothing.
        let first = if is_given_by_model {
            given.next()
        } else {
            let needs = &mut self.trust.needs;
            given.for_each(|(index, _)| {
                needs.entry(index).or_insert_with(|| wanted.to_owned());
            });
            None
        };
        let handed = label.handed.values().next();
        let (what, from) = match (&label.foreign, handed, first) {
            (Some(source), _, _) => (source.what.clone(), source.span),
            (None, Some(kept), _) => (HANDED.to_owned(), *kept),
            (None, None, Some((_, it))) => {
                (format!("`{}`, which a model gives,", it.name), it.span)
            }
            (None, None, None) => return,
        };
        let place = |span| Place::Item {
            item: self.item,
            span,
        };
        let report = errors::untrusted_value(place(span), wanted, &what, place(from));
        self.reports.entry((span.start, span.end)).or_insert(report);
    }

    fn all(&mut self, them: impl IntoIterator<Item = ExpressionId>) -> Label {
        let mut joined = Label::default();
        for id in them {
            let label = self.expression(id);
            joined.join(&label);
        }
        joined
    }

    /// Walks what decides and says nothing of the value.
    fn pass(&mut self, them: impl IntoIterator<Item = ExpressionId>) {
        self.all(them);
    }

    fn expression(&mut self, id: ExpressionId) -> Label {
        let expression = self.body.expression(id);
        let mut label = self.kind(&expression.kind, expression.span);
        let is_made = matches!(expression.kind, ExpressionKind::ErrorValue { .. });
        if expression.ty == Type::Error && !is_made {
            label.join(&Label::foreign(expression.span, ERROR));
        }
        label
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    fn kind(&mut self, kind: &'a ExpressionKind, span: Span) -> Label {
        use ExpressionKind as Kind;
        match kind {
            Kind::Int(_)
            | Kind::Float(_)
            | Kind::Bool(_)
            | Kind::None
            | Kind::Unit
            | Kind::Duration(_)
            | Kind::String(_)
            | Kind::ConstructorValue { .. }
            | Kind::OfferedTool { .. }
            | Kind::Break
            | Kind::Continue
            | Kind::Invalid => Label::default(),
            Kind::Local(local) => self.known.locals[local.0 as usize].clone(),
            Kind::Constant(item) => self.result_of(*item, &[], span),
            // It is kept, and may be called with anything.
            Kind::FunctionValue { item, .. } => {
                self.function_called(*item, &self.handed(span), span)
            }
            Kind::Lambda(lambda) => self.lambda_called(lambda, &self.handed(span)),
            Kind::Field { base: it, .. }
            | Kind::TupleField { base: it, .. }
            | Kind::JsonField { base: it, .. }
            | Kind::Unary { operand: it, .. }
            | Kind::Coerce { value: it, .. }
            | Kind::As(it)
            | Kind::Await(it)
            | Kind::Race { tasks: it, .. } => self.expression(*it),
            Kind::Fail(it) | Kind::Emit(it) => {
                self.pass([*it]);
                Label::default()
            }
            Kind::Index { base, index } => {
                self.pass([*index]);
                self.expression(*base)
            }
            Kind::Binary { left, right, .. } => self.all([*left, *right]),
            Kind::In { value, container } => self.all([*value, *container]),
            Kind::Otherwise { value, fallback } => self.all([*value, *fallback]),
            Kind::Range { start, end, .. } => self.all([*start, *end]),
            Kind::Chain { base, local, body } => {
                let label = self.expression(*base);
                self.learn(*local, &label);
                self.expression(*body)
            }
            Kind::List(them) | Kind::Tuple(them) => self.all(them.iter().copied()),
            Kind::Map(entries) => self.all(entries.iter().flat_map(|(key, it)| [*key, *it])),
            Kind::Interpolation(parts) => self.all(parts.iter().filter_map(|it| match it {
                Part::Expression(it) => Some(*it),
                Part::Text(_) => None,
            })),
            Kind::Record {
                item, fields, base, ..
            } => {
                let mut label = self.all(fields.iter().map(|it| it.1).chain(*base));
                label.join(&self.left_out(*item, kind, span));
                label
            }
            Kind::Variant { item, fields, .. } | Kind::ErrorValue { item, fields } => {
                let mut label = self.all(fields.iter().map(|it| it.1));
                label.join(&self.left_out(*item, kind, span));
                label
            }
            Kind::If {
                condition,
                then,
                otherwise,
            } => {
                self.pass([*condition]);
                self.all([*then].into_iter().chain(*otherwise))
            }
            Kind::Matches { value, pattern } => {
                let label = self.expression(*value);
                self.bind(pattern, &label);
                Label::default()
            }
            Kind::Match { value, arms } => {
                let label = self.expression(*value);
                self.arms(arms, &label)
            }
            Kind::Catch { value, arms } => {
                let mut label = self.expression(*value);
                // What is caught is an error, of which reading says where it comes from.
                label.join(&self.arms(arms, &Label::default()));
                label
            }
            Kind::Block { statements, tail } => {
                statements.iter().for_each(|it| self.statement(it));
                tail.map_or_else(Label::default, |it| self.expression(it))
            }
            Kind::For {
                pattern,
                iterable,
                body,
            } => {
                let mut label = self.expression(*iterable);
                if matches!(self.body.expression(*iterable).ty, Type::Queue(_)) {
                    label.join(&Label::foreign(span, "what comes through a queue"));
                }
                self.bind(pattern, &label);
                self.pass([*body]);
                Label::default()
            }
            Kind::While { condition, body } => {
                self.pass([*condition, *body]);
                Label::default()
            }
            Kind::Return(value) => {
                let label = self.all(*value);
                if let Some(returned) = self.returns.last_mut() {
                    returned.join(&label);
                }
                Label::default()
            }
            Kind::Call { callee, arguments } => self.call(callee, arguments, span),
            Kind::PromptCall {
                item,
                arguments,
                agent: _,
                settings,
                given,
                session,
                turn: _,
                mode: _,
                improving,
            } => {
                given.iter().for_each(|it| self.unit.note_given(*it));
                self.pass(settings.iter().chain(session).copied());
                settings.iter().for_each(|it| self.call_settings(*it));
                self.pass(improving.iter().flat_map(|it| [it.0, it.1]));
                self.call_item(*item, arguments, span)
            }
            Kind::PromptText { arguments, .. } => {
                self.pass(arguments.iter().map(|it| it.1));
                Label::default()
            }
            Kind::SpawnDetached {
                item,
                arguments,
                id,
            } => {
                self.arguments_of(*item, arguments, span);
                // The run has the id that it is given, word for word.
                self.all(*id)
            }
            Kind::Spawn(lambda) => self.lambda(lambda),
            Kind::Undo(lambda) => {
                self.lambda(lambda);
                Label::default()
            }
            Kind::ParallelFor {
                iterable,
                limit,
                policy: _,
                body,
            } => {
                self.pass(*limit);
                let label = self.expression(*iterable);
                self.lambda_called(body, &label)
            }
            Kind::Parallel {
                branches,
                policy: _,
            } => {
                let mut joined = Label::default();
                for lambda in branches {
                    joined.join(&self.lambda(lambda));
                }
                joined
            }
            Kind::Step {
                was,
                name,
                modifiers,
                body,
            } => {
                self.pass(was.iter().chain([name]).copied());
                self.pass(modifier_expressions(modifiers));
                self.expression(*body)
            }
            Kind::Modified { modifiers, body } => {
                self.pass(modifier_expressions(modifiers));
                self.expression(*body)
            }
        }
    }

    /// Of the defaults of the fields that are left out where a value is made.
    fn left_out(&mut self, item: ItemId, made: &ExpressionKind, span: Span) -> Label {
        let known = self.unit.of(item, self.item);
        let mut joined = Label::default();
        for (_, label) in known.defaults.iter().filter(|it| fills(*it.0, made)) {
            joined.join(&label.called(&[], span, item.name(self.db())));
        }
        joined
    }

    fn arms(&mut self, arms: &'a [Arm], matched: &Label) -> Label {
        let mut joined = Label::default();
        for arm in arms {
            self.bind(&arm.pattern, matched);
            self.pass(arm.guard);
            joined.join(&self.expression(arm.body));
        }
        joined
    }
}
