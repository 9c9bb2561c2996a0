//! Types with a name: records, enums, errors, checked aliases and what is partly there of them.

use gsw_abi::builtin;
use gsw_abi::types::{
    Check, CheckScope, DefaultValue, Enum, ErrorClass, ErrorKind, Field, Record, Secrecy, Trust,
    Type as Entry, TypeId, Variant,
};
use gsw_infer::hir::{Body, BodyPart};
use gsw_names::types::Type;
use gsw_names::{
    Parameter, Presence, TypeDeclarationKind, display_type, partial_field, substitute,
};
use gsw_source::ItemId;

use crate::instance::{BodyInstance, Instance};
use crate::lower::Lowering;
use crate::waiting::ArgumentsWait;
use crate::walk::reads;

impl Lowering<'_> {
    /// The id of an error's type.
    pub fn error_type(&mut self, item: ItemId) -> TypeId {
        if let Some(builtin) = self.view.builtin_error(item) {
            return builtin.ty();
        }
        if let Some(id) = self.types.known_error(item) {
            return id;
        }
        let mut kind = ErrorKind {
            name: item.name(self.view.db()).to_string(),
            docs: self.view.docs(item),
            class: ErrorClass::Error,
            fields: Vec::new(),
        };
        let id = self
            .types
            .reserve_error(item, Entry::ErrorKind(kind.clone()));
        kind.fields = self.fields(item, &[], 0, &self.record_fields(item));
        self.types.complete(id, Entry::ErrorKind(kind));
        id
    }

    /// The fields that a record or error declares.
    pub fn record_fields(&self, item: ItemId) -> Vec<Parameter> {
        self.view.declaration(item).fields().to_vec()
    }

    /// The payload that a variant declares.
    pub fn variant_fields(&self, item: ItemId, variant: u32) -> Vec<Parameter> {
        let declaration = self.view.declaration(item);
        let variant = declaration.variants().get(variant as usize);
        variant.map_or_else(Vec::new, |it| it.fields.clone())
    }

    pub(super) fn record(&mut self, ty: &Type, item: ItemId, arguments: &[Type]) -> TypeId {
        let mut record = Record {
            name: display_type(self.view.db(), ty),
            docs: self.view.docs(item),
            fields: Vec::new(),
        };
        let id = self.types.reserve(ty, Entry::Record(record.clone()));
        record.fields = self.fields(item, arguments, 0, &self.record_fields(item));
        self.types.complete(id, Entry::Record(record));
        id
    }

    pub(super) fn enumeration(&mut self, ty: &Type, item: ItemId, arguments: &[Type]) -> TypeId {
        let declaration = self.view.declaration(item);
        let TypeDeclarationKind::Enum(declared) = &declaration.kind else {
            return builtin::UNIT;
        };
        let mut entry = Enum {
            name: display_type(self.view.db(), ty),
            docs: self.view.docs(item),
            variants: Vec::new(),
        };
        let id = self.types.reserve(ty, Entry::Enum(entry.clone()));
        for (index, variant) in (0..).zip(declared) {
            let fields = self.fields(item, arguments, index, &variant.fields);
            entry.variants.push(Variant {
                name: variant.name.to_string(),
                wire: variant.wire.to_string(),
                docs: variant.docs.as_deref().map(str::to_owned),
                fields,
            });
        }
        self.types.complete(id, Entry::Enum(entry));
        id
    }

    pub(super) fn checked(&mut self, ty: &Type, item: ItemId, arguments: &[Type]) -> TypeId {
        let declaration = self.view.declaration(item);
        let TypeDeclarationKind::Alias { target, .. } = &declaration.kind else {
            return builtin::UNIT;
        };
        // Reserved before the base is known: an alias may hold itself through a list.
        let id = self.types.reserve(ty, Entry::String);
        let base = self.type_id(&substitute(target, arguments));
        let Some(check) = self.check(item, arguments, BodyPart::AliasCheck) else {
            return base;
        };
        let entry = Entry::Checked {
            name: display_type(self.view.db(), ty),
            docs: self.view.docs(item),
            base,
            check,
        };
        self.types.complete(id, entry);
        id
    }

    /// `Partial<R>`: the record with every field optional; of any other type, and of a set, the type itself.
    pub(super) fn partial(&mut self, ty: &Type, inner: &Type) -> TypeId {
        let Type::Record(item, arguments) = inner else {
            return self.type_id(inner);
        };
        if self.view.is_set(*item) {
            return self.type_id(inner);
        }
        let mut record = Record {
            name: display_type(self.view.db(), ty),
            docs: None,
            fields: Vec::new(),
        };
        let id = self.types.reserve(ty, Entry::Record(record.clone()));
        for declared in self.record_fields(*item) {
            let whole = substitute(&declared.ty, arguments);
            let whole = self.base_type(&whole);
            record.fields.push(Field {
                ty: self.type_id(&partial_field(self.view.db(), whole)),
                // What is not there has not come yet; its checks are those of the whole.
                default: None,
                check: None,
                ..self.field(&declared, arguments)
            });
        }
        self.types.complete(id, Entry::Record(record));
        id
    }

    fn fields(
        &mut self,
        item: ItemId,
        arguments: &[Type],
        variant: u32,
        declared: &[Parameter],
    ) -> Vec<Field> {
        (0..)
            .zip(declared)
            .map(|(index, it)| {
                let part = BodyPart::FieldDefault {
                    variant,
                    field: index,
                };
                let default = (it.default == Presence::Present)
                    .then(|| self.part(item, part, arguments))
                    .flatten();
                let check = (it.check == Presence::Present)
                    .then(|| self.check(item, arguments, BodyPart::FieldCheck(index)))
                    .flatten();
                Field {
                    default: default.map(|instance| DefaultValue {
                        function: self.instance(instance),
                        source: self.default_source(item, part, it),
                        json: self.default_json(item, part, (it, arguments)),
                    }),
                    check,
                    ..self.field(it, arguments)
                }
            })
            .collect()
    }

    /// A field or parameter without default and check.
    pub fn field(&mut self, declared: &Parameter, arguments: &[Type]) -> Field {
        Field {
            name: declared.name.to_string(),
            wire: declared.wire.to_string(),
            docs: declared.docs.as_deref().map(str::to_owned),
            ty: self.type_id(&substitute(&declared.ty, arguments)),
            default: None,
            check: None,
            secrecy: match declared.secret {
                Presence::Present => Secrecy::Redacted,
                Presence::Absent => Secrecy::Shown,
            },
            trust: trust_of(declared.trusted),
        }
    }

    /// The instance of one of an item's parts, when the item has it.
    pub fn part(&self, item: ItemId, part: BodyPart, arguments: &[Type]) -> Option<Instance> {
        self.view.body(item, part)?;
        Some(Instance::Body(BodyInstance {
            item,
            part,
            type_arguments: arguments.to_vec(),
            arguments: ArgumentsWait::No,
        }))
    }

    /// The check of a field or alias.
    pub fn check(&mut self, item: ItemId, arguments: &[Type], part: BodyPart) -> Option<Check> {
        let body = self.view.body(item, part)?;
        let instance = self.part(item, part, arguments)?;
        let (source, bounds) = self.view.check(item, part);
        Some(Check {
            function: self.instance(instance),
            scope: check_scope(&body),
            source,
            bounds,
        })
    }
}

/// Whether what is declared so refuses strangers' values.
pub(crate) const fn trust_of(trusted: Presence) -> Trust {
    match trusted {
        Presence::Present => Trust::Trusted,
        Presence::Absent => Trust::Any,
    }
}

/// Whether a check names the whole record, its second parameter.
pub(crate) fn check_scope(body: &Body) -> CheckScope {
    match body.parameters.get(1) {
        Some(&whole) if reads(body, body.root, whole) => CheckScope::Record,
        Some(_) | None => CheckScope::Value,
    }
}
