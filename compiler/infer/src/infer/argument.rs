//! Arguments: which parameter each one is for, and what flows between them and the type arguments.

use gsw_names::types::{FunctionType, Type};
use gsw_names::{Parameter, Presence, substitute};
use gsw_source::{Name, Span, meant};
use gsw_syntax::ast;

use crate::errors::calls as errors;
use crate::hir::ExpressionId;
use crate::infer::call::Call;
use crate::infer::context::{Context, Expected};
use crate::infer::table::Table;
use crate::item_bodies::Reference;

/// What a call's arguments are for.
#[derive(Clone, Copy)]
pub(super) struct Formal<'a> {
    pub(super) parameters: &'a [Parameter],
    /// How many of the first parameters already have a value: a method's receiver.
    pub(super) taken: usize,
    /// What stands for the type parameters in the parameters' types.
    pub(super) substitution: &'a [Type],
    pub(super) callee: &'a str,
}

impl Formal<'_> {
    fn takes_function(&self, parameter: Option<u32>) -> bool {
        let parameter = parameter.and_then(|it| self.parameters.get(it as usize));
        parameter.is_some_and(|it| matches!(it.ty, Type::Function(_)))
    }
}

impl Context<'_> {
    /// The arguments by parameter, in the order of evaluation.
    pub(super) fn arguments(&mut self, formal: Formal, call: Call) -> Vec<(u32, ExpressionId)> {
        let slots = self.assign_arguments(formal, call);
        let mut values: Vec<Option<ExpressionId>> = vec![None; slots.len()];
        // A lambda learns its parameters' types from the other arguments, so it waits for them; a string may be one of the
        // literals that a function takes which is given by its name.
        let named = slots.iter().any(|slot| {
            Wait::of(slot.value) == Wait::Nothing && formal.takes_function(slot.parameter)
        });
        for wait in [Wait::Nothing, Wait::Names, Wait::Others] {
            for (slot, value) in slots.iter().zip(&mut values) {
                let own = match Wait::of(slot.value) {
                    Wait::Names if !named => Wait::Nothing,
                    own @ (Wait::Nothing | Wait::Names | Wait::Others) => own,
                };
                if own == wait {
                    *value = Some(self.argument(formal, slot));
                }
            }
        }
        let values = slots.iter().zip(values);
        values
            .filter_map(|(slot, value)| Some((slot.parameter?, value?)))
            .collect()
    }

    fn argument(&mut self, formal: Formal, slot: &Slot) -> ExpressionId {
        let parameter = slot
            .parameter
            .and_then(|it| formal.parameters.get(it as usize));
        match parameter {
            Some(parameter) => {
                let ty = substitute(&parameter.ty, formal.substitution);
                self.expression(slot.value, &Expected::Type(ty))
            }
            None => self.expression(slot.value, &Expected::Anything),
        }
    }

    /// Finds each argument's parameter; what has none was reported.
    fn assign_arguments<'a>(&mut self, formal: Formal, call: Call<'a>) -> Vec<Slot<'a>> {
        let count = formal.parameters.len();
        let mut given = vec![false; count];
        given[..formal.taken.min(count)].fill(true);
        let mut next = formal.taken;
        let mut named = false;
        let mut slots = Vec::with_capacity(call.arguments.len());
        let mut surplus = false;
        for argument in call.arguments {
            let value = &argument.value;
            let parameter = match &argument.name {
                Some(name) => {
                    named = true;
                    self.named_parameter(formal, name, &mut given)
                }
                None if named => {
                    let place = self.place(value.span);
                    self.report(errors::positional_after_named(place));
                    None
                }
                None => {
                    next += 1;
                    surplus |= next > count;
                    given.get_mut(next - 1).map(|it| {
                        *it = true;
                        next - 1
                    })
                }
            };
            let parameter = parameter.and_then(|it| u32::try_from(it).ok());
            slots.push(Slot { parameter, value });
        }
        if surplus {
            self.too_many(formal, next, call);
        }
        self.missing(formal, &given, &slots, call.arguments_span);
        slots
    }

    fn named_parameter(
        &mut self,
        formal: Formal,
        name: &ast::Identifier,
        given: &mut [bool],
    ) -> Option<usize> {
        let place = self.place(name.span);
        let Some(index) = formal.parameters.iter().position(|it| it.name == name.name) else {
            let rest = formal
                .parameters
                .iter()
                .zip(&*given)
                .filter(|(_, given)| !**given);
            let names: Vec<Name> = rest.map(|(it, _)| it.name.clone()).collect();
            let suggestion = meant(&name.name, &names);
            let suggestion = suggestion.as_deref();
            let report = errors::unknown_argument(place, &name.name, formal.callee, suggestion);
            let list: Vec<String> = formal
                .parameters
                .iter()
                .map(|it| format!("`{}`", it.name))
                .collect();
            self.report(match list.is_empty() {
                true => report,
                false => report.note(format!("its parameters are {}", list.join(", "))),
            });
            return None;
        };
        if std::mem::replace(&mut given[index], true) {
            self.report(errors::duplicate_argument(place, &name.name));
            return None;
        }
        Some(index)
    }

    fn too_many(&mut self, formal: Formal, found: usize, call: Call) {
        let most = formal.parameters.len() - formal.taken.min(formal.parameters.len());
        let first = call
            .arguments
            .iter()
            .filter(|it| it.name.is_none())
            .nth(most);
        let place = self.place(first.map_or(call.arguments_span, |it| it.value.span));
        let found = found - formal.taken;
        self.report(errors::too_many_arguments(
            place,
            formal.callee,
            most,
            found,
        ));
    }

    /// Reports parameters without a value, unless a wrong argument was most likely meant for one of them.
    fn missing(&mut self, formal: Formal, given: &[bool], slots: &[Slot], span: Span) {
        let names: Vec<&str> = formal
            .parameters
            .iter()
            .zip(given)
            .filter(|(it, given)| !**given && it.default == Presence::Absent)
            .map(|(it, _)| it.name.as_str())
            .collect();
        if !names.is_empty() && slots.iter().all(|it| it.parameter.is_some()) {
            let place = self.place(span);
            let parameters: Vec<String> = formal.parameters[formal.taken..]
                .iter()
                .map(|it| {
                    let default = match it.default {
                        Presence::Present => " = …",
                        Presence::Absent => "",
                    };
                    format!("{}: {}{default}", it.name, self.show(&it.ty))
                })
                .collect();
            let report = errors::missing_argument(place, &names, formal.callee);
            self.report(errors::with_signature(report, &parameters));
        }
    }

    /// The arguments of a call of a function value.
    pub(super) fn value_arguments(
        &mut self,
        function: &FunctionType,
        call: Call,
    ) -> Vec<(u32, ExpressionId)> {
        let (wanted, found) = (function.parameters.len(), call.arguments.len());
        if found > wanted {
            let place = self.place(call.arguments[wanted].value.span);
            self.report(errors::too_many_arguments(
                place,
                "this function",
                wanted,
                found,
            ));
        } else if found < wanted {
            let place = self.place(call.arguments_span);
            let names: Vec<String> = (found + 1..=wanted).map(|it| it.to_string()).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.report(errors::missing_argument(place, &names, "this function"));
        }
        let mut arguments = Vec::with_capacity(found);
        for (index, argument) in (0u32..).zip(call.arguments) {
            if let Some(name) = &argument.name {
                let place = self.place(name.span);
                self.report(errors::names_of_value(place));
            }
            let expected = match function.parameters.get(index as usize) {
                Some(ty) => Expected::Type(ty.clone()),
                None => Expected::Anything,
            };
            arguments.push((index, self.expression(&argument.value, &expected)));
        }
        arguments.truncate(wanted);
        arguments
    }

    /// Notes that an argument's or field's name means this parameter of a declaration.
    pub(super) fn refer_field(
        &mut self,
        span: Span,
        item: gsw_source::ItemId,
        variant: u32,
        field: u32,
    ) {
        self.refer(
            span,
            Reference::Field {
                item,
                variant,
                field,
            },
        );
    }
}

