//! Random programs with secrets: types with `@secret` at random places, values whose every hidden part is a mark that nothing else
//! holds, and answers of a model that are right, wrong, or no JSON at all.

use serde_json::{Map, Value, json};

use crate::generate::random::Random;

/// A program, what it is given, and what its model answers.
#[derive(Debug)]
pub struct SecretProgram {
    /// The program. Its `main` takes `--whole` and `--bare`.
    pub source: String,
    /// The words of the command line.
    pub arguments: Vec<String>,
    /// What the model answers, in turn: to requests that hold this text.
    pub turns: Vec<(&'static str, Turn)>,
    /// What a person answers, a line each; empty when no person is asked.
    pub answers: Vec<String>,
    /// Texts that are only in hidden places.
    pub marks: Vec<String>,
}

/// What a model does when it is asked.
#[derive(Debug)]
pub enum Turn {
    /// It calls the tool of this name.
    Calls(&'static str, Value),
    /// It says this.
    Says(String),
    /// Its provider refuses the request, with this message.
    Refuses(String),
}

/// A type with a JSON form.
#[derive(Clone)]
enum Ty {
    Text,
    Int,
    Float,
    Optional(Box<Ty>),
    List(Box<Ty>),
    Map(Box<Ty>),
    Pair(Box<Ty>, Box<Ty>),
    Record(usize),
    Choice(usize),
}

/// A field, and whether `@secret` precedes it.
struct Field {
    name: String,
    ty: Ty,
    is_secret: bool,
}

/// Whether a value lies in a hidden place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Shown,
    Hidden,
}

struct Maker {
    random: Random,
    records: Vec<Vec<Field>>,
    /// The payloads of the second variant of each enum; the first has none.
    choices: Vec<Vec<Field>>,
    marks: Vec<String>,
    /// The marks that are values of texts.
    texts: Vec<String>,
}

/// A program by its seed.
#[must_use]
pub fn secret_program(seed: u64) -> SecretProgram {
    let mut maker = Maker {
        random: Random::new(seed),
        records: Vec::new(),
        choices: Vec::new(),
        marks: Vec::new(),
        texts: Vec::new(),
    };
    maker.declare();
    maker.program()
}

impl Maker {
    fn declare(&mut self) {
        for _ in 0..2 + self.random.below(3) {
            let fields = self.fields();
            if self.random.one_in(3) {
                self.choices.push(fields);
            } else {
                self.records.push(fields);
            }
        }
        // The record that everything is about hides at least one field and has one that a wrong answer gets wrong.
        let mut fields = self.fields();
        fields[0].is_secret = true;
        fields.push(Field {
            name: "count".into(),
            ty: Ty::Int,
            is_secret: false,
        });
        self.records.push(fields);
    }

    fn fields(&mut self) -> Vec<Field> {
        let count = 1 + self.random.below(3);
        let field = |index| Field {
            name: format!("f{index}"),
            ty: self.ty(2),
            is_secret: self.random.one_in(2),
        };
        (0..count).map(field).collect()
    }

    fn ty(&mut self, depth: usize) -> Ty {
        if depth > 0 {
            let inner = |it: &mut Self| Box::new(it.ty(depth - 1));
            match self.random.below(9) {
                0 => {
                    // An optional of an optional is the optional itself.
                    return match self.ty(depth - 1) {
                        it @ Ty::Optional(_) => it,
                        it => Ty::Optional(Box::new(it)),
                    };
                }
                1 => return Ty::List(inner(self)),
                2 => return Ty::Map(inner(self)),
                3 => return Ty::Pair(inner(self), inner(self)),
                4 | 5 if !self.records.is_empty() => {
                    return Ty::Record(self.random.below(self.records.len()));
                }
                6 if !self.choices.is_empty() => {
                    return Ty::Choice(self.random.below(self.choices.len()));
                }
                _ => {}
            }
        }
        match self.random.below(4) {
            0 => Ty::Int,
            1 => Ty::Float,
            _ => Ty::Text,
        }
    }

