//! A form on the terminal, led by the type of the answer: one line for each scalar, field by field, item by item.
//!
//! It makes JSON; whether that fits is checked by the run. What was refused is asked again, and what fits is kept.

use gsw_abi::types::{Check, CheckScope, Enum, Field, KIND, Secrecy, Type, TypeId, TypeTable};
use gsw_engine::human::Question;
use gsw_trace::Shown;
use serde_json::{Map, Value};

use crate::person::desk::shown;
use crate::person::echo::Unseen;
use crate::person::refused::Earlier;
use crate::say::{ask, say, say_lines};
use crate::value_text;

/// Opens and closes a text of several lines.
const BLOCK: &str = "\"\"\"";

/// Lines that a person types.
pub trait Keys {
    /// The next one, without its end.
    fn next(&mut self) -> Result<String, Stop>;
    /// Has the terminal show no keys while the result lives; `None` where it shows them.
    fn hide(&mut self) -> Option<Unseen>;
}

/// Why a form ends without an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It is not needed any more.
    Withdrawn,
    /// The person closed the input.
    Declined,
    /// The input cannot be read, for this reason.
    Broken(String),
}

/// A form for one question.
pub struct Form<'a> {
    types: &'a TypeTable,
    question: &'a Question,
    keys: &'a mut dyn Keys,
    earlier: Earlier,
    /// While a field that is hidden is asked for, from before its first prompt to after its last line.
    unseen: Option<Unseen>,
}

/// What is asked for at one place of the answer.
#[derive(Clone)]
struct Place<'a> {
    /// Where it is in the answer, as `$.items[2].name`.
    path: String,
    name: &'a str,
    docs: Option<&'a str>,
    /// The `where` after the field itself.
    check: Option<&'a Check>,
    /// What an empty line means.
    empty: Empty,
    /// Whether what is typed there may be shown.
    secrecy: Secrecy,
}

/// What an empty line means.
#[derive(Clone)]
enum Empty {
    /// Nothing: it is an answer like any other, or is asked again.
    Answer,
    /// The default, or the value that was given before.
    Value(Value),
    Nothing,
    /// The end of a list.
    End,
}

/// The outcome of a place.
enum Given {
    Value(Value),
    /// The list is at its end.
    End,
}

impl<'a> Form<'a> {
    /// A form that nothing was typed into yet.
    pub fn new(types: &'a TypeTable, question: &'a Question, keys: &'a mut dyn Keys) -> Self {
        Self {
            types,
            question,
            keys,
            earlier: Earlier::of(question),
            unseen: None,
        }
    }

    /// Shows the question and asks until there is an answer.
    pub fn fill(mut self) -> Result<Value, Stop> {
        match &self.question.refused {
            None => {
                say_lines(&shown(self.question));
                say("(ctrl-d declines)");
            }
            Some(refused) => {
                say("! this does not fit:");
                for issue in &refused.issues {
                    say(&Shown::line(&format!("  {}", issue.message)).text());
                }
            }
        }
        let place = Place {
            path: "$".into(),
            name: "answer",
            docs: None,
            check: None,
            empty: Empty::Answer,
            secrecy: Secrecy::Shown,
        };
        match self.ask(self.question.result, &place)? {
            Given::Value(value) => Ok(value),
            Given::End => Ok(Value::Null),
        }
    }

