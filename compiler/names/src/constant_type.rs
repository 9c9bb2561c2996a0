//! The type of a constant that is declared without one: known from its value where that says it by itself.

mod call;

use std::cell::RefCell;
use std::collections::HashMap;

use gsw_source::{Db, File, ItemId, ItemKind, Name, Span};
use gsw_syntax::ast::{
    Argument, BinaryOperator, Block, Conversion, Expression, ExpressionKind, Identifier, ItemBody,
    Literal, OperatorClass, StatementKind, TypeExpression, TypeExpressionKind, UnaryOperator,
};

use crate::declared_type::type_declaration;
use crate::generics::generics_of;
use crate::lower_type::lower_type;
use crate::scope::{Definition, module_scope, resolve_member, resolve_name, variants_named};
use crate::substitute::substitute;
use crate::tree::item_head;
use crate::types::Type;

/// How many other constants are followed for the type of one.
const MOST: usize = 256;

/// The type that the value of the constant `item` has, whatever the constant is used for; `None` when only inference could tell.
pub fn constant_type(db: &dyn Db, item: ItemId, value: &Expression) -> Option<Type> {
    Constant {
        db,
        item,
        known: &RefCell::default(),
        locals: &[],
    }
    .of(value)
}

/// The constant whose value is being read.
struct Constant<'a> {
    db: &'a dyn Db,
    item: ItemId,
    /// The types of those that were looked at: many may name the same ones. None while it is looked at, so that a circle ends
    /// here; it is reported where it is evaluated.
    known: &'a RefCell<HashMap<ItemId, Option<Type>>>,
    /// The parameters of the lambdas around, the innermost last.
    locals: &'a [(Name, Type)],
}

