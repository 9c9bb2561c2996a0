//! Attributes: which exist, where they may be, and what they say.

use gsw_abi::call::RuntimeCall;
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Name, Place, Span, nearest};
use gsw_syntax::ast;

use crate::errors::{self, ResourceProblem};
use crate::module::is_std;
use crate::signature::{LockedTool, OfferedResource, Presence};
use crate::types::{Effect, EffectSet};

/// What an attribute precedes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttributeTarget {
    Declaration,
    /// A field of a record, a variant or an error.
    Field,
    Variant,
    /// A parameter of a declaration of this kind.
    Parameter(ItemKind),
}

impl AttributeTarget {
    /// Whether observers are shown a value there.
    fn is_shown(self) -> bool {
        match self {
            Self::Field => true,
            Self::Declaration | Self::Variant => false,
            Self::Parameter(of) => matches!(
                of,
                ItemKind::Workflow
                    | ItemKind::Prompt
                    | ItemKind::Human
                    | ItemKind::External
                    | ItemKind::Tool
            ),
        }
    }
}

/// What the attributes of one declaration, field, variant or parameter say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attributes {
    /// `@alias("name")`
    pub alias: Option<Name>,
    pub secret: Presence,
    /// `@deprecated("why")`
    pub deprecated: Option<Name>,
    /// The string of `@was`, by which earlier versions of the program knew it.
    pub was: Option<Name>,
    /// Where `@host` is written, which says that the host has the body.
    pub host: Option<Span>,
    pub locked: Option<LockedTool>,
    /// `@resource`, and where it is written.
    pub resource: Option<(OfferedResource, Span)>,
    /// `@intrinsic("row", …)`, only in the standard library.
    pub intrinsic: Option<RuntimeCall>,
    /// The effects that `@intrinsic` lists.
    pub effects: EffectSet,
    /// `@property`: naming the function calls it, only in the standard library.
    pub property: Presence,
    /// `@equal("T")`, `@ordered("T")`, `@numeric("T")`, `@item("T")`, only in the standard library.
    pub requirements: Vec<(RequirementKind, Name)>,
    /// `@accumulated("A")`: type parameters of results that are made of the values, only in the standard library.
    pub accumulated: Vec<Name>,
}

/// What the argument for a type parameter must be able to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RequirementKind {
    /// `==`
    Equal,
    /// `<`
    Ordered,
    /// `+`, and a zero to start from.
    Numeric,
    /// A queue may hold it.
    Item,
}

/// The attributes that every program may write, and whether each takes arguments.
pub const PUBLIC_ATTRIBUTES: &[(&str, Presence)] = &[
    ("alias", Presence::Present),
    ("deprecated", Presence::Present),
    ("host", Presence::Absent),
    ("locked", Presence::Present),
    ("resource", Presence::Present),
    ("secret", Presence::Absent),
    ("was", Presence::Present),
];

/// What `@locked` takes.
const LOCKED: &str = "the tool's name at its server and its digest";

/// What `@resource` takes.
const RESOURCE: &str = "an address, and perhaps its media type";

