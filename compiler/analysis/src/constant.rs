//! What is known of expressions without running them.

use std::cmp::Ordering;
use std::collections::HashMap;

use gsw_infer::hir::{
    ArithmeticOperator, BinaryOperator, Body, BodyPart, Callee, Coercion, EqualityOperator,
    ExpressionId, ExpressionKind, LogicOperator, OperatorClass, OrderOperator, Part, UnaryOperator,
};
use gsw_infer::infer_item;
use gsw_names::module_path;
use gsw_source::{Db, ItemId, Name, Place};
use gsw_syntax::ast::{self, ItemBody};
use gsw_syntax::item_ast;

/// How many bytes a string may have that is known before the program runs.
const LONGEST: usize = 1 << 20;

/// A value that is known before the program runs.
#[derive(Clone, PartialEq, Debug)]
pub enum ConstantValue {
    Bool(bool),
    Int(i64),
    Float(f64),
    /// In nanoseconds.
    Duration(i64),
    /// A string, also of a literal union.
    Text(Name),
    List(Vec<ConstantValue>),
}

/// The value of the constant `item`, where it is known without running anything.
pub fn constant_value(db: &dyn Db, item: ItemId) -> Option<ConstantValue> {
    Evaluation {
        db,
        known: HashMap::new(),
        it: None,
        siblings: &[],
    }
    .constant(item)
}

/// The text of a `where`; empty when there is none.
pub fn check_source(db: &dyn Db, item: ItemId, part: BodyPart) -> String {
    let tree = item_ast(db, item);
    let check = tree.as_deref().and_then(|it| check_of(&it.body, part));
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

fn check_of(body: &ItemBody, part: BodyPart) -> Option<&ast::Expression> {
    match part {
        BodyPart::FieldCheck(index) => {
            let ItemBody::Record(record) = body else {
                return None;
            };
            record.fields.get(index as usize)?.check.as_ref()
        }
        BodyPart::AliasCheck => {
            let ItemBody::Alias { check, .. } = body else {
                return None;
            };
            check.as_ref()
        }
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
        | BodyPart::Rows => None,
    }
}

/// Whether `value` satisfies a `where` over `it` and, by position, the fields beside it as far as these are known; `None` when
/// that is not known.
pub(crate) fn satisfies(
    db: &dyn Db,
    check: &Body,
    value: &ConstantValue,
    siblings: &[Option<ConstantValue>],
) -> Option<bool> {
    let mut evaluation = Evaluation {
        db,
        known: HashMap::new(),
        it: Some(value.clone()),
        siblings,
    };
    let ConstantValue::Bool(verdict) = evaluation.expression(check, check.root)? else {
        return None;
    };
    Some(verdict)
}

/// The value of an expression that names no local.
pub(crate) fn known_value(db: &dyn Db, body: &Body, id: ExpressionId) -> Option<ConstantValue> {
    Evaluation {
        db,
        known: HashMap::new(),
        it: None,
        siblings: &[],
    }
    .expression(body, id)
}

struct Evaluation<'a> {
    db: &'a dyn Db,
    /// What is known of constants. One that is being evaluated has no value yet, and none when it names itself.
    known: HashMap<ItemId, Option<ConstantValue>>,
    /// What the first parameter holds.
    it: Option<ConstantValue>,
    /// What the fields of the second one hold.
    siblings: &'a [Option<ConstantValue>],
}

