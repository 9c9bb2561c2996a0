//! A declaration that is no function, as far as it is short: fields, variants, what an alias stands for, the value of a constant, the settings
//! of an agent. Comments are left out, and what is long is `…`.

use gsw_source::{Db, ItemId, Span};
use gsw_syntax::ast::{
    Expression, FieldDeclaration, Identifier, Item, ItemBody, Parameter, Setting, SettingValue,
    TypeExpression, Variant,
};
use gsw_syntax::item_ast;

/// The most fields, variants or settings that are shown.
const MOST: usize = 10;
/// A longer value is `…`.
const LONGEST: usize = 80;
/// The most characters that are put on one line.
const LINE: usize = 60;

/// The declaration; `None` for one that has parameters, or nothing to be shown.
pub fn short_declaration(db: &dyn Db, item: ItemId) -> Option<String> {
    let tree = item_ast(db, item)?;
    Shown { db, item }.declaration(&tree)
}

/// ` = value` and ` where check` of a field, by its number; of a variant's field by that of the variant as well.
pub fn rest_of_field(db: &dyn Db, item: ItemId, variant: u32, field: u32) -> Option<String> {
    let tree = item_ast(db, item)?;
    let shown = Shown { db, item };
    let (variant, field) = (variant as usize, field as usize);
    if let ItemBody::Record(record) = &tree.body {
        return Some(shown.rest(record.fields.get(field)?));
    }
    if let ItemBody::Error(error) = &tree.body {
        return Some(shown.default(error.fields.get(field)?.default.as_ref()));
    }
    let ItemBody::Enum(declaration) = &tree.body else {
        return None;
    };
    let fields = &declaration.variants.get(variant)?.fields;
    Some(shown.default(fields.get(field)?.default.as_ref()))
}

struct Shown<'db> {
    db: &'db dyn Db,
    item: ItemId,
}

impl Shown<'_> {
    fn declaration(&self, tree: &Item) -> Option<String> {
        Some(match &tree.body {
            ItemBody::Record(it) => {
                let fields = it.fields.iter().map(|it| self.field(it));
                let head = format!("type {}{}", it.name.name, generics(&it.generics));
                braced(&head, fields.collect(), Form::Spaced)
            }
            ItemBody::Enum(it) => {
                let variants = it.variants.iter().map(|it| self.variant(it));
                let head = format!("enum {}{}", it.name.name, generics(&it.generics));
                braced(&head, variants.collect(), Form::Spaced)
            }
            ItemBody::Error(it) => format!("error {}{}", it.name.name, self.payload(&it.fields)),
            ItemBody::Alias {
                name,
                generics: own,
                target,
                check,
            } => {
                let check = self.check(check.as_ref());
                let target = self.ty(target);
                format!("type {}{} = {target}{check}", name.name, generics(own))
            }
            ItemBody::Const(it) => {
                let ty = it.ty.as_ref().map(|it| format!(": {}", self.ty(it)));
                let value = self.short(it.value.span);
                format!("const {}{} = {value}", it.name.name, ty.unwrap_or_default())
            }
            ItemBody::Agent { name, settings } => {
                let settings = settings.iter().map(|it| self.setting(it));
                braced(
                    &format!("agent {}", name.name),
                    settings.collect(),
                    Form::Lines,
                )
            }
            ItemBody::Mcp { name, transport } => {
                format!("mcp {} = {}", name.name, self.short(transport.span))
            }
            ItemBody::Import(_)
            | ItemBody::Function(_)
            | ItemBody::Prompt { .. }
            | ItemBody::Workflow { .. }
            | ItemBody::Tool { .. }
            | ItemBody::Hook { .. }
            | ItemBody::Human { .. }
            | ItemBody::External { .. }
            | ItemBody::Skill { .. }
            | ItemBody::Test { .. }
            | ItemBody::Permissions { .. }
            | ItemBody::Invalid => return None,
        })
    }

    fn field(&self, it: &FieldDeclaration) -> String {
        format!("{}: {}{}", it.name.name, self.ty(&it.ty), self.rest(it))
    }

    fn rest(&self, it: &FieldDeclaration) -> String {
        self.default(it.default.as_ref()) + &self.check(it.check.as_ref())
    }

    fn variant(&self, it: &Variant) -> String {
        format!("{}{}", it.name.name, self.payload(&it.fields))
    }

    fn payload(&self, fields: &[Parameter]) -> String {
        if fields.is_empty() {
            return String::new();
        }
        let fields = fields.iter().map(|it| {
            let ty = it.ty.as_ref().map(|it| format!(": {}", self.ty(it)));
            let default = self.default(it.default.as_ref());
            format!("{}{}{default}", it.name.name, ty.unwrap_or_default())
        });
        format!("({})", fields.collect::<Vec<_>>().join(", "))
    }

    fn setting(&self, it: &Setting) -> String {
        let span = match &it.value {
            SettingValue::Expression(value) => value.span,
            SettingValue::Settings { span, .. } => *span,
        };
        format!("{}: {}", it.name.name, self.short(span))
    }

    fn ty(&self, it: &TypeExpression) -> String {
        self.short(it.span)
    }

    fn default(&self, it: Option<&Expression>) -> String {
        it.map_or(String::new(), |it| format!(" = {}", self.short(it.span)))
    }

    fn check(&self, it: Option<&Expression>) -> String {
        it.map_or(String::new(), |it| {
            format!(" where {}", self.short(it.span))
        })
    }

    /// A text of the declaration, where it is short.
    fn short(&self, span: Span) -> String {
        let text = gsw_names::source_text(self.db, self.item, span);
        let is_short = text.chars().count() <= LONGEST && !text.contains('\n');
        match is_short {
            true => text.to_string(),
            false => "…".into(),
        }
    }
}

fn generics(of: &[Identifier]) -> String {
    let names: Vec<&str> = of.iter().map(|it| it.name.as_str()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("<{}>", names.join(", ")),
    }
}

/// How parts are written in braces.
enum Form {
    /// On one line with commas where they fit.
    Spaced,
    /// Always on lines of their own.
    Lines,
}

fn braced(head: &str, mut parts: Vec<String>, form: Form) -> String {
    if parts.is_empty() {
        return format!("{head} {{}}");
    }
    if parts.len() > MOST {
        parts.truncate(MOST);
        parts.push("…".into());
    }
    let line = format!("{head} {{ {} }}", parts.join(", "));
    match form {
        Form::Spaced if line.chars().count() <= LINE => line,
        Form::Spaced | Form::Lines => format!("{head} {{\n  {}\n}}", parts.join("\n  ")),
    }
}