impl Table<'_> {
    /// Lets what is wanted of a call's result tell type arguments, where that cannot be wrong.
    pub(super) fn absorb_plain(&mut self, result: &Type, hint: Option<&Type>) {
        if let Some(hint) = hint {
            self.absorb(result, hint, Absorb::Plain(Depth::Top));
        }
    }

    /// The same for constructors, whose payload is always converted to what is wanted.
    pub(super) fn absorb_all(&mut self, result: &Type, hint: Option<&Type>) {
        if let Some(hint) = hint {
            self.absorb(result, hint, Absorb::All);
        }
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one line a type: rustc names what a new type must join"
    )]
    fn absorb(&mut self, result: &Type, hint: &Type, how: Absorb) {
        let (result, hint) = (self.resolve(result), self.resolve(hint));
        match (&result, &hint) {
            (Type::Variable(variable), _) if how == Absorb::All || self.is_rigid(&hint) => {
                self.bind(*variable, &hint);
            }
            (Type::Variable(variable), _) => {
                if let Absorb::Plain(depth) = how
                    && let Some(default_type) = self.default_type_of(&hint, depth)
                {
                    self.set_default_type(*variable, &default_type);
                }
            }
            (Type::Optional(left), Type::Optional(right))
            | (Type::List(left), Type::List(right))
            | (Type::Task(left), Type::Task(right)) => self.absorb(left, right, how.inside()),
            (_, Type::Optional(right)) => self.absorb(&result, right, how),
            (Type::Map(key, value), Type::Map(other_key, other_value)) => {
                self.absorb(key, other_key, how.inside());
                self.absorb(value, other_value, how.inside());
            }
            (Type::Tuple(left), Type::Tuple(right)) => self.absorb_each(left, right, how.inside()),
            (Type::Record(left, some), Type::Record(right, others))
            | (Type::Enum(left, some), Type::Enum(right, others))
                if left == right =>
            {
                self.absorb_each(some, others, how.inside());
            }
            (
                Type::Unit
                | Type::Bool
                | Type::Int
                | Type::Float
                | Type::String
                | Type::Bytes
                | Type::Time
                | Type::Duration
                | Type::Json
                | Type::Secret
                | Type::Image
                | Type::Document
                | Type::Session
                | Type::Error
                | Type::Agent
                | Type::Never
                | Type::Literals(_)
                | Type::Checked(..)
                | Type::Parameter(..)
                | Type::Text(_)
                | Type::Invalid
                | Type::Optional(_)
                | Type::List(_)
                | Type::Map(..)
                | Type::Tuple(_)
                | Type::Record(..)
                | Type::Enum(..)
                | Type::Function(_)
                | Type::Task(_)
                | Type::Stream(_)
                | Type::Partial(_),
                _,
            ) => {}
        }
    }

    fn absorb_each(&mut self, left: &[Type], right: &[Type], how: Absorb) {
        for (left, right) in left.iter().zip(right) {
            self.absorb(left, right, how);
        }
    }

    /// What a type argument had better be where `hint` is wanted. A whole result can be converted after the call, where
    /// the body of a lambda needs a plain type, as in `let sum: int? = xs.fold(0, (a, b) => a + b)`; parts of it cannot.
    fn default_type_of(&self, hint: &Type, depth: Depth) -> Option<Type> {
        // What may yet become a union is told by what flows into it.
        if self.unknown(hint).is_some() || self.holds_text(hint) {
            return None;
        }
        if depth == Depth::Inside {
            return Some(hint.clone());
        }
        match hint {
            Type::Optional(inner) => self.default_type_of(&self.resolve(inner), depth),
            Type::Literals(_)
            | Type::List(_)
            | Type::Map(..)
            | Type::Tuple(_)
            | Type::Record(..)
            | Type::Enum(..) => Some(hint.clone()),
            Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Float
            | Type::String
            | Type::Bytes
            | Type::Time
            | Type::Duration
            | Type::Json
            | Type::Secret
            | Type::Image
            | Type::Document
            | Type::Session
            | Type::Error
            | Type::Agent
            | Type::Never
            | Type::Checked(..)
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Variable(_)
            | Type::Text(_)
            | Type::Invalid => None,
        }
    }

    /// Whether no other type converts to `ty`, so that wanting it says what is given.
    fn is_rigid(&self, ty: &Type) -> bool {
        match self.resolve(ty) {
            Type::Checked(..)
            | Type::Literals(_)
            | Type::Text(_)
            | Type::Json
            | Type::Secret
            | Type::Optional(_)
            | Type::Variable(_)
            | Type::Unit
            | Type::Invalid => false,
            other @ (Type::Bool
            | Type::Int
            | Type::Float
            | Type::String
            | Type::Bytes
            | Type::Time
            | Type::Duration
            | Type::Image
            | Type::Document
            | Type::Session
            | Type::Error
            | Type::Agent
            | Type::Never
            | Type::List(_)
            | Type::Map(..)
            | Type::Tuple(_)
            | Type::Record(..)
            | Type::Enum(..)
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Partial(_)
            | Type::Parameter(..)) => gsw_names::types::parts(&other)
                .iter()
                .all(|it| self.is_rigid(it)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Absorb {
    Plain(Depth),
    All,
}

/// Whether a type is the whole that is wanted or a part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Top,
    Inside,
}

impl Absorb {
    fn inside(self) -> Self {
        match self {
            Self::Plain(_) => Self::Plain(Depth::Inside),
            Self::All => Self::All,
        }
    }
}

/// An argument and the parameter it is for; `None` when that was reported.
struct Slot<'a> {
    parameter: Option<u32>,
    value: &'a ast::Expression,
}

#[derive(Clone, Copy, PartialEq, Eq)]
/// Which other arguments one waits for.
enum Wait {
    Nothing,
    Names,
    Others,
}

impl Wait {
    fn of(value: &ast::Expression) -> Self {
        if let ast::ExpressionKind::Parenthesized(inner) = &value.kind {
            return Self::of(inner);
        }
        if let ast::ExpressionKind::Lambda { .. } = &value.kind {
            return Self::Others;
        }
        if let ast::ExpressionKind::Literal(ast::Literal::String(_)) = &value.kind {
            return Self::Names;
        }
        Self::Nothing
    }
}
