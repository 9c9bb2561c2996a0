//! Query `item_signature`: the heads of functions, workflows, tools, prompts, humans, constants, tests and errors.

use std::sync::Arc;

use gsw_abi::option::is_reserved;
use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind, Name, Place};
use gsw_syntax::{ast, is_damaged};

use crate::alias::alias_target;
use crate::attribute::{AttributeTarget, Attributes, RequirementKind, read_attributes};
use crate::constant_type::constant_type;
use crate::declared_type::{presence, report_repeats, report_wire_repeats, type_declaration};
use crate::display::display_type;
use crate::errors;
use crate::generics::{generics_of, own_type};
use crate::host_tool;
use crate::known::KnownItem;
use crate::lower_type::{lower_throws, lower_type};
use crate::offered_resource;
use crate::scope::{Definition, resolve_member, resolve_name};
use crate::signature::{Parameter, Presence, Signature};
use crate::substitute::substitute;
use crate::tree::item_head;
use crate::types::{EffectSet, Type};

/// A head with what is wrong in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemSignature {
    /// The head. Of an item that cannot be called or evaluated one without parameters and result.
    pub signature: Arc<Signature>,
    /// The effects that `@intrinsic` lists.
    pub effects: EffectSet,
    /// What `@ordered` and `@equal` require of type parameters, by position.
    pub requirements: Vec<(RequirementKind, u32)>,
    /// The type parameters that `@accumulated` names, by position: a sum of percentages is none, so what is checked comes in
    /// without its check.
    pub accumulated: Vec<u32>,
    /// Why not to use it, after `@deprecated`.
    pub deprecated: Option<Name>,
    /// Errors and warnings, places relative to the item.
    pub diagnostics: Vec<Diagnostic>,
}

#[salsa::tracked(returns(ref))]
pub fn item_signature(db: &dyn Db, item: ItemId) -> ItemSignature {
    let ast = item_head(db, item);
    let Some(ast) = ast.as_ref() else {
        return plain(empty_signature(Type::Invalid));
    };
    let mut head = Head {
        db,
        item,
        file: item.file(db),
        generics: generics_of(db, item),
        sink: Vec::new(),
    };
    let signature = match &ast.body {
        ast::ItemBody::Function(function) => {
            let receiver = function.receiver.as_ref();
            let has_self = |it: &ast::Parameter| it.ty.is_none() && it.name.name == "self";
            let called = match function.signature.parameters.first().is_some_and(has_self) {
                true => Called::OnValue,
                false => Called::ByName,
            };
            let self_type = receiver.map(|it| head.receiver(it, called));
            head.signature(&function.signature, self_type)
        }
        ast::ItemBody::Workflow { signature, .. } => {
            head.report_reserved(signature);
            head.signature(signature, None)
        }
        ast::ItemBody::Tool { signature, .. }
        | ast::ItemBody::Prompt { signature, .. }
        | ast::ItemBody::Human { signature, .. }
        | ast::ItemBody::External { signature } => head.signature(signature, None),
        ast::ItemBody::Const(constant) => head.constant(constant),
        ast::ItemBody::Error(_) => head.error(),
        ast::ItemBody::Agent { .. } => empty_signature(Type::Agent),
        ast::ItemBody::Mcp { .. } => empty_signature(server_type(db)),
        ast::ItemBody::Import(_)
        | ast::ItemBody::Record(_)
        | ast::ItemBody::Alias { .. }
        | ast::ItemBody::Enum(_)
        | ast::ItemBody::Hook { .. }
        | ast::ItemBody::Skill { .. }
        | ast::ItemBody::Test { .. }
        | ast::ItemBody::Permissions { .. }
        | ast::ItemBody::Invalid => empty_signature(Type::Unit),
    };
    head.with_attributes(ast, signature)
}

fn empty_signature(result: Type) -> Signature {
    Signature {
        generics: Vec::new(),
        parameters: Vec::new(),
        result,
        trusted: Presence::Absent,
        throws: None,
        intrinsic: None,
        property: Presence::Absent,
        agent: None,
        server: None,
        locked: None,
        resource: None,
        was: None,
    }
}

fn plain(signature: Signature) -> ItemSignature {
    ItemSignature {
        signature: Arc::new(signature),
        effects: EffectSet::default(),
        requirements: Vec::new(),
        accumulated: Vec::new(),
        deprecated: None,
        diagnostics: Vec::new(),
    }
}

/// What a declaration of the library for MCP servers is; invalid only while the library itself is broken.
fn server_type(db: &dyn Db) -> Type {
    let server = KnownItem::McpServer.item(db);
    server.map_or(Type::Invalid, |it| Type::Record(it, Arc::from([])))
}

