//! What is known of expressions without running them.

use gsw_infer::hir::{
    BinaryOperator, Body, BodyPart, Callee, Coercion, ExpressionId, ExpressionKind, Part,
    UnaryOperator,
};
use gsw_infer::infer_item;
use gsw_names::module_path;
use gsw_source::{Db, ItemId, Name, Place};
use gsw_syntax::ast::ItemBody;
use gsw_syntax::item_ast;

/// A value that is known before the program runs.
#[derive(Clone, PartialEq, Debug)]
pub enum ConstantValue {
    /// A bool.
    Bool(bool),
    /// An int.
    Int(i64),
    /// A float.
    Float(f64),
    /// Nanoseconds.
    Duration(i64),
    /// A string, also of a literal union.
    Text(Name),
    /// A list.
    List(Vec<ConstantValue>),
}

/// The value of the constant `item`, where it is plain enough to be told.
pub fn constant_value(db: &dyn Db, item: ItemId) -> Option<ConstantValue> {
    Evaluation {
        db,
        open: Vec::new(),
        it: None,
        siblings: &[],
    }
    .constant(item)
}

/// The text of a `where`; empty when there is none.
pub fn check_source(db: &dyn Db, item: ItemId, part: BodyPart) -> String {
    let tree = item_ast(db, item);
    let check = match (tree.as_deref().map(|it| &it.body), part) {
        (Some(ItemBody::Record(it)), BodyPart::FieldCheck(index)) => it
            .fields
            .get(index as usize)
            .and_then(|it| it.check.as_ref()),
        (Some(ItemBody::Alias { check, .. }), BodyPart::AliasCheck) => check.as_ref(),
        _ => None,
    };
    let text = check.and_then(|it| {
        let (file, span) = gsw_syntax::locate(
            db,
            Place::Item {
                item,
                span: it.span,
            },
        );
        file.text(db).get(span.start as usize..span.end as usize)
    });
    text.unwrap_or_default().to_string()
}

/// Whether `value` satisfies a `where` over `it` and, by position, the fields beside it as far as these are known; `None` when
/// that cannot be told.
pub(crate) fn satisfies(
    db: &dyn Db,
    check: &Body,
    value: &ConstantValue,
    siblings: &[Option<ConstantValue>],
) -> Option<bool> {
    let mut evaluation = Evaluation {
        db,
        open: Vec::new(),
        it: Some(value.clone()),
        siblings,
    };
    match evaluation.expression(check, check.root)? {
        ConstantValue::Bool(verdict) => Some(verdict),
        _ => None,
    }
}

/// The value of an expression that names no local.
pub(crate) fn known_value(db: &dyn Db, body: &Body, id: ExpressionId) -> Option<ConstantValue> {
    Evaluation {
        db,
        open: Vec::new(),
        it: None,
        siblings: &[],
    }
    .expression(body, id)
}

struct Evaluation<'a> {
    db: &'a dyn Db,
    /// Constants that are being evaluated: one that names itself has no value.
    open: Vec<ItemId>,
    /// What the first parameter holds.
    it: Option<ConstantValue>,
    /// What the fields of the second one hold.
    siblings: &'a [Option<ConstantValue>],
}

impl Evaluation<'_> {
    fn constant(&mut self, item: ItemId) -> Option<ConstantValue> {
        if self.open.contains(&item) {
            return None;
        }
        let bodies = &infer_item(self.db, item).bodies;
        let body = bodies.iter().find(|it| it.part == BodyPart::Main)?;
        self.open.push(item);
        let value = self.expression(body, body.root);
        self.open.pop();
        value
    }

    fn expression(&mut self, body: &Body, id: ExpressionId) -> Option<ConstantValue> {
        match &body.expression(id).kind {
            ExpressionKind::Int(value) => Some(ConstantValue::Int(*value)),
            ExpressionKind::Float(bits) => Some(ConstantValue::Float(f64::from_bits(*bits))),
            ExpressionKind::Bool(value) => Some(ConstantValue::Bool(*value)),
            ExpressionKind::Duration(value) => Some(ConstantValue::Duration(*value)),
            ExpressionKind::String(text) => Some(ConstantValue::Text(text.clone())),
            ExpressionKind::Local(local) if body.parameters.first() == Some(local) => {
                self.it.clone()
            }
            ExpressionKind::Field { base, index } => match body.expression(*base).kind {
                ExpressionKind::Local(local) if body.parameters.get(1) == Some(&local) => {
                    self.siblings.get(*index as usize)?.clone()
                }
                _ => None,
            },
            ExpressionKind::Constant(item) => self.constant(*item),
            ExpressionKind::List(elements) => {
                let values = elements.iter().map(|it| self.expression(body, *it));
                Some(ConstantValue::List(values.collect::<Option<_>>()?))
            }
            ExpressionKind::Coerce { value, coercion } => match coercion {
                Coercion::Forget | Coercion::Check | Coercion::ToOptional | Coercion::ToJson => {
                    self.expression(body, *value)
                }
                Coercion::ToSecret | Coercion::FromNever => None,
            },
            ExpressionKind::Block {
                statements,
                tail: Some(tail),
            } if statements.is_empty() => self.expression(body, *tail),
            ExpressionKind::Interpolation(parts) => self.text(body, parts),
            ExpressionKind::Unary { operator, operand } => {
                negated(*operator, &self.expression(body, *operand)?)
            }
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } => {
                let left = self.expression(body, *left)?;
                binary(*operator, &left, &self.expression(body, *right)?)
            }
            ExpressionKind::Call {
                callee: Callee::Item { item, .. },
                arguments,
            } if arguments.len() == 1 => {
                let value = self.expression(body, arguments.first()?.1)?;
                measured(self.db, *item, &value)
            }
            _ => None,
        }
    }

    fn text(&mut self, body: &Body, parts: &[Part]) -> Option<ConstantValue> {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(it) => text.push_str(it),
                Part::Expression(id) => match self.expression(body, *id)? {
                    ConstantValue::Text(it) => text.push_str(&it),
                    ConstantValue::Int(it) => text.push_str(&it.to_string()),
                    ConstantValue::Bool(it) => text.push_str(&it.to_string()),
                    _ => return None,
                },
            }
        }
        Some(ConstantValue::Text(text.into()))
    }
}