    /// A random value; its parts in hidden places are marks.
    fn value(&mut self, ty: &Ty, place: Place) -> Value {
        match ty {
            Ty::Text if place == Place::Hidden => {
                let mark = format!("MARK{:04}x", self.marks.len());
                self.marks.push(mark.clone());
                self.texts.push(mark.clone());
                mark.into()
            }
            Ty::Text => format!("plain {}", self.random.below(100)).into(),
            Ty::Int if place == Place::Hidden => {
                let mark = 7_310_000_000_u64 + self.marks.len() as u64;
                self.marks.push(mark.to_string());
                mark.into()
            }
            Ty::Int => self.random.below(100).into(),
            Ty::Float if place == Place::Hidden => {
                let mark = format!("83125{:04}.25", self.marks.len());
                let number = mark.parse::<f64>().unwrap_or_default();
                self.marks.push(mark);
                number.into()
            }
            Ty::Float => (self.random.below(100) as f64 + 0.5).into(),
            Ty::Optional(_) if place == Place::Shown && self.random.one_in(3) => Value::Null,
            Ty::Optional(of) => self.value(of, place),
            Ty::List(of) => {
                let count = 1 + self.random.below(2);
                (0..count).map(|_| self.value(of, place)).collect()
            }
            Ty::Map(of) => {
                let key = match (place, self.random.one_in(2)) {
                    (Place::Hidden, true) => format!("MARK{:04}x", self.marks.len()),
                    _ => "key".to_owned(),
                };
                if key != "key" {
                    self.marks.push(key.clone());
                }
                json!({ key: self.value(of, place) })
            }
            Ty::Pair(first, second) => {
                json!([self.value(first, place), self.value(second, place)])
            }
            Ty::Record(index) => self.object(Map::new(), place, Maker::record, *index),
            Ty::Choice(_) if self.random.one_in(3) => "Plain".into(),
            Ty::Choice(index) => {
                let kind = Map::from_iter([("kind".to_owned(), "Rich".into())]);
                self.object(kind, place, Maker::choice, *index)
            }
        }
    }

    fn record(&self, index: usize) -> &[Field] {
        &self.records[index]
    }

    fn choice(&self, index: usize) -> &[Field] {
        &self.choices[index]
    }

    fn object(
        &mut self,
        mut object: Map<String, Value>,
        place: Place,
        fields: fn(&Self, usize) -> &[Field],
        index: usize,
    ) -> Value {
        for at in 0..fields(self, index).len() {
            let Field {
                name,
                ty,
                is_secret,
            } = &fields(self, index)[at];
            let (name, ty) = (name.clone(), ty.clone());
            let place = if *is_secret { Place::Hidden } else { place };
            let value = self.value(&ty, place);
            object.insert(name, value);
        }
        Value::Object(object)
    }

    fn text(ty: &Ty) -> String {
        match ty {
            Ty::Text => "string".into(),
            Ty::Int => "int".into(),
            Ty::Float => "float".into(),
            Ty::Optional(of) => format!("{}?", Self::text(of)),
            Ty::List(of) => format!("[{}]", Self::text(of)),
            Ty::Map(of) => format!("{{string: {}}}", Self::text(of)),
            Ty::Pair(first, second) => format!("({}, {})", Self::text(first), Self::text(second)),
            Ty::Record(index) => format!("R{index}"),
            Ty::Choice(index) => format!("E{index}"),
        }
    }

    fn declarations(&self) -> String {
        let listed = |fields: &[Field]| {
            let field = |it: &Field| {
                let secret = if it.is_secret { "@secret " } else { "" };
                format!("{secret}{}: {}", it.name, Self::text(&it.ty))
            };
            fields.iter().map(field).collect::<Vec<_>>().join(", ")
        };
        let records = self.records.iter().enumerate();
        let records = records.map(|(at, it)| format!("type R{at} {{ {} }}\n", listed(it)));
        let choices = self.choices.iter().enumerate();
        let choices =
            choices.map(|(at, it)| format!("enum E{at} {{ Plain, Rich({}) }}\n", listed(it)));
        records.chain(choices).collect()
    }

    fn program(&mut self) -> SecretProgram {
        let record = Ty::Record(self.records.len() - 1);
        let bare = self.ty(1);
        let arguments = [
            ("--whole", &record, Place::Shown),
            ("--bare", &bare, Place::Hidden),
        ];
        let arguments = arguments.map(|(name, ty, place)| {
            let value = self.value(ty, place);
            let text = match &value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            [name.to_owned(), text]
        });
        let quotable = self.texts.first().cloned().unwrap_or_default();
        let turns = self.turns(&record, &bare, &quotable);
        let asks_person = self.random.one_in(2);
        let answers = match asks_person {
            true => vec![self.wrong(&record), self.value(&record, Place::Shown)],
            false => Vec::new(),
        };
        let signed = if asks_person {
            "sign(asked, bare) catch { _ => whole }"
        } else {
            "asked"
        };
        SecretProgram {
            source: PROGRAM
                .replace("RECORD", &Self::text(&record))
                .replace("BARE", &Self::text(&bare))
                .replace("TYPES\n", &self.declarations())
                .replace("SIGNED", signed),
            arguments: arguments.into_iter().flatten().collect(),
            turns,
            answers: answers.iter().map(Value::to_string).collect(),
            marks: std::mem::take(&mut self.marks),
        }
    }