/// What the name after `by` has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Agent,
    Server,
}

impl By {
    /// The `by` of an `external` is its key, an expression like any other.
    const fn of(kind: ItemKind) -> Option<Self> {
        match kind {
            ItemKind::External => None,
            ItemKind::Tool => Some(Self::Server),
            ItemKind::Import
            | ItemKind::Function
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => Some(Self::Agent),
        }
    }

    const fn kind(self) -> ItemKind {
        match self {
            Self::Agent => ItemKind::Agent,
            Self::Server => ItemKind::Mcp,
        }
    }
}

/// How a function with a type before its name is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    /// It has `self`: `value.name()`.
    OnValue,
    /// `Type.name()`
    ByName,
}

/// The type parameters of a head.
#[derive(Clone, Copy)]
enum Generics {
    Taken,
    /// It was reported, with this many diagnostics.
    Refused(usize),
}

/// The type without what was reported.
fn without(ty: &Type, generics: Generics) -> Type {
    match generics {
        Generics::Taken => ty.clone(),
        Generics::Refused(count) => substitute(ty, &vec![Type::Invalid; count]),
    }
}

struct Head<'a> {
    db: &'a dyn Db,
    item: ItemId,
    file: File,
    generics: Vec<Name>,
    sink: Vec<Diagnostic>,
}