fn negated(operator: UnaryOperator, value: &ConstantValue) -> Option<ConstantValue> {
    Some(match (operator, value) {
        (UnaryOperator::Not, ConstantValue::Bool(it)) => ConstantValue::Bool(!it),
        (UnaryOperator::Negate, ConstantValue::Int(it)) => ConstantValue::Int(it.checked_neg()?),
        (UnaryOperator::Negate, ConstantValue::Float(it)) => ConstantValue::Float(-it),
        (UnaryOperator::Negate, ConstantValue::Duration(it)) => {
            ConstantValue::Duration(it.checked_neg()?)
        }
        _ => return None,
    })
}

fn binary(
    operator: BinaryOperator,
    left: &ConstantValue,
    right: &ConstantValue,
) -> Option<ConstantValue> {
    use BinaryOperator as Operator;
    use ConstantValue::{Bool, Duration, Float, Int, Text};
    let order = match (left, right) {
        (Int(a), Int(b)) | (Duration(a), Duration(b)) => Some(a.cmp(b)),
        (Float(a), Float(b)) => a.partial_cmp(b),
        (Text(a), Text(b)) => Some(a.cmp(b)),
        (Bool(a), Bool(b)) => Some(a.cmp(b)),
        _ => None,
    };
    Some(match operator {
        Operator::And | Operator::Or => match (operator, left, right) {
            (Operator::And, Bool(a), Bool(b)) => Bool(*a && *b),
            (_, Bool(a), Bool(b)) => Bool(*a || *b),
            _ => return None,
        },
        Operator::Equal => Bool(order?.is_eq()),
        Operator::NotEqual => Bool(order?.is_ne()),
        Operator::Less => Bool(order?.is_lt()),
        Operator::LessEqual => Bool(order?.is_le()),
        Operator::Greater => Bool(order?.is_gt()),
        Operator::GreaterEqual => Bool(order?.is_ge()),
        _ => return arithmetic(operator, left, right),
    })
}

fn arithmetic(
    operator: BinaryOperator,
    left: &ConstantValue,
    right: &ConstantValue,
) -> Option<ConstantValue> {
    use BinaryOperator as Operator;
    use ConstantValue::{Duration, Float, Int, Text};
    let ints = |a: i64, b: i64| match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Divide => a.checked_div(b),
        _ => a.checked_rem(b),
    };
    Some(match (left, right) {
        (Int(a), Int(b)) => Int(ints(*a, *b)?),
        (Duration(a), Duration(b)) => Duration(ints(*a, *b)?),
        (Duration(a), Int(b)) => Duration(ints(*a, *b)?),
        (Float(a), Float(b)) => Float(match operator {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            Operator::Divide => a / b,
            _ => a % b,
        }),
        (Text(a), Text(b)) => Text(format!("{a}{b}").into()),
        _ => return None,
    })
}

/// `.len()` and `.is_empty()` of a value that is known.
fn measured(db: &dyn Db, item: ItemId, value: &ConstantValue) -> Option<ConstantValue> {
    let length = match value {
        ConstantValue::Text(text) => text.chars().count(),
        ConstantValue::List(elements) => elements.len(),
        _ => return None,
    };
    match library_name(db, item)? {
        "len" => Some(ConstantValue::Int(i64::try_from(length).ok()?)),
        "is_empty" => Some(ConstantValue::Bool(length == 0)),
        _ => None,
    }
}

/// The name of a function of the library that tells the size or the form of a value.
pub(crate) fn library_name(db: &dyn Db, item: ItemId) -> Option<&str> {
    let module = module_path(db, item.file(db))?;
    matches!(module, "std/string" | "std/list" | "std/map").then(|| item.name(db).as_str())
}
