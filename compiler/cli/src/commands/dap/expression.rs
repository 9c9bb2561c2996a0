//! Expressions that an editor has evaluated where a run is paused: watches, conditions of breakpoints, holes of log
//! messages.
//!
//! They are written in the language and read by its parser, and are evaluated over the JSON that names hold. Nothing is called, so
//! nothing of the run changes.

use std::cmp::Ordering;

use gsw_engine::codec::places::REDACTED;
use gsw_source::{Database, File, Severity};
use gsw_syntax::ast::{
    self, BinaryOperator, Chain, ExpressionKind, ItemBody, Literal, OperatorClass, StringPart,
    UnaryOperator,
};
use serde_json::{Number, Value, json};

/// What names hold, by name; `None` when no such name is in scope.
pub type Names<'a> = dyn Fn(&str) -> Option<Value> + 'a;

/// An expression that can be evaluated.
#[derive(Clone, Debug)]
pub struct Expression(ast::Expression);

impl Expression {
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no expression");
        let db = Database::default();
        let file = File::new(
            &db,
            "watch.gsw".into(),
            format!("const WATCH = {text}").into(),
        );
        let reports = gsw_syntax::file_syntax_diagnostics(&db, file);
        if let Some(report) = reports.iter().find(|it| it.severity == Severity::Error) {
            return Err(format!("{}: {}", wrong(), report.message));
        }
        let [item] = gsw_syntax::file_item_ids(&db, file).as_slice() else {
            return Err(wrong());
        };
        let item = gsw_syntax::item_ast(&db, *item).ok_or_else(wrong)?;
        let ItemBody::Const(it) = &item.body else {
            return Err(wrong());
        };
        Ok(Self(it.value.clone()))
    }

    /// Its value where names hold what `names` says.
    pub fn value(&self, names: &Names<'_>) -> Result<Value, String> {
        value(&self.0, names)
    }

    pub fn holds(&self, names: &Names<'_>) -> Result<bool, String> {
        truth(&self.value(names)?)
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
fn value(it: &ast::Expression, names: &Names<'_>) -> Result<Value, String> {
    match &it.kind {
        ExpressionKind::Literal(it) => literal(it),
        ExpressionKind::Interpolation(parts) => interpolated(parts, names),
        ExpressionKind::Name(name) => names(name).ok_or_else(|| unknown(name)),
        ExpressionKind::Field { base, name, chain } => {
            field(value(base, names)?, &name.name, *chain)
        }
        ExpressionKind::TupleField { base, index, .. } => {
            element(value(base, names)?, &json!(index))
        }
        ExpressionKind::Index { base, index } => {
            element(value(base, names)?, &value(index, names)?)
        }
        ExpressionKind::Parenthesized(it) => value(it, names),
        ExpressionKind::List(them) | ExpressionKind::Tuple(them) => {
            them.iter().map(|it| value(it, names)).collect()
        }
        ExpressionKind::Unit => Ok(Value::Null),
        ExpressionKind::Unary { operator, operand } => unary(*operator, value(operand, names)?),
        ExpressionKind::Binary {
            operator,
            left,
            right,
            ..
        } => binary(*operator, value(left, names)?, || value(right, names)),
        ExpressionKind::Call { .. } => Err("nothing is called where a run stands".to_owned()),
        ExpressionKind::AllOf(_)
        | ExpressionKind::Record { .. }
        | ExpressionKind::Map(_)
        | ExpressionKind::Range { .. }
        | ExpressionKind::Lambda { .. }
        | ExpressionKind::As { .. }
        | ExpressionKind::Catch { .. }
        | ExpressionKind::If { .. }
        | ExpressionKind::Let { .. }
        | ExpressionKind::Match { .. }
        | ExpressionKind::Do(_)
        | ExpressionKind::For { .. }
        | ExpressionKind::While { .. }
        | ExpressionKind::Return(_)
        | ExpressionKind::Break
        | ExpressionKind::Continue
        | ExpressionKind::Fail(_)
        | ExpressionKind::Emit(_)
        | ExpressionKind::Text { .. }
        | ExpressionKind::Spawn(_)
        | ExpressionKind::SpawnDetached(_)
        | ExpressionKind::Undo { .. }
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
        | ExpressionKind::Invalid => {
            Err("a debugger evaluates names, parts of values, literals and operators".to_owned())
        }
    }
}

fn unknown(name: &str) -> String {
    let is_variant = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
    match is_variant {
        true => {
            format!(
                "no `{name}` is in scope; values are JSON here, and a variant is its name: `\"{name}\"`"
            )
        }
        false => format!("no `{name}` is in scope"),
    }
}

fn literal(it: &Literal) -> Result<Value, String> {
    match it {
        Literal::Int(it) => {
            let number = it.and_then(|it| i64::try_from(it).ok());
            number.map(Value::from).ok_or_else(too_large)
        }
        Literal::Float(bits) => Ok(json!(f64::from_bits(*bits))),
        Literal::Bool(it) => Ok(json!(it)),
        Literal::None => Ok(Value::Null),
        Literal::String(it) => Ok(json!(it.as_str())),
        Literal::Duration(_) => Err("durations are not compared by a debugger".to_owned()),
    }
}

fn interpolated(parts: &[StringPart], names: &Names<'_>) -> Result<Value, String> {
    let mut text = String::new();
    for part in parts {
        match part {
            StringPart::Text(it) => text.push_str(it),
            StringPart::Expression(it) => text.push_str(&shown(&value(it, names)?)),
        }
    }
    Ok(Value::String(text))
}

/// A value in a text: a string without its quotation marks.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(it) => it.clone(),
        Value::Null => "none".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

fn field(mut of: Value, name: &str, chain: Chain) -> Result<Value, String> {
    if of.is_null() && chain == Chain::Optional {
        return Ok(Value::Null);
    }
    let found = of.get_mut(name).map(Value::take);
    found.ok_or_else(|| format!("there is no `{name}` in it"))
}

/// An element of a list by its position, or of a map by its key.
fn element(mut of: Value, index: &Value) -> Result<Value, String> {
    let found = match index {
        Value::Number(number) => {
            let position = number.as_u64().and_then(|it| usize::try_from(it).ok());
            match position.filter(|_| of.is_array()) {
                Some(position) => of.get_mut(position),
                // A map whose keys are numbers.
                None => of.get_mut(number.to_string()),
            }
        }
        Value::String(key) => of.get_mut(key),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let found = found.map(Value::take);
    found.ok_or_else(|| format!("there is no `[{index}]` in it"))
}

fn unary(operator: UnaryOperator, operand: Value) -> Result<Value, String> {
    match operator {
        UnaryOperator::Not => Ok(json!(!truth(&operand)?)),
        UnaryOperator::Negate => arithmetic(
            BinaryOperator::Subtract,
            &json!(0),
            &operand,
            i64::checked_sub,
            |a, b| a - b,
        ),
    }
}

fn binary(
    operator: BinaryOperator,
    left: Value,
    right: impl Fn() -> Result<Value, String>,
) -> Result<Value, String> {
    // A debugger is shown nothing of what is secret, so that no comparison with it is right.
    let right = || {
        let right = right()?;
        let is_compared = match operator.class() {
            OperatorClass::Equality | OperatorClass::Order => true,
            OperatorClass::Logic
            | OperatorClass::Membership
            | OperatorClass::Fallback
            | OperatorClass::Arithmetic => false,
        };
        match is_compared && (left == REDACTED || right == REDACTED) {
            true => Err("what is hidden is not compared".to_owned()),
            false => Ok(right),
        }
    };
    let ordered = |wanted: fn(Ordering) -> bool| -> Result<Value, String> {
        Ok(json!(wanted(order(&left, &right()?)?)))
    };
    match operator {
        BinaryOperator::Or if truth(&left)? => Ok(json!(true)),
        BinaryOperator::And if !truth(&left)? => Ok(json!(false)),
        BinaryOperator::Or | BinaryOperator::And => Ok(json!(truth(&right()?)?)),
        BinaryOperator::Equal => Ok(json!(is_equal(&left, &right()?))),
        BinaryOperator::NotEqual => Ok(json!(!is_equal(&left, &right()?))),
        BinaryOperator::Less => ordered(Ordering::is_lt),
        BinaryOperator::LessEqual => ordered(Ordering::is_le),
        BinaryOperator::Greater => ordered(Ordering::is_gt),
        BinaryOperator::GreaterEqual => ordered(Ordering::is_ge),
        BinaryOperator::In => Ok(json!(holds(&right()?, &left)?)),
        BinaryOperator::NotIn => Ok(json!(!holds(&right()?, &left)?)),
        BinaryOperator::Otherwise if left.is_null() => right(),
        BinaryOperator::Otherwise => Ok(left),
        BinaryOperator::Add => match (&left, right()?) {
            (Value::String(left), Value::String(right)) => Ok(json!(format!("{left}{right}"))),
            (left, right) => arithmetic(operator, left, &right, i64::checked_add, |a, b| a + b),
        },
        BinaryOperator::Subtract => {
            arithmetic(operator, &left, &right()?, i64::checked_sub, |a, b| a - b)
        }
        BinaryOperator::Multiply => {
            arithmetic(operator, &left, &right()?, i64::checked_mul, |a, b| a * b)
        }
        BinaryOperator::Divide => {
            arithmetic(operator, &left, &right()?, i64::checked_div, |a, b| a / b)
        }
        BinaryOperator::Remainder => {
            arithmetic(operator, &left, &right()?, i64::checked_rem, |a, b| a % b)
        }
    }
}

fn truth(value: &Value) -> Result<bool, String> {
    let truth = value.as_bool();
    truth.ok_or_else(|| format!("`{}` is no `bool`", shown(value)))
}

fn is_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        // `1.0` and `1` are one number in JSON.
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (left, right) => left == right,
    }
}