impl Head<'_> {
    fn place(&self, span: gsw_source::Span) -> Place {
        Place::Item {
            item: self.item,
            span,
        }
    }

    fn lower(&mut self, ty: &ast::TypeExpression) -> Type {
        lower_type(
            self.db,
            self.file,
            &self.generics,
            ty,
            &mut self.sink,
            self.item,
        )
    }

    fn signature(&mut self, signature: &ast::Signature, self_type: Option<Type>) -> Signature {
        report_repeats(
            self.item,
            signature.generics.iter(),
            "type parameter",
            &mut self.sink,
        );
        let names = signature.parameters.iter().map(|it| &it.name);
        report_repeats(self.item, names, "parameter", &mut self.sink);
        let generics = self.type_parameters(signature);
        let mut parameters = Vec::new();
        for (index, parameter) in signature.parameters.iter().enumerate() {
            let receiver = self_type.as_ref().filter(|_| index == 0);
            let mut parameter = self.parameter(parameter, receiver);
            parameter.ty = without(&parameter.ty, generics);
            parameters.push(parameter);
        }
        let names = parameters.iter().map(|it| (&it.name, &it.wire, it.span));
        report_wire_repeats(self.item, names, &mut self.sink);
        let throws = signature.throws.as_ref();
        let throws =
            throws.map(|it| lower_throws(self.db, self.file, it, &mut self.sink, self.item));
        let meant = By::of(self.item.kind(self.db));
        let named = self.declared_by(signature).zip(meant);
        let named = named.and_then(|(by, meant)| Some((meant, self.by(by, meant)?)));
        let by = |wanted| named.filter(|(it, _)| *it == wanted).map(|(_, it)| it);
        let result = signature.result.as_ref();
        let result = result.map_or(Type::Unit, |it| self.lower(it));
        Signature {
            generics: match generics {
                Generics::Taken => self.generics.clone(),
                Generics::Refused(_) => Vec::new(),
            },
            parameters,
            result: without(&result, generics),
            trusted: presence(signature.trusted.is_some()),
            throws,
            intrinsic: None,
            property: Presence::Absent,
            agent: by(By::Agent),
            server: by(By::Server),
            locked: None,
            resource: None,
            was: None,
        }
    }

    /// Reports type parameters where values come from outside of the program, whose types are known there.
    fn type_parameters(&mut self, signature: &ast::Signature) -> Generics {
        let kind = self.item.kind(self.db);
        let comes_from_outside = kind.is_callable() && kind != ItemKind::Function;
        match signature.generics.first() {
            Some(first) if comes_from_outside => {
                let place = self.place(first.span);
                self.sink
                    .push(errors::generic_boundary(place, &signature.name.name));
                Generics::Refused(signature.generics.len())
            }
            Some(_) | None => Generics::Taken,
        }
    }

    /// What follows `by` and names a declaration. A parameter after the `by` of a tool with a body was to be a key, which is
    /// reported where bodies are looked at.
    fn declared_by<'a>(&self, signature: &'a ast::Signature) -> Option<&'a ast::Expression> {
        let by = signature.by.as_ref()?;
        let head = item_head(self.db, self.item)?;
        let has_body = matches!(&head.body, ast::ItemBody::Tool { body: Some(_), .. });
        (!has_body || !host_tool::is_parameter(signature, by)).then_some(by)
    }

    fn parameter(&mut self, parameter: &ast::Parameter, receiver: Option<&Type>) -> Parameter {
        let attributes = read_attributes(
            self.db,
            self.item,
            &parameter.attributes,
            AttributeTarget::Parameter(self.item.kind(self.db)),
            &mut self.sink,
        );
        let name = &parameter.name;
        let ty = match (&parameter.ty, receiver) {
            (Some(ty), _) => self.lower(ty),
            (None, Some(receiver)) if name.name == "self" => receiver.clone(),
            (None, _) => {
                let place = self.place(name.span);
                self.sink.push(if name.name == "self" {
                    errors::self_outside_method(place)
                } else {
                    errors::missing_type(place, &name.name)
                });
                Type::Invalid
            }
        };
        Parameter {
            name: name.name.clone(),
            wire: attributes.alias.unwrap_or_else(|| name.name.clone()),
            docs: parameter.docs.as_deref().map(Arc::from),
            ty,
            default: presence(parameter.default.is_some()),
            check: Presence::Absent,
            secret: attributes.secret,
            trusted: presence(parameter.trusted.is_some()),
            span: name.span,
        }
    }

    /// The type before the dot of a method, over the type parameters that the method has for it.
    fn receiver(&mut self, name: &ast::Identifier, called: Called) -> Type {
        let place = self.place(name.span);
        let Some(item) = own_type(self.db, self.file, &name.name) else {
            let is_elsewhere = resolve_name(self.db, self.file, &name.name).is_some();
            // Else the type exists but is broken, which was reported.
            if is_elsewhere || !crate::import::is_reported(self.db, self.file, &name.name) {
                self.sink
                    .push(errors::method_of_foreign_type(place, &name.name));
            }
            return Type::Invalid;
        };
        let arity = generics_of(self.db, item).len();
        let parameters = (0u32..).zip(&self.generics).take(arity);
        let arguments: Arc<[Type]> = parameters
            .map(|(index, it)| Type::Parameter(index, it.clone()))
            .collect();
        match item.kind(self.db) {
            ItemKind::Record => Type::Record(item, arguments),
            ItemKind::Enum => Type::Enum(item, arguments),
            ItemKind::Error => {
                if called == Called::OnValue {
                    self.sink
                        .push(errors::method_of_error(place, &name.name));
                }
                Type::Error
            }
            _ if crate::alias::has_check(self.db, item) => Type::Checked(item, arguments),
            ItemKind::Alias => {
                let target = substitute(&alias_target(self.db, item), &arguments);
                if called == Called::OnValue && target != Type::Invalid {
                    let shown = display_type(self.db, &target);
                    self.sink
                        .push(errors::method_of_alias(place, &name.name, &shown));
                }
                target
            }
            ItemKind::Import
            | ItemKind::Function
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Prompt
            | ItemKind::Workflow
            | ItemKind::Tool
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Human
            | ItemKind::External
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            // `own_type` gives types only.
            | ItemKind::Invalid => Type::Invalid,
        }
    }

    /// The declaration after `by`.
    fn by(&mut self, by: &ast::Expression, meant: By) -> Option<ItemId> {
        let (found, text) = if let ast::ExpressionKind::Name(name) = &by.kind {
            (resolve_name(self.db, self.file, name), name.clone())
        } else if let ast::ExpressionKind::Field { base, name, .. } = &by.kind
            && let ast::ExpressionKind::Name(module) = &base.kind
        {
            let module = resolve_name(self.db, self.file, module);
            let found = match module {
                Some(Definition::Module(file)) => {
                    resolve_member(self.db, file, &name.name, self.file)
                }
                Some(Definition::Item(_) | Definition::Variant { .. }) | None => None,
            };
            (found, name.name.clone())
        } else {
            return self.not_meant(by.span, meant, "this");
        };
        match found {
            Some(Definition::Item(item)) if item.kind(self.db) == meant.kind() => Some(item),
            Some(_) => self.not_meant(by.span, meant, &format!("`{text}`")),
            None if crate::import::is_reported(self.db, self.file, &text) => None,
            None => {
                let suggestion = crate::scope::suggest(self.db, self.file, &text, &[]);
                let place = self.place(by.span);
                let report = errors::unknown_name(place, &text, suggestion.as_ref());
                self.sink.push(match (meant, suggestion) {
                    (By::Agent, None) => errors::declare_agent(report, &text),
                    (By::Agent | By::Server, _) => report,
                });
                None
            }
        }
    }

    fn not_meant(&mut self, span: gsw_source::Span, meant: By, what: &str) -> Option<ItemId> {
        let place = self.place(span);
        self.sink.push(match meant {
            By::Agent => errors::not_an_agent(place, what),
            By::Server => errors::not_a_server(place, what),
        });
        None
    }

    /// A workflow's parameters are options of its command line, where some names are taken.
    fn report_reserved(&mut self, signature: &ast::Signature) {
        for parameter in &signature.parameters {
            if is_reserved(&parameter.name.name) {
                let place = self.place(parameter.name.span);
                self.sink
                    .push(errors::reserved_parameter(place, &parameter.name.name));
            }
        }
    }

    fn constant(&mut self, constant: &ast::Constant) -> Signature {
        let result = match &constant.ty {
            Some(ty) => self.lower(ty),
            // What is missing of its value may be what its type would follow from.
            None if is_damaged(self.db, self.item) => {
                constant_type(self.db, self.item, &constant.value).unwrap_or(Type::Invalid)
            }
            None => constant_type(self.db, self.item, &constant.value).unwrap_or_else(|| {
                let place = self.place(constant.name.span);
                let report = errors::missing_type(place, &constant.name.name);
                let is_lambda = matches!(constant.value.kind, ast::ExpressionKind::Lambda { .. });
                self.sink.push(if is_lambda {
                    errors::function_instead(report)
                } else if holds_nothing(&constant.value) {
                    errors::type_of_nothing(report)
                } else {
                    report
                });
                Type::Invalid
            }),
        };
        empty_signature(result)
    }

    /// What is wrong in an error's fields is the business of `type_declaration`.
    fn error(&mut self) -> Signature {
        let declared = &type_declaration(self.db, self.item).declaration;
        Signature {
            parameters: declared.fields().to_vec(),
            ..empty_signature(Type::Error)
        }
    }

    /// The head with what the attributes before it say.
    fn with_attributes(mut self, ast: &ast::Item, signature: Signature) -> ItemSignature {
        let attributes = self.attributes(ast);
        self.sink
            .extend(host_tool::check(self.item, ast, attributes.host));
        let resource = attributes.resource;
        let offered = resource.as_ref();
        let parameters = &signature.parameters;
        self.sink
            .extend(offered.and_then(|it| offered_resource::check(self.item, parameters, it)));
        let position = |name: &Name| {
            let index = self.generics.iter().position(|it| it == name)?;
            u32::try_from(index).ok()
        };
        let requirements = attributes.requirements.iter();
        let requirements = requirements.filter_map(|(kind, name)| Some((*kind, position(name)?)));
        let accumulated = attributes.accumulated.iter().filter_map(position);
        ItemSignature {
            signature: Arc::new(Signature {
                intrinsic: attributes.intrinsic,
                property: attributes.property,
                was: attributes.was,
                locked: attributes.locked,
                resource: resource.map(|it| it.0),
                ..signature
            }),
            effects: attributes.effects,
            requirements: requirements.collect(),
            accumulated: accumulated.collect(),
            deprecated: attributes.deprecated,
            diagnostics: self.sink,
        }
    }

    /// Those of types and errors are read, and reported, by `type_declaration`.
    fn attributes(&mut self, ast: &ast::Item) -> Attributes {
        let mut ignored = Vec::new();
        let is_type = matches!(ast.body, ast::ItemBody::Error(_) | ast::ItemBody::Record(_));
        let sink = if is_type {
            &mut ignored
        } else {
            &mut self.sink
        };
        read_attributes(
            self.db,
            self.item,
            &ast.attributes,
            AttributeTarget::Declaration,
            sink,
        )
    }
}

/// Whether a part of a value is an empty list or map or `none`, from which no type follows.
fn holds_nothing(value: &ast::Expression) -> bool {
    let is_nothing = |it: &ast::ExpressionKind| {
        matches!(it, ast::ExpressionKind::List(parts) if parts.is_empty())
            || matches!(it, ast::ExpressionKind::Map(entries) if entries.is_empty())
            || matches!(it, ast::ExpressionKind::Literal(ast::Literal::None))
    };
    let mut waiting = vec![ast::Child::Expression(value)];
    while let Some(child) = waiting.pop() {
        if matches!(&child, ast::Child::Expression(it) if is_nothing(&it.kind)) {
            return true;
        }
        waiting.extend(ast::children(child));
    }
    false
}