impl Evaluation<'_> {
    fn constant(&mut self, item: ItemId) -> Option<ConstantValue> {
        if let Some(known) = self.known.get(&item) {
            return known.clone();
        }
        self.known.insert(item, None);
        let bodies = &infer_item(self.db, item).bodies;
        let body = bodies.iter().find(|it| it.part == BodyPart::Main)?;
        let value = self.expression(body, body.root);
        self.known.insert(item, value.clone());
        value
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    fn expression(&mut self, body: &Body, id: ExpressionId) -> Option<ConstantValue> {
        use ExpressionKind as Kind;
        match &body.expression(id).kind {
            Kind::Int(value) => Some(ConstantValue::Int(*value)),
            Kind::Float(bits) => Some(ConstantValue::Float(f64::from_bits(*bits))),
            Kind::Bool(value) => Some(ConstantValue::Bool(*value)),
            Kind::Duration(value) => Some(ConstantValue::Duration(*value)),
            Kind::String(text) => Some(ConstantValue::Text(text.clone())),
            Kind::Local(local) if body.parameters.first() == Some(local) => self.it.clone(),
            Kind::Field { base, index } => {
                let Kind::Local(local) = body.expression(*base).kind else {
                    return None;
                };
                if body.parameters.get(1) != Some(&local) {
                    return None;
                }
                self.siblings.get(*index as usize)?.clone()
            }
            Kind::Constant(item) => self.constant(*item),
            Kind::List(elements) => {
                let values = elements.iter().map(|it| self.expression(body, *it));
                Some(ConstantValue::List(values.collect::<Option<_>>()?))
            }
            Kind::Coerce { value, coercion } => match coercion {
                Coercion::Widen | Coercion::Check | Coercion::ToOptional | Coercion::ToJson => {
                    self.expression(body, *value)
                }
                Coercion::ToArgument | Coercion::ToSecret | Coercion::FromNever => None,
            },
            Kind::Block {
                statements,
                tail: Some(tail),
            } if statements.is_empty() => self.expression(body, *tail),
            Kind::Interpolation(parts) => self.text(body, parts),
            Kind::Unary { operator, operand } => {
                unary(*operator, &self.expression(body, *operand)?)
            }
            Kind::Binary {
                operator,
                left,
                right,
            } => {
                let left = self.expression(body, *left)?;
                binary(*operator, &left, &self.expression(body, *right)?)
            }
            Kind::Call {
                callee: Callee::Item { item, .. },
                arguments,
            } if arguments.len() == 1 => {
                let value = self.expression(body, arguments.first()?.1)?;
                measured(self.db, *item, &value)
            }
            Kind::None
            | Kind::Unit
            | Kind::Local(_)
            | Kind::FunctionValue { .. }
            | Kind::ConstructorValue { .. }
            | Kind::Lambda(_)
            | Kind::Record { .. }
            | Kind::Variant { .. }
            | Kind::ErrorValue { .. }
            | Kind::Map(_)
            | Kind::Tuple(_)
            | Kind::TupleField { .. }
            | Kind::JsonField { .. }
            | Kind::Index { .. }
            | Kind::In { .. }
            | Kind::Otherwise { .. }
            | Kind::Chain { .. }
            | Kind::Range { .. }
            | Kind::As(_)
            | Kind::Matches { .. }
            | Kind::If { .. }
            | Kind::Match { .. }
            | Kind::Catch { .. }
            | Kind::Block { .. }
            | Kind::For { .. }
            | Kind::While { .. }
            | Kind::Return(_)
            | Kind::Break
            | Kind::Continue
            | Kind::Fail(_)
            | Kind::Emit(_)
            | Kind::Call { .. }
            | Kind::PromptCall { .. }
            | Kind::PromptText { .. }
            | Kind::OfferedTool { .. }
            | Kind::Spawn(_)
            | Kind::Undo(_)
            | Kind::SpawnDetached { .. }
            | Kind::Await(_)
            | Kind::Race { .. }
            | Kind::ParallelFor { .. }
            | Kind::Parallel { .. }
            | Kind::Step { .. }
            | Kind::Modified { .. }
            | Kind::Invalid => None,
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
                    ConstantValue::Float(_)
                    | ConstantValue::Duration(_)
                    | ConstantValue::List(_) => return None,
                },
            }
        }
        bounded(text)
    }
}

/// A string, unless it is so long that it is better made when the program runs: constants that double each other grow without
/// end.
fn bounded(text: String) -> Option<ConstantValue> {
    (text.len() <= LONGEST).then(|| ConstantValue::Text(text.into()))
}

fn unary(operator: UnaryOperator, value: &ConstantValue) -> Option<ConstantValue> {
    match operator {
        UnaryOperator::Not => match value {
            ConstantValue::Bool(it) => Some(ConstantValue::Bool(!it)),
            ConstantValue::Int(_)
            | ConstantValue::Float(_)
            | ConstantValue::Duration(_)
            | ConstantValue::Text(_)
            | ConstantValue::List(_) => None,
        },
        UnaryOperator::Negate => match value {
            ConstantValue::Int(it) => it.checked_neg().map(ConstantValue::Int),
            ConstantValue::Float(it) => Some(ConstantValue::Float(-it)),
            ConstantValue::Duration(it) => it.checked_neg().map(ConstantValue::Duration),
            ConstantValue::Bool(_) | ConstantValue::Text(_) | ConstantValue::List(_) => None,
        },
    }
}