    /// A value that does not fit at the one place that is not hidden.
    fn wrong(&mut self, record: &Ty) -> Value {
        let mut value = self.value(record, Place::Shown);
        value["count"] = "many".into();
        value
    }

    /// `ask`: calls of the tool, then two answers; `tally`: one answer, then an error of the provider.
    fn turns(&mut self, record: &Ty, bare: &Ty, quotable: &str) -> Vec<(&'static str, Turn)> {
        let call =
            |record: Value, bare: Value| Turn::Calls("act", json!({ "r": record, "s": bare }));
        let mut turns = vec![call(
            self.value(record, Place::Shown),
            self.value(bare, Place::Hidden),
        )];
        if self.random.one_in(2) {
            turns.push(call(
                self.wrong(record),
                self.value(&Ty::Text, Place::Hidden),
            ));
        }
        if self.random.one_in(3) {
            turns.push(Turn::Calls(
                "atc",
                json!({ "s": self.value(bare, Place::Hidden) }),
            ));
        }
        let mut said = [
            self.wrong(record).to_string(),
            self.garbage(record),
            self.nested(record),
        ];
        self.random.shuffle(&mut said);
        let [first, second, _] = said;
        turns.push(Turn::Says(first));
        turns.push(Turn::Says(match self.random.one_in(3) {
            true => self.value(record, Place::Shown).to_string(),
            false => second,
        }));
        let tally = [
            Turn::Says(format!("it holds {quotable}")),
            Turn::Refuses(format!("cannot take `{quotable}`")),
        ];
        let asked = turns.into_iter().map(|it| ("Ask", it));
        let tally = tally.into_iter().map(|it| ("Count", it));
        asked.chain(tally).collect()
    }

    /// An answer that is no JSON.
    fn garbage(&mut self, record: &Ty) -> String {
        let text = self.value(record, Place::Shown).to_string();
        match self.random.below(3) {
            0 => format!("I found `{}", &text[..text.len() - 1]),
            1 => format!("```json\n{text}\n{text}"),
            _ => text.replace(':', " is "),
        }
    }

    /// An answer whose hidden values are where the type has no place.
    fn nested(&mut self, record: &Ty) -> String {
        let value = self.value(record, Place::Shown);
        match self.random.below(3) {
            0 => json!({ "it": [value] }).to_string(),
            1 => json!([[value]]).to_string(),
            _ => Value::from(value.to_string()).to_string(),
        }
    }
}

/// Everything that a value can go through, with a model that is asked twice.
const PROGRAM: &str = r#"
TYPES
error Bad(what: RECORD, @secret why: BARE)
agent clerk { model: "anthropic/claude-sonnet-5-5"   tools: [act]   reflect: 1   retry: 0 }
prompt ask(r: RECORD, @secret s: BARE) -> RECORD by clerk { user "Ask" }
prompt tally(r: RECORD, @secret s: BARE) -> int by clerk { user "Count ${r} ${s}" tools: [] reflect: 0 }
human sign(r: RECORD, @secret s: BARE) -> RECORD { user "Sign" }
tool act(r: RECORD, @secret s: BARE) -> RECORD { log.info("acts", { "r": r }); r }
tool fails(r: RECORD, @secret s: BARE) -> int { fail Bad(r, s) }
workflow child(r: RECORD, @secret s: BARE) -> RECORD {
  state last: RECORD = r
  emit r
  step "inside" retry 1 backoff 1ms { last = r; r }
}
workflow main(whole: RECORD, @secret bare: BARE) -> int {
  child(whole, bare)
  let task = spawn child(whole, bare)
  await task
  act(whole, bare)
  let _ = fails(whole, bare) catch { e => { log.warn(e.message()); 0 } }
  let each = parallel for it in [whole] { child(it, bare) }
  let asked = ask(whole, bare) catch { e => { log.warn(e.message(), { "e": e.message() }); whole } }
  let _ = tally(whole, bare) catch { e => { log.warn(e.message()); 0 } }
  let _ = tally(whole, bare) catch { e => { log.warn(e.message()); 0 } }
  let signed = SIGNED
  log.info("tree ${context.tree()} ${context.outputs(99)} ${context.snapshot()}", { "all": each + [signed] })
  fail Bad(signed, bare)
}
"#;