    fn ask(&mut self, ty: TypeId, place: &Place<'_>) -> Result<Given, Stop> {
        if let Some(value) = self.earlier.good(&place.path) {
            return Ok(Given::Value(value.clone()));
        }
        let types = self.types;
        match types.get(ty) {
            Type::Checked {
                base, check, docs, ..
            } => {
                let place = Place {
                    docs: place.docs.or(docs.as_deref()),
                    check: place.check.or(Some(check)),
                    ..place.clone()
                };
                self.ask(*base, &place)
            }
            Type::Optional(of) => self.optional(*of, place),
            Type::Unit => Ok(Given::Value(Value::Null)),
            Type::Bool => self.scalar(place, "y/n", yes_or_no),
            Type::Literals(words) => {
                let choices: Vec<(&str, Option<&str>)> =
                    words.iter().map(|it| (it.as_str(), None)).collect();
                self.choice(place, &choices, |index| Value::from(words[index].as_str()))
            }
            Type::Enum(it) => self.variant(it, place),
            Type::Record(it) if !matches!(place.empty, Empty::Answer) => {
                self.composite(place, "fill it in? y/n", |form| {
                    form.fields(it.docs.as_deref(), &it.fields, place, Map::new())
                })
            }
            Type::Record(it) => {
                let fields = self.fields(it.docs.as_deref(), &it.fields, place, Map::new())?;
                Ok(Given::Value(fields))
            }
            Type::List(of) | Type::Set { of, .. } if !matches!(place.empty, Empty::Answer) => {
                self.composite(place, "fill it in? y/n", |form| form.list(*of, place))
            }
            Type::List(of) | Type::Set { of, .. } => Ok(Given::Value(self.list(*of, place)?)),
            Type::String => self.text(place),
            Type::Int => self.typed(ty, place, "a whole number"),
            Type::Float => self.typed(ty, place, "a number"),
            Type::Duration => self.typed(ty, place, "such as 1m30s"),
            Type::Time => self.typed(ty, place, "such as 2026-05-01T12:00:00Z"),
            Type::Bytes
            | Type::Json
            | Type::Secret
            | Type::Media
            | Type::Error
            | Type::Map { .. }
            | Type::Tuple(_)
            | Type::ErrorKind(_)
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => self.typed(ty, place, "JSON"),
        }
    }

    /// A value as on a command line.
    fn typed(&mut self, ty: TypeId, place: &Place<'_>, what: &str) -> Result<Given, Stop> {
        let types = self.types;
        self.scalar(place, what, |text| value_text::read(types, ty, text))
    }

    fn optional(&mut self, of: TypeId, place: &Place<'_>) -> Result<Given, Stop> {
        let empty = match &place.empty {
            Empty::Answer => Empty::Nothing,
            other @ (Empty::Nothing | Empty::End | Empty::Value(_)) => other.clone(),
        };
        let place = Place {
            empty,
            ..place.clone()
        };
        self.ask(of, &place)
    }

    /// What takes several lines and may be left out: asks first whether it is wanted.
    fn composite(
        &mut self,
        place: &Place<'_>,
        what: &str,
        fill: impl FnOnce(&mut Self) -> Result<Value, Stop>,
    ) -> Result<Given, Stop> {
        match self.scalar(place, what, yes_or_no)? {
            Given::Value(Value::Bool(true)) => Ok(Given::Value(fill(self)?)),
            Given::Value(Value::Bool(false)) => Ok(empty(place)),
            given @ (Given::Value(_) | Given::End) => Ok(given),
        }
    }