fn binary(
    operator: BinaryOperator,
    left: &ConstantValue,
    right: &ConstantValue,
) -> Option<ConstantValue> {
    match operator.class() {
        OperatorClass::Logic(operator) => {
            let (ConstantValue::Bool(left), ConstantValue::Bool(right)) = (left, right) else {
                return None;
            };
            Some(ConstantValue::Bool(match operator {
                LogicOperator::And => *left && *right,
                LogicOperator::Or => *left || *right,
            }))
        }
        OperatorClass::Equality(operator) => {
            let is_equal = order(left, right)?.is_eq();
            Some(ConstantValue::Bool(match operator {
                EqualityOperator::Equal => is_equal,
                EqualityOperator::NotEqual => !is_equal,
            }))
        }
        OperatorClass::Order(operator) => {
            let order = order(left, right)?;
            Some(ConstantValue::Bool(match operator {
                OrderOperator::Less => order.is_lt(),
                OrderOperator::LessEqual => order.is_le(),
                OrderOperator::Greater => order.is_gt(),
                OrderOperator::GreaterEqual => order.is_ge(),
            }))
        }
        OperatorClass::Arithmetic(operator) => arithmetic(operator, left, right),
    }
}

fn order(left: &ConstantValue, right: &ConstantValue) -> Option<Ordering> {
    use ConstantValue::{Bool, Duration, Float, Int, List, Text};
    match (left, right) {
        (Int(a), Int(b)) | (Duration(a), Duration(b)) => Some(a.cmp(b)),
        (Float(a), Float(b)) => a.partial_cmp(b),
        (Text(a), Text(b)) => Some(a.cmp(b)),
        (Bool(a), Bool(b)) => Some(a.cmp(b)),
        (Bool(_) | Int(_) | Float(_) | Duration(_) | Text(_) | List(_), _) => None,
    }
}

fn arithmetic(
    operator: ArithmeticOperator,
    left: &ConstantValue,
    right: &ConstantValue,
) -> Option<ConstantValue> {
    use ArithmeticOperator as Operator;
    use ConstantValue::{Bool, Duration, Float, Int, List, Text};
    let ints = |a: i64, b: i64| match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Divide => a.checked_div(b),
        Operator::Remainder => a.checked_rem(b),
    };
    match (left, right) {
        (Int(a), Int(b)) => ints(*a, *b).map(Int),
        (Duration(a), Duration(b)) if operator == Operator::Divide => {
            Some(Float(*a as f64 / *b as f64))
        }
        (Duration(a), Duration(b) | Int(b)) => ints(*a, *b).map(Duration),
        (Int(a), Duration(b)) if operator == Operator::Multiply => ints(*a, *b).map(Duration),
        (Float(a), Float(b)) => Some(Float(match operator {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            Operator::Divide => a / b,
            Operator::Remainder => a % b,
        })),
        (Text(a), Text(b)) if operator == Operator::Add => bounded(format!("{a}{b}")),
        (Bool(_) | Int(_) | Float(_) | Duration(_) | Text(_) | List(_), _) => None,
    }
}

/// `.len()` and `.is_empty()` of a value that is known.
fn measured(db: &dyn Db, item: ItemId, value: &ConstantValue) -> Option<ConstantValue> {
    let length = match value {
        ConstantValue::Text(text) => text.chars().count(),
        ConstantValue::List(elements) => elements.len(),
        ConstantValue::Bool(_)
        | ConstantValue::Int(_)
        | ConstantValue::Float(_)
        | ConstantValue::Duration(_) => return None,
    };
    match library_name(db, item)? {
        "len" => Some(ConstantValue::Int(i64::try_from(length).ok()?)),
        "is_empty" => Some(ConstantValue::Bool(length == 0)),
        _ => None,
    }
}

/// The name of a function of the library that returns the size or the form of a value.
pub(crate) fn library_name(db: &dyn Db, item: ItemId) -> Option<&str> {
    let module = module_path(db, item.file(db))?;
    let name = item.name(db).as_str();
    if module == "std/set" {
        return name.strip_prefix("Set.");
    }
    matches!(module, "std/string" | "std/list" | "std/map").then_some(name)
}
