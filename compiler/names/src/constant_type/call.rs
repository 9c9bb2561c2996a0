//! What a call in the value of a constant gives, where receiver and arguments say what the type parameters stand for.

use gsw_source::{ItemId, ItemKind, Name};
use gsw_syntax::ast::{
    Argument, Expression, ExpressionKind, LambdaParameter, Pattern, PatternKind,
};

use super::{Constant, result_of};
use crate::declaration::item_signature;
use crate::method::method;
use crate::scope::{Definition, resolve_callable};
use crate::signature::{Parameter, Signature};
use crate::substitute::substitute;
use crate::types::{FunctionType, Type};

impl Constant<'_> {
    /// The result of a method.
    pub(super) fn method_result(
        &self,
        receiver: &Type,
        name: &str,
        arguments: &[Argument],
    ) -> Option<Type> {
        // A receiver that is unknown is reported where the value is checked.
        if *receiver == Type::Invalid {
            return Some(Type::Invalid);
        }
        let item = method(self.db, receiver, name)?;
        let signature = &item_signature(self.db, item).signature;
        let mut solution = Solution::of(signature);
        let (first, rest) = signature.parameters.split_first()?;
        // `join` is a method of lists of strings alone.
        if !solution.unify(&first.ty, receiver) {
            return None;
        }
        self.applied(solution, rest, &signature.result, arguments)
    }

    /// The result of a function, or of a function that a constant holds.
    pub(super) fn result(&self, item: ItemId, arguments: &[Argument]) -> Option<Type> {
        if item.kind(self.db) == ItemKind::Const {
            return result_of(&self.constant(item)?);
        }
        if item.kind(self.db) != ItemKind::Function {
            return None;
        }
        let signature = &item_signature(self.db, item).signature;
        let solution = Solution::of(signature);
        self.applied(
            solution,
            &signature.parameters,
            &signature.result,
            arguments,
        )
    }

    /// `result`, once the arguments have said what they can of its type parameters.
    fn applied(
        &self,
        mut solution: Solution,
        parameters: &[Parameter],
        result: &Type,
        arguments: &[Argument],
    ) -> Option<Type> {
        for (index, argument) in arguments.iter().enumerate() {
            if solution.is_complete() {
                break;
            }
            let parameter = match &argument.name {
                Some(name) => parameters.iter().find(|it| it.name == name.name),
                None => parameters.get(index),
            };
            if let Some(parameter) = parameter {
                self.argument(&mut solution, &parameter.ty, &argument.value);
            }
        }
        solution.applied(result)
    }

    /// What an argument says of the type parameters in the type of its parameter.
    fn argument(&self, solution: &mut Solution, parameter: &Type, value: &Expression) {
        let Type::Function(wanted) = parameter else {
            if let Some(ty) = self.of(value) {
                solution.unify(parameter, &ty);
            }
            return;
        };
        let result = if let ExpressionKind::Lambda { parameters, body } = &value.kind {
            self.lambda_result(solution, wanted, parameters, body)
        } else if let ExpressionKind::Name(name) = &value.kind {
            self.result_of_name(name, &[])
        } else {
            None
        };
        if let Some(result) = result {
            solution.unify(&wanted.result, &result);
        }
    }

    /// The result of a function or constructor that is named.
    pub(super) fn result_of_name(&self, name: &str, arguments: &[Argument]) -> Option<Type> {
        if let Some(local) = self.local(name) {
            return result_of(local);
        }
        match resolve_callable(self.db, self.file(), name) {
            Some(Definition::Item(item)) => self.result(item, arguments),
            Some(Definition::Variant { .. }) => self.variant(name),
            Some(Definition::Module(_)) => None,
            None => Some(Type::Invalid),
        }
    }

    /// The type of a lambda's body when its arguments are of the types in `wanted`.
    fn lambda_result(
        &self,
        solution: &Solution,
        wanted: &FunctionType,
        parameters: &[LambdaParameter],
        body: &Expression,
    ) -> Option<Type> {
        let types: Option<Vec<Type>> = wanted
            .parameters
            .iter()
            .map(|it| solution.applied(it))
            .collect();
        let mut types = types?;
        // A lambda with several parameters takes a tuple apart.
        if let [Type::Tuple(parts)] = types.as_slice()
            && parts.len() == parameters.len()
        {
            types = parts.to_vec();
        }
        let mut locals = self.locals.to_vec();
        for (parameter, ty) in parameters.iter().zip(types) {
            bind(&parameter.pattern, ty, &mut locals)?;
        }
        let inside = Constant {
            locals: &locals,
            ..*self
        };
        inside.of(body)
    }

    /// The type of a parameter of a lambda around the expression.
    pub(super) fn local(&self, name: &str) -> Option<&Type> {
        let mut locals = self.locals.iter().rev();
        locals.find(|it| it.0.as_str() == name).map(|it| &it.1)
    }
}