fn order(left: &Value, right: &Value) -> Result<Ordering, String> {
    let found = match (left, right) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            (None, _) | (_, None) => float(a).partial_cmp(&float(b)),
        },
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => None,
    };
    found.ok_or_else(|| format!("`{left}` and `{right}` have no order"))
}

/// Whether a list, a text or the keys of a map hold a value.
fn holds(all: &Value, one: &Value) -> Result<bool, String> {
    match (all, one) {
        (Value::Array(all), one) => Ok(all.iter().any(|it| is_equal(it, one))),
        (Value::String(all), Value::String(one)) => Ok(all.contains(one)),
        (Value::Object(all), Value::String(one)) => Ok(all.contains_key(one)),
        (Value::Object(all), one) => Ok(all.contains_key(&one.to_string())),
        (all, _) => Err(format!("nothing is in `{all}`")),
    }
}

fn arithmetic(
    operator: BinaryOperator,
    left: &Value,
    right: &Value,
    whole: fn(i64, i64) -> Option<i64>,
    broken: fn(f64, f64) -> f64,
) -> Result<Value, String> {
    let (Value::Number(a), Value::Number(b)) = (left, right) else {
        let symbol = operator.symbol();
        return Err(format!("`{symbol}` takes no `{left}` and `{right}`"));
    };
    match (a.as_i64(), b.as_i64()) {
        (Some(_), Some(0))
            if matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder) =>
        {
            Err(format!("`{a}` is divided by 0"))
        }
        (Some(a), Some(b)) => whole(a, b).map(Value::from).ok_or_else(too_large),
        (None, _) | (_, None) => Ok(json!(broken(float(a), float(b)))),
    }
}

