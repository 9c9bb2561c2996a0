//! Enums, records, errors and constants.

use crate::generate::Generator;
use crate::generate::library;
use crate::generate::type_choice::Ty;

/// What a program declares.
#[derive(Default)]
pub struct Declarations {
    pub enums: Vec<Enum>,
    pub records: Vec<Record>,
    /// Errors with their fields.
    pub errors: Vec<(String, Vec<(String, Ty)>)>,
    pub constants: Vec<(String, Ty)>,
    pub functions: Vec<Function>,
    /// Whether the generic declarations of `library` are there.
    pub has_library: bool,
}

pub struct Enum {
    pub name: String,
    /// Variants with their fields; the first one does not hold the enum itself.
    pub variants: Vec<(String, Vec<(String, Ty)>)>,
}

pub struct Record {
    pub name: String,
    pub fields: Vec<Field>,
}

/// A field of a record, or a parameter of a function.
#[derive(Clone)]
pub struct Field {
    pub name: String,
    pub ty: Ty,
    /// Whether it may be left out.
    pub has_default: bool,
    /// Whether it has a `where`, which a constant may not break.
    pub has_check: bool,
}

#[derive(Clone)]
pub struct Function {
    pub name: String,
    /// The record that it is a method of.
    pub receiver: Option<usize>,
    /// Without the receiver.
    pub parameters: Vec<Field>,
    pub result: Ty,
    /// About how much it does.
    pub weight: i64,
}

impl Enum {
    /// Whether no variant has a payload.
    pub fn is_plain(&self) -> bool {
        self.variants.iter().all(|(_, fields)| fields.is_empty())
    }
}

impl Generator {
    /// All declarations but the functions.
    pub(super) fn declare(&mut self) -> Vec<String> {
        let mut items = Vec::new();
        if self.random.one_in(2) {
            self.declarations.has_library = true;
            items.push(library::TEXT.to_owned());
        }
        for _ in 0..self.random.below(3) {
            items.push(self.enumeration());
        }
        for _ in 0..self.random.below(3) {
            items.push(self.record());
        }
        for _ in 0..1 + self.random.below(2) {
            items.push(self.error());
        }
        for _ in 0..self.random.below(3) {
            items.push(self.constant());
        }
        items
    }

    fn enumeration(&mut self) -> String {
        let index = self.declarations.enums.len();
        let name = self.fresh("Kind");
        let plain = self.random.one_in(2);
        self.declarations.enums.push(Enum {
            name: name.clone(),
            variants: Vec::new(),
        });
        let mut variants = Vec::new();
        let mut texts = Vec::new();
        for position in 0..1 + self.random.below(4) {
            let variant = self.fresh("Is");
            let mut fields = Vec::new();
            for _ in 0..if plain { 0 } else { self.random.below(3) } {
                let ty = match self.random.below(4) {
                    0 if position > 0 => Ty::Enum(index),
                    1 if position > 0 => Ty::Enum(index).list(),
                    2 => self.scalar_type().optional(),
                    _ => self.scalar_type(),
                };
                fields.push((self.fresh("f"), ty));
            }
            let shown = fields
                .iter()
                .map(|(name, ty)| format!("{name}: {}", ty.text(&self.declarations)));
            let shown = shown.collect::<Vec<_>>().join(", ");
            let alias = if self.random.one_in(6) {
                format!("@alias(\"{variant} x\") ")
            } else {
                String::new()
            };
            let payload = if fields.is_empty() {
                String::new()
            } else {
                format!("({shown})")
            };
            texts.push(format!("{alias}{variant}{payload}"));
            variants.push((variant, fields));
        }
        self.declarations.enums[index].variants = variants;
        format!("enum {name} {{ {} }}", texts.join(", "))
    }

    fn record(&mut self) -> String {
        let name = self.fresh("Record");
        let mut fields = Vec::new();
        let mut lines = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let field = self.fresh("f");
            let ty = self.any_type(2);
            let has_default = self.random.one_in(3);
            let mut line = format!("  {field}: {}", ty.text(&self.declarations));
            if has_default {
                line += &format!(" = {}", self.literal(&ty, 1));
            }
            let has_check = ty == Ty::Int && !has_default && self.random.one_in(3);
            if has_check {
                line += " where it > -1_000_000";
            }
            lines.push(line);
            fields.push(Field {
                name: field,
                ty,
                has_default,
                has_check,
            });
        }
        self.declarations.records.push(Record {
            name: name.clone(),
            fields,
        });
        format!("type {name} {{\n{}\n}}", lines.join("\n"))
    }

    fn error(&mut self) -> String {
        let name = self.fresh("Broken");
        let fields: Vec<(String, Ty)> = (0..self.random.below(3))
            .map(|_| (self.fresh("f"), self.scalar_type()))
            .collect();
        let shown = fields
            .iter()
            .map(|(name, ty)| format!("{name}: {}", ty.text(&self.declarations)));
        let shown = shown.collect::<Vec<_>>().join(", ");
        let payload = if fields.is_empty() {
            String::new()
        } else {
            format!("({shown})")
        };
        self.declarations.errors.push((name.clone(), fields));
        format!("error {name}{payload}")
    }

    fn constant(&mut self) -> String {
        let name = self.fresh("LIMIT_");
        // What a constant raises is a mistake in the program, so all of it is caught.
        let (ty, value) = if self.random.one_in(2) {
            let ty = self.any_type(2);
            let outer = std::mem::take(&mut self.scope);
            self.budget = 40;
            let value = self.anchored(&ty, 2);
            self.scope = outer;
            let otherwise = self.literal(&ty, 0);
            (ty, format!("({value} catch {{ _ => {otherwise} }})"))
        } else {
            let ty = self.scalar_type();
            let value = self.literal(&ty, 0);
            (ty, value)
        };
        let text = format!("const {name}: {} = {value}", ty.text(&self.declarations));
        self.declarations.constants.push((name, ty));
        text
    }
}