    /// The fields of a record or variant, after those that `object` has.
    fn fields(
        &mut self,
        docs: Option<&str>,
        fields: &[Field],
        place: &Place<'_>,
        mut object: Map<String, Value>,
    ) -> Result<Value, Stop> {
        if let Some(docs) = place.docs.or(docs).filter(|_| place.path != "$") {
            say(&Shown::line(&format!("{}: {docs}", place.name)).text());
        }
        // A check over several fields may be fixed in any of them.
        let path_of = |field: &Field| format!("{}.{}", place.path, field.wire);
        let all = fields.iter().any(|it| {
            let is_wide = it
                .check
                .as_ref()
                .is_some_and(|it| it.scope == CheckScope::Record);
            is_wide && self.earlier.is_wrong(&path_of(it))
        });
        for field in fields {
            let path = path_of(field);
            let kept = self.earlier.good(&path).filter(|_| !all);
            if let Some(value) = kept {
                object.insert(field.wire.clone(), value.clone());
                continue;
            }
            let default = field.default.as_ref().and_then(|default| {
                let mut defaults = self.question.defaults.iter();
                defaults.find(|it| it.0 == default.function).map(|it| &it.1)
            });
            // What may stay as it is needs no typing.
            let before = self
                .earlier
                .at(&path)
                .filter(|_| !self.earlier.is_wrong(&path));
            let inner = Place {
                // Below it nothing is kept when all is asked again.
                path: if all { String::new() } else { path },
                name: &field.name,
                docs: field.docs.as_deref(),
                check: field.check.as_ref(),
                empty: match before.or(default) {
                    Some(value) => Empty::Value(value.clone()),
                    None => Empty::Answer,
                },
                secrecy: match place.secrecy {
                    Secrecy::Redacted => Secrecy::Redacted,
                    Secrecy::Shown => field.secrecy,
                },
            };
            let is_outermost = place.secrecy == Secrecy::Shown;
            if is_outermost && inner.secrecy == Secrecy::Redacted {
                self.unseen = self.keys.hide();
            }
            let given = self.ask(field.ty, &inner)?;
            if is_outermost {
                self.unseen = None;
            }
            if let Given::Value(value) = given {
                object.insert(field.wire.clone(), value);
            }
        }
        Ok(Value::Object(object))
    }

    /// One item after the other.
    fn list(&mut self, of: TypeId, place: &Place<'_>) -> Result<Value, Stop> {
        let mut items = Vec::new();
        loop {
            let name = format!("{} {}", place.name, items.len() + 1);
            let inner = Place {
                // Items are asked again together.
                path: String::new(),
                name: &name,
                docs: place.docs.filter(|_| items.is_empty()),
                check: place.check.filter(|_| items.is_empty()),
                empty: Empty::End,
                secrecy: place.secrecy,
            };
            match self.ask(of, &inner)? {
                Given::Value(value) => items.push(value),
                Given::End => return Ok(Value::Array(items)),
            }
        }
    }

    /// One of the variants, then its payload.
    fn variant(&mut self, it: &Enum, place: &Place<'_>) -> Result<Given, Stop> {
        let choices: Vec<(&str, Option<&str>)> = it
            .variants
            .iter()
            .map(|it| (it.wire.as_str(), it.docs.as_deref()))
            .collect();
        let given = self.choice(place, &choices, |index| Value::from(index as u64))?;
        let Given::Value(Value::Number(index)) = &given else {
            return Ok(given);
        };
        let index = index.as_u64().unwrap_or_default() as usize;
        let variant = &it.variants[index.min(it.variants.len() - 1)];
        if variant.fields.is_empty() {
            return Ok(Given::Value(Value::from(variant.wire.as_str())));
        }
        let kind = Map::from_iter([(KIND.to_owned(), Value::from(variant.wire.as_str()))]);
        let inside = Place {
            name: &variant.name,
            docs: None,
            check: None,
            empty: Empty::Answer,
            ..place.clone()
        };
        let fields = self.fields(None, &variant.fields, &inside, kind)?;
        Ok(Given::Value(fields))
    }

    /// One of several, by number or name.
    fn choice(
        &mut self,
        place: &Place<'_>,
        choices: &[(&str, Option<&str>)],
        value: impl Fn(usize) -> Value,
    ) -> Result<Given, Stop> {
        for (index, (name, docs)) in choices.iter().enumerate() {
            let docs = docs.map(|it| format!(" — {it}")).unwrap_or_default();
            say(&Shown::line(&format!("  {}) {name}{docs}", index + 1)).text());
        }
        let what = format!("1-{} or a name", choices.len());
        self.scalar(place, &what, |text| {
            let number = text
                .parse::<usize>()
                .ok()
                .filter(|it| (1..=choices.len()).contains(it));
            let named = choices.iter().position(|it| it.0 == text);
            let loosely = || {
                choices
                    .iter()
                    .position(|it| it.0.eq_ignore_ascii_case(text))
            };
            match named.or(number.map(|it| it - 1)).or_else(loosely) {
                Some(index) => Ok(value(index)),
                None => Err(format!("`{text}` is not one of them")),
            }
        })
    }