impl Constant<'_> {
    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    fn of(&self, value: &Expression) -> Option<Type> {
        match &value.kind {
            ExpressionKind::Literal(literal) => match literal {
                Literal::Int(_) => Some(Type::Int),
                Literal::Float(_) => Some(Type::Float),
                Literal::Bool(_) => Some(Type::Bool),
                Literal::Duration(_) => Some(Type::Duration),
                Literal::String(_) => Some(Type::String),
                Literal::None => None,
            },
            ExpressionKind::Interpolation(_) => Some(Type::String),
            ExpressionKind::Unary { operator, operand } => match operator {
                UnaryOperator::Negate => self.of(operand),
                UnaryOperator::Not => Some(Type::Bool),
            },
            ExpressionKind::Parenthesized(inside) => self.of(inside),
            ExpressionKind::Binary {
                left,
                operator,
                operator_span: _,
                right,
            } => self.operation(*operator, left, right),
            ExpressionKind::List(elements) => Some(self.common(elements.iter())?.list()),
            ExpressionKind::Map(entries) => {
                let key = self.common(entries.iter().map(|it| &it.key))?;
                let value = self.common(entries.iter().map(|it| &it.value))?;
                Some(Type::Map(key.into(), value.into()))
            }
            ExpressionKind::Tuple(elements) => {
                let elements: Option<Vec<Type>> = elements.iter().map(|it| self.of(it)).collect();
                Some(Type::Tuple(elements?.into()))
            }
            ExpressionKind::Record { path, .. } => self.named(path.clone()),
            ExpressionKind::As {
                ty,
                form: Conversion::Raising,
                ..
            } => self.written(ty),
            ExpressionKind::Name(name) => self.name(name),
            ExpressionKind::Field { base, name, .. } => self.member(base, name),
            ExpressionKind::Call {
                callee, arguments, ..
            } => self.called(callee, arguments),
            ExpressionKind::If {
                condition,
                then,
                otherwise: Some(otherwise),
            } if !binds(condition) => same(self.block(then)?, self.of(otherwise)?),
            ExpressionKind::Do(block) => self.block(block),
            ExpressionKind::Index { base, index: _ } => element(&self.of(base)?),
            ExpressionKind::TupleField { base, index, .. } => {
                let Type::Tuple(elements) = self.of(base)? else {
                    return None;
                };
                elements.get(usize::try_from(*index).ok()?).cloned()
            }
            ExpressionKind::As { .. }
            | ExpressionKind::AllOf(_)
            | ExpressionKind::Unit
            | ExpressionKind::Range { .. }
            | ExpressionKind::Lambda { .. }
            | ExpressionKind::Catch { .. }
            | ExpressionKind::If { .. }
            | ExpressionKind::Let { .. }
            | ExpressionKind::Match { .. }
            | ExpressionKind::For { .. }
            | ExpressionKind::While { .. }
            | ExpressionKind::Return(_)
            | ExpressionKind::Break
            | ExpressionKind::Continue
            | ExpressionKind::Fail(_)
            | ExpressionKind::Emit(_)
            | ExpressionKind::Text { .. }
            | ExpressionKind::Spawn(_)
            | ExpressionKind::Undo { .. }
            | ExpressionKind::SpawnDetached(_)
            | ExpressionKind::Await(_)
            | ExpressionKind::Race { .. }
            | ExpressionKind::ParallelFor { .. }
            | ExpressionKind::Parallel { .. }
            | ExpressionKind::Step { .. }
            | ExpressionKind::Modified { .. }
            | ExpressionKind::Reflect { .. }
            | ExpressionKind::Revise(_)
            | ExpressionKind::By { .. }
            | ExpressionKind::With { .. }
            | ExpressionKind::Invalid => None,
        }
    }

    fn file(&self) -> File {
        self.item.file(self.db)
    }

    fn name(&self, name: &Name) -> Option<Type> {
        if let Some(ty) = self.local(name) {
            return Some(ty.clone());
        }
        match resolve_name(self.db, self.file(), name) {
            Some(Definition::Item(item)) => self.constant(item),
            Some(Definition::Variant { .. }) => self.variant(name),
            Some(Definition::Module(_)) => None,
            // It is reported where the value is checked.
            None => Some(Type::Invalid),
        }
    }

    /// The value of a block that is nothing but an expression.
    fn block(&self, block: &Block) -> Option<Type> {
        let [statement] = block.statements.as_slice() else {
            return None;
        };
        let StatementKind::Expression(value) = &statement.kind else {
            return None;
        };
        self.of(value)
    }

    fn operation(
        &self,
        operator: BinaryOperator,
        left: &Expression,
        right: &Expression,
    ) -> Option<Type> {
        match operator.class() {
            OperatorClass::Logic
            | OperatorClass::Equality
            | OperatorClass::Order
            | OperatorClass::Membership => return Some(Type::Bool),
            OperatorClass::Fallback => return self.of(right),
            OperatorClass::Arithmetic => {}
        }
        let (left, right) = (self.of(left)?, self.of(right)?);
        let is = |one: Type, other: Type| left == one && right == other;
        if operator == BinaryOperator::Divide && is(Type::Duration, Type::Duration) {
            return Some(Type::Float);
        }
        let is_scaled = match operator {
            BinaryOperator::Multiply => {
                is(Type::Duration, Type::Int) || is(Type::Int, Type::Duration)
            }
            BinaryOperator::Divide => is(Type::Duration, Type::Int),
            BinaryOperator::Or
            | BinaryOperator::And
            | BinaryOperator::Equal
            | BinaryOperator::NotEqual
            | BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual
            | BinaryOperator::NotIn
            | BinaryOperator::In
            | BinaryOperator::Otherwise
            | BinaryOperator::Add
            | BinaryOperator::Subtract
            | BinaryOperator::Remainder => false,
        };
        match is_scaled {
            true => Some(Type::Duration),
            false => same(left, right),
        }
    }

    /// The type that all of these have.
    fn common<'a>(&self, mut values: impl Iterator<Item = &'a Expression>) -> Option<Type> {
        let first = self.of(values.next()?)?;
        values.try_fold(first, |common, it| same(common, self.of(it)?))
    }

    /// The type of that name, unless it takes type arguments. One that is unknown is reported where the value is checked.
    fn named(&self, path: Vec<Identifier>) -> Option<Type> {
        let first = path.first()?;
        if resolve_name(self.db, self.file(), &first.name).is_none() {
            return Some(Type::Invalid);
        }
        let span = first.span;
        let arguments = Vec::new();
        let kind = TypeExpressionKind::Named { path, arguments };
        self.written(&TypeExpression { kind, span })
    }

    fn written(&self, ty: &TypeExpression) -> Option<Type> {
        let mut reports = Vec::new();
        let lowered = lower_type(self.db, self.file(), &[], ty, &mut reports, self.item);
        reports.is_empty().then_some(lowered)
    }

    /// The type of another constant.
    fn constant(&self, item: ItemId) -> Option<Type> {
        if let Some(known) = self.known.borrow().get(&item) {
            return known.clone();
        }
        if item.kind(self.db) != ItemKind::Const || self.known.borrow().len() == MOST {
            return None;
        }
        self.known.borrow_mut().insert(item, None);
        let head = item_head(self.db, item)?;
        let ItemBody::Const(declared) = &head.body else {
            return None;
        };
        let constant = Constant {
            db: self.db,
            item,
            known: self.known,
            locals: &[],
        };
        let ty = match &declared.ty {
            Some(ty) => constant.written(ty),
            None => constant.of(&declared.value),
        };
        self.known.borrow_mut().insert(item, ty.clone());
        ty
    }

    /// The enum of a variant, where only one is meant.
    fn variant(&self, name: &str) -> Option<Type> {
        let [(item, _)] = variants_named(self.db, self.file(), name) else {
            return None;
        };
        generics_of(self.db, *item)
            .is_empty()
            .then(|| Type::Enum(*item, [].into()))
    }

    /// `limits.LARGEST` of a module, `Level.High` of an enum, `ORIGIN.x` of a record.
    fn member(&self, base: &Expression, name: &Identifier) -> Option<Type> {
        let owner = self.of(base);
        if let Some(Type::Record(item, arguments)) = owner {
            let fields = type_declaration(self.db, item).declaration.fields();
            let field = fields.iter().find(|it| it.name == name.name)?;
            return Some(substitute(&field.ty, &arguments));
        }
        if owner == Some(Type::Invalid) {
            return owner;
        }
        let ExpressionKind::Name(owner) = &base.kind else {
            return None;
        };
        match resolve_name(self.db, self.file(), owner)? {
            Definition::Module(module) => self.constant(self.item_of(module, name)?),
            Definition::Item(item) if item.kind(self.db) == ItemKind::Enum => {
                self.named(vec![identifier(owner, base.span)])
            }
            Definition::Item(_) | Definition::Variant { .. } => None,
        }
    }

    /// The result of a function that declares it or is a value, the enum of a variant with a payload, or the list that `E.values()` gives.
    fn called(&self, callee: &Expression, arguments: &[Argument]) -> Option<Type> {
        if let ExpressionKind::Name(name) = &callee.kind {
            return self.result_of_name(name, arguments);
        }
        let ExpressionKind::Field { base, name, .. } = &callee.kind else {
            return result_of(&self.of(callee)?);
        };
        if let Some(receiver) = self.of(base) {
            return self.method_result(&receiver, &name.name, arguments);
        }
        let ExpressionKind::Name(owner) = &base.kind else {
            return None;
        };
        match resolve_name(self.db, self.file(), owner)? {
            Definition::Module(module) => self.result(self.item_of(module, name)?, arguments),
            Definition::Item(item) if item.kind(self.db).is_data() => {
                let method = format!("{}.{}", item.name(self.db), name.name);
                let scope = module_scope(self.db, item.file(self.db));
                if let Some(method) = scope.items.get(method.as_str()) {
                    return self.result(*method, arguments);
                }
                let ty = self.named(vec![identifier(owner, base.span)])?;
                let is_enum = matches!(ty, Type::Enum(..));
                is_enum.then(|| match name.name == "values" {
                    true => ty.list(),
                    false => ty,
                })
            }
            Definition::Item(_) | Definition::Variant { .. } => None,
        }
    }

    fn item_of(&self, module: File, name: &Identifier) -> Option<ItemId> {
        match resolve_member(self.db, module, &name.name, self.file())? {
            Definition::Item(item) => Some(item),
            Definition::Variant { .. } | Definition::Module(_) => None,
        }
    }
}

/// The type that is both; one that is unknown is reported where the value is checked.
fn same(one: Type, other: Type) -> Option<Type> {
    if one == other || other == Type::Invalid {
        Some(other)
    } else {
        (one == Type::Invalid).then_some(one)
    }
}

/// Whether a condition binds names, whose types only inference knows.
fn binds(condition: &Expression) -> bool {
    if let ExpressionKind::Binary { left, right, .. } = &condition.kind {
        return binds(left) || binds(right);
    }
    matches!(condition.kind, ExpressionKind::Let { .. })
}

/// What an index into a value of that type gives.
fn element(ty: &Type) -> Option<Type> {
    if let Type::List(element) = ty {
        return Some((**element).clone());
    }
    let Type::Map(_, value) = ty else {
        return None;
    };
    Some((**value).clone())
}

/// What a call of a value of that type gives.
fn result_of(ty: &Type) -> Option<Type> {
    let Type::Function(function) = ty else {
        return None;
    };
    Some(function.result.clone())
}

fn identifier(name: &gsw_source::Name, span: Span) -> Identifier {
    Identifier {
        name: name.clone(),
        span,
    }
}
