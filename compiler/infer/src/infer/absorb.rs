//! What is wanted of a call's result, as knowledge of its type arguments.

use gsw_names::types::Type;

use crate::infer::table::Table;

impl Table<'_> {
    /// Infers type arguments from what is wanted of a call's result, where that cannot be wrong.
    pub(super) fn absorb_plain(&mut self, result: &Type, hint: Option<&Type>) {
        let Some(hint) = hint else { return };
        // A check of the whole says nothing of its parts, whose type the alias names all the same.
        let below = self.unchecked(hint);
        let is_collection = matches!(below, Type::List(_) | Type::Map(..) | Type::Tuple(_));
        let hint = if is_collection { &below } else { hint };
        self.absorb(result, hint, Absorb::Plain(Depth::Top));
    }

    /// Like [`Self::absorb_plain`], for constructors, whose payload is always converted to what is wanted.
    pub(super) fn absorb_all(&mut self, result: &Type, hint: Option<&Type>) {
        if let Some(hint) = hint {
            self.absorb(result, hint, Absorb::All);
        }
    }

    /// Infers that what a collection holds is JSON, where JSON is wanted of the whole and nothing but the values of closures says more:
    /// these may be of several types, as in `{ "rows": xs.map(x => { "id": x.id, "name": x.name }) }`. `open` are the
    /// variables for what closures give.
    pub(super) fn absorb_json(&mut self, result: &Type, hint: Option<&Type>, open: &[Type]) {
        let wanted = hint.map(|it| self.resolve(it));
        if let Some(Type::Optional(inner)) = &wanted {
            self.absorb_json(result, Some(inner), open);
        } else if wanted == Some(Type::Json) {
            self.hold_json(result, open);
        }
    }

    fn hold_json(&mut self, result: &Type, open: &[Type]) {
        let result = self.resolve(result);
        let parts = if let Type::List(inner) | Type::Optional(inner) | Type::Map(_, inner) = &result
        {
            vec![(**inner).clone()]
        } else if let Type::Tuple(parts) = &result {
            parts.to_vec()
        } else {
            return;
        };
        for part in parts {
            match self.unknown(&part) {
                Some(variable) if open.contains(&Type::Variable(variable)) => {
                    self.set_default_type(variable, &Type::Json);
                }
                Some(_) => {}
                None => self.hold_json(&part, open),
            }
        }
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one line a type: rustc names what a new type must join"
    )]
    fn absorb(&mut self, result: &Type, hint: &Type, how: Absorb) {
        let (result, hint) = (self.resolve(result), self.resolve(hint));
        match (&result, &hint) {
            // Binding early is safe only where no conversion could have changed the result: nothing converts to an `int`, so a call
            // wanted as `int` gives an `int`. Elsewhere the hint is only a default, which the first value may overrule.
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
            // `T??` is `T?`, so a `T?` that is wanted as `int?` says that `T` is `int` or `int?`: the first value decides.
            (Type::Optional(left), Type::Optional(right))
                if how != Absorb::All && self.unknown(left).is_some() =>
            {
                if let Some(variable) = self.unknown(left)
                    && let Some(default_type) = self.default_type_of(right, Depth::Inside)
                {
                    self.set_default_type(variable, &default_type);
                }
            }
            (Type::Optional(left), Type::Optional(right))
            | (Type::List(left), Type::List(right))
            | (Type::Task(left), Type::Task(right)) => self.absorb(left, right, how.inside()),
            // The result is wrapped after the call, so what is wanted of the call itself is the inside.
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
                | Type::Queue(_)
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

    /// The default type of a type argument where `hint` is wanted. A whole result can be converted after the call, where
    /// the body of a lambda needs a plain type, as in `let sum: int? = xs.fold(0, (a, b) => a + b)`; parts of it cannot.
    fn default_type_of(&self, hint: &Type, depth: Depth) -> Option<Type> {
        // What may yet become a union is decided by what flows into it.
        if self.unknown(hint).is_some() || self.holds_text(hint) {
            return None;
        }
        // A part of the result cannot be converted after the call (a list keeps its elements as they are), so the type argument
        // has to be right from the start.
        if depth == Depth::Inside {
            return Some(hint.clone());
        }
        match hint {
            // At the top a plain `int` becomes an `int?` afterwards, and with `int?` as its default the body of the lambda would have to
            // unwrap what is never absent.
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
            | Type::Queue(_)
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
            | Type::Queue(_)
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