    /// A text: a line as it is typed, or several between `"""`.
    fn text(&mut self, place: &Place<'_>) -> Result<Given, Stop> {
        let what = format!("text; {BLOCK} begins and ends several lines");
        loop {
            self.prompt(place, &what);
            let line = self.line()?;
            if line.is_empty() && !matches!(place.empty, Empty::Answer) {
                return Ok(empty(place));
            }
            let text = if line.trim() == BLOCK {
                self.block()?
            } else {
                line
            };
            match problem(&text) {
                None => return Ok(Given::Value(Value::from(text))),
                Some(why) => say(why),
            }
        }
    }

    fn line(&mut self) -> Result<String, Stop> {
        let line = self.keys.next();
        if self.unseen.is_some() {
            // The key that ended the line was not shown either.
            say("");
        }
        line
    }

    fn block(&mut self) -> Result<String, Stop> {
        let mut lines = Vec::new();
        loop {
            let line = self.line()?;
            if line.trim() == BLOCK {
                return Ok(lines.join("\n"));
            }
            lines.push(line);
        }
    }

    /// What fits on a line; asks until it can be read.
    fn scalar(
        &mut self,
        place: &Place<'_>,
        what: &str,
        read: impl Fn(&str) -> Result<Value, String>,
    ) -> Result<Given, Stop> {
        loop {
            self.prompt(place, what);
            let line = self.line()?;
            let text = line.trim();
            if text.is_empty() && !matches!(place.empty, Empty::Answer) {
                return Ok(empty(place));
            }
            match read(text) {
                Ok(value) => return Ok(Given::Value(value)),
                Err(why) => match place.secrecy {
                    Secrecy::Shown => say(&Shown::line(&format!("! {why}")).text()),
                    // The reason names what was typed.
                    Secrecy::Redacted => say("! this does not fit"),
                },
            }
        }
    }

    /// `confidence (a number, it <= 1.0; empty: 0.5) — How sure you are: `
    fn prompt(&self, place: &Place<'_>, what: &str) {
        let check = place.check.map(|it| format!(", {}", it.source));
        let empty = match &place.empty {
            Empty::Answer => String::new(),
            Empty::Value(value) if !value.is_null() => match place.secrecy {
                Secrecy::Shown => format!("; empty: {value}"),
                Secrecy::Redacted => "; empty: ***".into(),
            },
            Empty::Value(_) | Empty::Nothing => "; empty: none".into(),
            Empty::End => "; empty: no more".into(),
        };
        let docs = place.docs.map(|it| format!(" — {it}")).unwrap_or_default();
        let text = format!(
            "{} ({what}{}{empty}){docs}",
            place.name,
            check.unwrap_or_default()
        );
        // The full stop of a doc comment would come before the colon.
        let text = text.replace('\n', " ");
        ask(&format!("{}: ", text.trim_end_matches('.')));
    }
}

fn empty(place: &Place<'_>) -> Given {
    match &place.empty {
        Empty::Value(value) => Given::Value(value.clone()),
        Empty::End => Given::End,
        Empty::Answer | Empty::Nothing => Given::Value(Value::Null),
    }
}

fn yes_or_no(text: &str) -> Result<Value, String> {
    match text.to_ascii_lowercase().as_str() {
        "y" | "yes" | "true" => Ok(Value::Bool(true)),
        "n" | "no" | "false" => Ok(Value::Bool(false)),
        _ => Err("`y` or `n`".into()),
    }
}

/// What is wrong with a text: keys that move the cursor leave characters in it that were not typed on purpose.
fn problem(text: &str) -> Option<&'static str> {
    let is_sign = |it: char| it.is_control() && it != '\t' && it != '\n';
    text.contains(is_sign)
        .then_some("! there are control characters in it; please type it again")
}
