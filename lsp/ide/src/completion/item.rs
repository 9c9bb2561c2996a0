//! One thing that can be completed.

use gsw_names::{MODEL_ERROR, TypeDeclarationKind, item_signature, module_path, type_declaration};
use gsw_source::{Db, ItemId, ItemKind, LocatedEdit, Name, Project, Span};

use crate::expression_type::local_type;
use crate::hover::{declared_head, describe, parameters_shown};
use crate::symbol::Symbol;

#[derive(Clone, PartialEq, Debug)]
pub struct Completion {
    /// What is shown, and typed to find it.
    pub label: String,
    pub kind: CompletionKind,
    /// Its type, or where it comes from.
    pub detail: Option<String>,
    pub insert: Insert,
    /// What it takes the place of, in the file.
    pub replace: Span,
    /// What is changed elsewhere: the import that it needs.
    pub imports: Vec<LocatedEdit>,
    /// Lower ranks are listed first.
    pub rank: u8,
    /// What its docs are looked up by.
    pub definition: Option<Definition>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Insert {
    /// The text as it is, whatever signs are in it.
    Plain(String),
    /// A text with places to fill in (`$0`, `${1:name}`), in the snippet syntax of the protocol.
    Snippet(String),
}

impl Insert {
    /// The text as it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Snippet(text) => text,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompletionKind {
    Variable,
    Field,
    Method,
    Module,
    Variant,
    Keyword,
    Snippet,
    Setting,
    Text,
    Item(ItemKind),
}

/// The name of a declaration, or of a part of it, that outlives the question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    pub module: String,
    /// `Type.method` for a method.
    pub item: Name,
    /// The name of a variant or field.
    pub part: Option<Name>,
}

impl Completion {
    pub fn new(label: impl Into<String>, kind: CompletionKind, rank: u8) -> Self {
        let label = label.into();
        Self {
            insert: Insert::Plain(label.clone()),
            label,
            kind,
            detail: None,
            replace: Span::default(),
            imports: Vec::new(),
            rank,
            definition: None,
        }
    }

    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub fn insert(mut self, text: impl Into<String>) -> Self {
        self.insert = Insert::Plain(text.into());
        self
    }

    /// Inserts a text with places to fill in.
    pub fn snippet(mut self, text: impl Into<String>) -> Self {
        self.insert = Insert::Snippet(text.into());
        self
    }

    /// Inserts the name and parentheses with the cursor in them.
    pub fn call(self) -> Self {
        let text = format!("{}($0)", self.label);
        self.snippet(text)
    }

    fn defined(mut self, db: &dyn Db, item: ItemId, part: Option<Name>) -> Self {
        self.definition = Definition::of(db, item).map(|it| Definition { part, ..it });
        self
    }
}

impl Definition {
    /// What an item is found by; `None` in a file that is no module.
    pub fn of(db: &dyn Db, item: ItemId) -> Option<Self> {
        module_path(db, item.file(db)).map(|module| Self {
            module: module.to_owned(),
            item: item.name(db).clone(),
            part: None,
        })
    }
}

/// Whether parentheses follow a name that can be called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Calling {
    Call,
    /// As where a function is listed, or its parentheses exist already.
    Name,
}

/// The name that stands for all errors of a model, which nothing declares.
pub fn model_errors() -> Completion {
    Completion::new(MODEL_ERROR, CompletionKind::Item(ItemKind::Error), 2)
        .detail("every error of a model's call")
}

/// A declaration under the name by which it is seen.
pub fn of_item(db: &dyn Db, name: &str, item: ItemId, calling: Calling, rank: u8) -> Completion {
    let kind = match item.name(db).contains('.') {
        true => CompletionKind::Method,
        false => CompletionKind::Item(item.kind(db)),
    };
    let completion = Completion::new(name, kind, rank)
        .detail(declared_head(db, item))
        .defined(db, item, None);
    match calling {
        Calling::Call if item.kind(db) == ItemKind::Record => {
            let text = format!("{name} {{ $0 }}");
            completion.snippet(text)
        }
        Calling::Call => called(db, completion, item),
        Calling::Name => completion,
    }
}