/// The names that a pattern binds; `None` where it is more than names and tuples of them.
fn bind(pattern: &Pattern, ty: Type, locals: &mut Vec<(Name, Type)>) -> Option<()> {
    if let PatternKind::Binding(name) = &pattern.kind {
        locals.push((name.name.clone(), ty));
        return Some(());
    }
    if let (PatternKind::Tuple(parts), Type::Tuple(types)) = (&pattern.kind, &ty)
        && parts.len() == types.len()
    {
        let mut pairs = parts.iter().zip(types.iter());
        return pairs.try_for_each(|(part, ty)| bind(part, ty.clone(), locals));
    }
    matches!(pattern.kind, PatternKind::Wildcard).then_some(())
}

/// What the type parameters of a called function stand for, as far as that is known.
struct Solution {
    known: Vec<Option<Type>>,
}

impl Solution {
    fn of(signature: &Signature) -> Self {
        Self {
            known: vec![None; signature.generics.len()],
        }
    }

    fn is_complete(&self) -> bool {
        self.known.iter().all(Option::is_some)
    }

    /// `ty` with what is known; `None` where that leaves a type parameter open.
    fn applied(&self, ty: &Type) -> Option<Type> {
        let filled = |open: Type| {
            let arguments = self.known.iter();
            let arguments: Vec<Type> = arguments
                .map(|it| it.clone().unwrap_or_else(|| open.clone()))
                .collect();
            substitute(ty, &arguments)
        };
        // What is the same whatever the open ones stand for has none of them in it.
        let applied = filled(Type::Unit);
        (applied == filled(Type::Never)).then_some(applied)
    }

    /// Whether `declared` is `actual` for some type arguments, which are known from then on.
    fn unify(&mut self, declared: &Type, actual: &Type) -> bool {
        match (declared, actual) {
            (Type::Parameter(index, _), _) => match self.known.get_mut(*index as usize) {
                Some(Some(known)) => known == actual,
                Some(open) => {
                    *open = Some(actual.clone());
                    true
                }
                None => false,
            },
            (Type::Optional(declared), Type::Optional(actual))
            | (Type::List(declared), Type::List(actual)) => self.unify(declared, actual),
            // A value is also one that may be absent.
            (Type::Optional(declared), actual) => self.unify(declared, actual),
            (Type::Map(key, value), Type::Map(actual_key, actual_value)) => {
                self.unify(key, actual_key) && self.unify(value, actual_value)
            }
            (Type::Tuple(declared), Type::Tuple(actual)) => self.unify_all(declared, actual),
            (Type::Record(declared, arguments), Type::Record(actual, others))
            | (Type::Enum(declared, arguments), Type::Enum(actual, others)) => {
                declared == actual && self.unify_all(arguments, others)
            }
            (Type::Function(declared), Type::Function(actual)) => {
                self.unify_all(&declared.parameters, &actual.parameters)
                    && self.unify(&declared.result, &actual.result)
            }
            (declared, actual) => declared == actual,
        }
    }

    fn unify_all(&mut self, declared: &[Type], actual: &[Type]) -> bool {
        let mut pairs = declared.iter().zip(actual);
        declared.len() == actual.len()
            && pairs.all(|(declared, actual)| self.unify(declared, actual))
    }
}