fn float(number: &Number) -> f64 {
    // A number of JSON that is no whole one is a float.
    number.as_f64().unwrap_or_default()
}

fn too_large() -> String {
    "the number has no place in 64 bits".to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Expression;

    fn value(text: &str) -> Result<Value, String> {
        let order = json!({"lines": [{}, {"title": "x", "price": 3}], "by": {"7": true}});
        let names = move |name: &str| match name {
            "order" => Some(order.clone()),
            "n" => Some(json!(4)),
            "ratio" => Some(json!(0.5)),
            "nothing" => Some(Value::Null),
            "pin" => Some(json!("***")),
            _ => None,
        };
        Expression::parse(text)?.value(&names)
    }

    #[test]
    fn parts_literals_and_operators_are_evaluated() {
        let cases = [
            (" order.lines[1].title ", json!("x")),
            ("order.by[7]", json!(true)),
            ("order.lines[1].price * 2 + n", json!(10)),
            ("n > 3 and not (n == 5)", json!(true)),
            ("ratio < 1", json!(true)),
            ("nothing ?? -n", json!(-4)),
            ("n in [1, 4]", json!(true)),
            ("\"n is ${n}\"", json!("n is 4")),
            ("n % 2 == 0 or nobody", json!(true)),
            ("nothing?.title == none", json!(true)),
        ];
        for (text, wanted) in cases {
            assert_eq!(value(text), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_evaluated_says_why() {
        let cases = [
            ("f(n)", "nothing is called where a run stands"),
            ("nobody", "no `nobody` is in scope"),
            ("order.lines[9]", "there is no `[9]` in it"),
            ("n / 0", "`4` is divided by 0"),
            (
                "n * 9223372036854775807",
                "the number has no place in 64 bits",
            ),
            ("not n", "`4` is no `bool`"),
            ("pin == \"1234\"", "what is hidden is not compared"),
            ("pin < \"1234\"", "what is hidden is not compared"),
        ];
        for (text, wanted) in cases {
            assert_eq!(value(text), Err(wanted.to_owned()), "{text}");
        }
        for text in ["", "n >", "1\nfn f() {}", "n) + (n"] {
            assert!(Expression::parse(text).is_err(), "{text}");
        }
    }
}