/// With parentheses, and the cursor in them when there is something to write.
fn called(db: &dyn Db, completion: Completion, item: ItemId) -> Completion {
    let signature = &item_signature(db, item).signature;
    if !item.kind(db).is_callable() || signature.property == gsw_names::Presence::Present {
        return completion;
    }
    let is_method = completion.kind == CompletionKind::Method
        || signature
            .parameters
            .first()
            .is_some_and(|it| it.name == "self");
    let own = signature.parameters.len() - usize::from(is_method);
    match own {
        0 => {
            let text = format!("{}()", completion.label);
            completion.insert(text)
        }
        _ => completion.call(),
    }
}

/// A function of the library as a method: its first parameter is what stands before the dot.
pub fn of_method(db: &dyn Db, name: &str, item: ItemId, rank: u8) -> Completion {
    let completion = of_item(db, name, item, Calling::Name, rank);
    let signature = &item_signature(db, item).signature;
    let mut completion = match signature.property {
        gsw_names::Presence::Present => completion,
        gsw_names::Presence::Absent => match signature.parameters.len() {
            0 | 1 => completion.insert(format!("{name}()")),
            _ => completion.call(),
        },
    };
    completion.kind = CompletionKind::Method;
    completion
}

pub fn of_variant(db: &dyn Db, item: ItemId, variant: u32, rank: u8) -> Option<Completion> {
    let variants = type_declaration(db, item).declaration.variants();
    let it = variants.get(variant as usize)?;
    let payload = match it.fields.is_empty() {
        true => String::new(),
        false => format!("({})", parameters_shown(db, &it.fields)),
    };
    let detail = format!("{}.{}{payload}", item.name(db), it.name);
    let completion = Completion::new(it.name.as_str(), CompletionKind::Variant, rank)
        .detail(detail)
        .defined(db, item, Some(it.name.clone()));
    Some(if it.fields.is_empty() {
        completion
    } else {
        completion.call()
    })
}

/// A field, by the declaration that has it.
pub fn of_field(db: &dyn Db, item: ItemId, field: &gsw_names::Parameter, rank: u8) -> Completion {
    Completion::new(field.name.as_str(), CompletionKind::Field, rank)
        .detail(gsw_names::display_type(db, &field.ty))
        .defined(db, item, Some(field.name.clone()))
}

pub fn of_local(db: &dyn Db, item: ItemId, name: &str, declared: Span) -> Completion {
    let completion = Completion::new(name, CompletionKind::Variable, 2);
    match local_type(db, item, declared) {
        Some(ty) => completion.detail(gsw_names::display_type(db, &ty)),
        None => completion,
    }
}

/// The head and docs of what was completed, for an editor that asks when it shows them.
#[must_use]
pub fn completion_docs(db: &dyn Db, definition: &Definition) -> Option<(String, Option<String>)> {
    let module = *Project::try_get(db)?.modules(db).get(&definition.module)?;
    let item = *gsw_names::module_scope(db, module)
        .items
        .get(&definition.item)?;
    let Some(part) = &definition.part else {
        return describe(db, Symbol::Item(item));
    };
    let position = |names: &[gsw_names::Parameter]| {
        let found = names.iter().position(|it| it.name == *part);
        found.and_then(|it| u32::try_from(it).ok())
    };
    let symbol = match &type_declaration(db, item).declaration.kind {
        TypeDeclarationKind::Record(fields) => Symbol::Field {
            item,
            variant: 0,
            field: position(fields)?,
        },
        TypeDeclarationKind::Enum(variants) => {
            let found = variants.iter().position(|it| it.name == *part)?;
            let variant = u32::try_from(found).ok()?;
            Symbol::Variant { item, variant }
        }
        TypeDeclarationKind::Alias { .. } => return None,
    };
    describe(db, symbol)
}