/// Reads the attributes; unknown and malformed ones go to `sink`.
pub fn read_attributes(
    db: &dyn Db,
    item: ItemId,
    attributes: &[ast::Attribute],
    target: AttributeTarget,
    sink: &mut Vec<Diagnostic>,
) -> Attributes {
    let mut read = Attributes::none();
    let is_library = is_std(db, item.file(db));
    for attribute in attributes {
        let place = Place::Item {
            item,
            span: attribute.span,
        };
        let name = attribute.name.name.as_str();
        let texts = texts(attribute);
        match (name, texts.as_deref()) {
            ("alias", Some([_])) if target == AttributeTarget::Declaration => {
                sink.push(errors::misplaced_attribute(place, name));
            }
            ("alias", Some([text])) => read.alias = Some(text.clone()),
            ("secret", Some([])) if !target.is_shown() => {
                sink.push(errors::misplaced_secret(place, target));
            }
            ("secret", Some([])) => read.secret = Presence::Present,
            ("locked", Some([name, digest])) => read.locked = Some(LockedTool::of(name, digest)),
            ("locked", _) => sink.push(errors::attribute_arguments(place, name, LOCKED)),
            ("resource", _)
                if item.kind(db) != ItemKind::Workflow
                    || target != AttributeTarget::Declaration =>
            {
                sink.push(errors::resource(place, ResourceProblem::NotAWorkflow));
            }
            ("resource", Some([uri, rest @ ..])) if rest.len() < 2 => {
                let offered = OfferedResource::of(uri, rest.first());
                read.resource = Some((offered, attribute.span));
            }
            ("resource", _) => sink.push(errors::attribute_arguments(place, name, RESOURCE)),
            ("host", Some([])) => read.host = Some(attribute.span),
            ("deprecated", Some([why])) => read.deprecated = Some(why.clone()),
            ("was", Some([_]))
                if !keeps_identity(item.kind(db)) || target != AttributeTarget::Declaration =>
            {
                sink.push(errors::misplaced_was(place));
            }
            ("was", Some([old])) if read.was.is_none() => read.was = Some(old.clone()),
            ("alias" | "deprecated" | "was", _) => {
                sink.push(errors::attribute_arguments(place, name, "one string"))
            }
            ("secret" | "host", _) => {
                sink.push(errors::attribute_arguments(place, name, "no arguments"))
            }
            ("intrinsic", Some([row, effects @ ..])) if is_library => {
                if !read.take_intrinsic(row, effects) {
                    let expected = "the name of a runtime call, and effects";
                    sink.push(errors::attribute_arguments(place, name, expected));
                }
            }
            (_, Some(texts)) if is_library && read.take_of_library(name, texts) => {}
            _ => sink.push(unknown(item, attribute)),
        }
    }
    read
}

/// Whether a declaration of this kind is part of the identity of what runs.
fn keeps_identity(kind: ItemKind) -> bool {
    matches!(
        kind,
        ItemKind::Workflow
            | ItemKind::Prompt
            | ItemKind::Tool
            | ItemKind::Human
            | ItemKind::External
    )
}

impl Attributes {
    fn none() -> Self {
        Self {
            alias: None,
            secret: Presence::Absent,
            deprecated: None,
            was: None,
            host: None,
            locked: None,
            resource: None,
            intrinsic: None,
            effects: EffectSet::default(),
            property: Presence::Absent,
            requirements: Vec::new(),
            accumulated: Vec::new(),
        }
    }

    /// Takes the row of the table of runtime calls and its effects; says whether there are such.
    fn take_intrinsic(&mut self, row: &str, effects: &[Name]) -> bool {
        self.intrinsic = RuntimeCall::named(row);
        let effects: Option<Vec<_>> = effects.iter().map(|it| Effect::named(it)).collect();
        for effect in effects.iter().flatten() {
            self.effects = self.effects.with(*effect);
        }
        self.intrinsic.is_some() && effects.is_some()
    }

    /// Takes an attribute of the standard library's own; says whether it is one.
    fn take_of_library(&mut self, name: &str, texts: &[Name]) -> bool {
        match (name, texts) {
            ("property", []) => self.property = Presence::Present,
            ("accumulated", names) => self.accumulated.extend(names.iter().cloned()),
            ("equal" | "ordered" | "numeric" | "item", names) => {
                let kind = match name {
                    "equal" => RequirementKind::Equal,
                    "ordered" => RequirementKind::Ordered,
                    "numeric" => RequirementKind::Numeric,
                    _ => RequirementKind::Item,
                };
                let required = names.iter().map(|it| (kind, it.clone()));
                self.requirements.extend(required);
            }
            _ => return false,
        }
        true
    }
}

/// The report of an unknown attribute.
fn unknown(item: ItemId, attribute: &ast::Attribute) -> Diagnostic {
    let place = |span| Place::Item { item, span };
    let names: Vec<&str> = PUBLIC_ATTRIBUTES.iter().map(|(name, _)| *name).collect();
    let known: Vec<Name> = names.iter().map(|it| Name::new_static(it)).collect();
    let name = &attribute.name;
    let suggestion = nearest(&name.name, &known);
    let (whole, word) = (place(attribute.span), place(name.span));
    errors::unknown_attribute(whole, word, &name.name, &names, suggestion.as_ref())
}

/// The arguments when all are strings.
fn texts(attribute: &ast::Attribute) -> Option<Vec<Name>> {
    let texts = attribute.arguments.iter().map(|it| {
        let ast::ExpressionKind::Literal(ast::Literal::String(text)) = &it.kind else {
            return None;
        };
        Some(text.clone())
    });
    texts.collect()
}
