//! The heads of declarations and the insides of types, resolved.

use std::sync::Arc;

use gsw_abi::call::RuntimeCall;
use gsw_source::{ItemId, Name, Span};

use crate::types::{ErrorSet, Type};

/// The head of a function, method, workflow, tool, prompt, human, constant, variant constructor or error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Names of the type parameters.
    pub generics: Vec<Name>,
    /// In order; a method's `self` is the first.
    pub parameters: Vec<Parameter>,
    pub result: Type,
    /// `trusted` after the result.
    pub trusted: Presence,
    /// After `!`; `None` when inferred.
    pub throws: Option<ErrorSet>,
    /// The row of the table of runtime calls, for an `@intrinsic`.
    pub intrinsic: Option<RuntimeCall>,
    /// `@property`: naming it calls it.
    pub property: Presence,
    /// The agent after `by` of a prompt.
    pub agent: Option<ItemId>,
    /// The MCP server after `by` of a tool.
    pub server: Option<ItemId>,
    /// What `@locked` says of a tool of a server.
    pub locked: Option<LockedTool>,
    /// What `@resource` says of a workflow.
    pub resource: Option<OfferedResource>,
    /// What it was called in earlier versions of the program, after `@was`.
    pub was: Option<Name>,
}

/// `@locked("name", "sha256:…")`: what a tool of an MCP server was when its declaration was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockedTool {
    /// Its name at the server.
    pub name: Name,
    /// Of its name, description and schemas.
    pub digest: Name,
}

impl LockedTool {
    pub(crate) fn of(name: &Name, digest: &Name) -> Self {
        Self {
            name: name.clone(),
            digest: digest.clone(),
        }
    }
}

/// `@resource("scheme://path/{parameter}", "media/type")`: a workflow as something to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfferedResource {
    /// With the workflow's parameters in braces.
    pub uri: Name,
    pub media_type: Option<Name>,
}

impl OfferedResource {
    pub(crate) fn of(uri: &Name, media_type: Option<&Name>) -> Self {
        Self {
            uri: uri.clone(),
            media_type: media_type.cloned(),
        }
    }
}

/// A parameter, or a field of a record, variant or error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub name: Name,
    /// As in JSON: `@alias` or the name.
    pub wire: Name,
    pub docs: Option<Arc<str>>,
    pub ty: Type,
    /// Whether it has a default.
    pub default: Presence,
    /// Whether it has a `where`.
    pub check: Presence,
    pub secret: Presence,
    /// Whether it takes only what no stranger has chosen: `trusted` after its type.
    pub trusted: Presence,
    /// The span of its name, relative to the item.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Presence {
    Present,
    Absent,
}

/// The inside of a record, enum, alias or error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeDeclaration {
    /// Names of the type parameters.
    pub generics: Vec<Name>,
    pub kind: TypeDeclarationKind,
}

impl TypeDeclaration {
    /// The fields of a record or error; nothing else has any.
    #[must_use]
    pub fn fields(&self) -> &[Parameter] {
        match &self.kind {
            TypeDeclarationKind::Record(fields) => fields,
            TypeDeclarationKind::Enum(_) | TypeDeclarationKind::Alias { .. } => &[],
        }
    }

    /// The variants of an enum; nothing else has any.
    #[must_use]
    pub fn variants(&self) -> &[Variant] {
        match &self.kind {
            TypeDeclarationKind::Enum(variants) => variants,
            TypeDeclarationKind::Record(_) | TypeDeclarationKind::Alias { .. } => &[],
        }
    }

    /// The fields of a record or error, whose `variant` is 0, or those of a variant of an enum.
    #[must_use]
    pub fn fields_of(&self, variant: u32) -> &[Parameter] {
        match self.variants().get(variant as usize) {
            Some(variant) => &variant.fields,
            None => self.fields(),
        }
    }
}

/// What a type declaration is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeDeclarationKind {
    /// `type R { … }`; also an error's payload.
    Record(Vec<Parameter>),
    /// `enum E { … }`
    Enum(Vec<Variant>),
    /// `type A = T where check`
    Alias {
        target: Type,
        /// Whether it has a check.
        check: Presence,
    },
}

/// A variant of an enum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    pub name: Name,
    /// Its name in JSON, which `@alias` may set.
    pub wire: Name,
    pub docs: Option<Arc<str>>,
    pub fields: Vec<Parameter>,
    /// The span of its name, relative to the item.
    pub span: Span,
}
