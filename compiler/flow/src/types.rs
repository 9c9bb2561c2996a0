//! Concrete types of the checker as entries of the program's type table.

mod default_source;
pub(crate) mod nominal;

pub(crate) use nominal::check_scope;

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::types as abi;
use gsw_abi::types::TypeId;
use gsw_names::types::Type;
use gsw_names::{TypeDeclarationKind, substitute};
use gsw_source::ItemId;
use rustc_hash::FxHashMap;

use crate::family::Family;
use crate::lower::Lowering;

/// The growing type table with what is already in it.
pub(crate) struct TypeInterner {
    pub table: abi::TypeTable,
    structures: FxHashMap<abi::Type, TypeId>,
    known: FxHashMap<Type, TypeId>,
    errors: FxHashMap<ItemId, TypeId>,
}

impl TypeInterner {
    /// Holds just the fixed types.
    pub fn new() -> Self {
        let table = builtin::type_table();
        let structures = (0..)
            .map(TypeId)
            .zip(&table.types)
            .map(|(id, ty)| (ty.clone(), id))
            .collect();
        Self {
            table,
            structures,
            known: FxHashMap::default(),
            errors: FxHashMap::default(),
        }
    }

    /// The id of a type without a name; equal structures share it.
    pub fn structure(&mut self, ty: abi::Type) -> TypeId {
        if let Some(&id) = self.structures.get(&ty) {
            return id;
        }
        let id = self.push(ty.clone());
        self.structures.insert(ty, id);
        id
    }

    /// The id of a type with a name, whose inside is given to `complete` later.
    pub fn reserve(&mut self, ty: &Type, entry: abi::Type) -> TypeId {
        let id = self.push(entry);
        self.known.insert(ty.clone(), id);
        id
    }

    /// The id of an error's type, whose inside is given to `complete` later.
    pub fn reserve_error(&mut self, item: ItemId, entry: abi::Type) -> TypeId {
        let id = self.push(entry);
        self.errors.insert(item, id);
        id
    }

    /// The id of an error's type that is already there.
    pub fn known_error(&self, item: ItemId) -> Option<TypeId> {
        self.errors.get(&item).copied()
    }

    /// Fills in a reserved type.
    pub fn complete(&mut self, id: TypeId, entry: abi::Type) {
        self.table.types[id.0 as usize] = entry;
    }

    fn push(&mut self, ty: abi::Type) -> TypeId {
        let id = TypeId(self.table.types.len() as u32);
        self.table.types.push(ty);
        id
    }
}

impl Lowering<'_> {
    /// The id of a concrete type.
    pub fn type_id(&mut self, ty: &Type) -> TypeId {
        if let Some(&id) = self.types.known.get(ty) {
            return id;
        }
        let id = self.new_type(ty);
        self.types.known.entry(ty.clone()).or_insert(id);
        id
    }

    /// The entry of a type that is met for the first time. One that may hold itself reserves its id before its inside.
    fn new_type(&mut self, ty: &Type) -> TypeId {
        match ty {
            Type::Unit | Type::Never => builtin::UNIT,
            Type::Bool => builtin::BOOL,
            // An agent as a value is its index.
            Type::Int | Type::Agent => builtin::INT,
            Type::Float => builtin::FLOAT,
            Type::String => builtin::STRING,
            Type::Bytes => builtin::BYTES,
            Type::Time => builtin::TIME,
            Type::Duration => builtin::DURATION,
            Type::Json => builtin::JSON,
            Type::Secret => builtin::SECRET,
            Type::Image | Type::Document => builtin::MEDIA,
            Type::Session => builtin::SESSION,
            Type::Error => builtin::ERROR,
            Type::Function(_) => builtin::FUNCTION,
            Type::Literals(names) => {
                let names = names.iter().map(ToString::to_string).collect();
                self.types.structure(abi::Type::Literals(names))
            }
            Type::Optional(inner) => self.holding(inner, abi::Type::Optional),
            Type::List(inner) => self.holding(inner, abi::Type::List),
            Type::Task(inner) => self.holding(inner, abi::Type::Task),
            Type::Stream(inner) => self.holding(inner, abi::Type::Stream),
            Type::Queue(inner) => self.holding(&inner.as_ref().clone().list(), abi::Type::Queue),
            Type::Map(key, value) => {
                let key = self.type_id(key);
                let value = self.type_id(value);
                self.types.structure(abi::Type::Map { key, value })
            }
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|it| self.type_id(it)).collect();
                self.types.structure(abi::Type::Tuple(parts))
            }
            Type::Record(item, _) if self.view.is_issue(*item) => builtin::ISSUE,
            Type::Record(item, arguments) if self.view.is_set(*item) => self.set(arguments),
            Type::Record(item, arguments) => self.record(ty, *item, arguments),
            Type::Enum(item, arguments) => self.enumeration(ty, *item, arguments),
            Type::Checked(item, arguments) => self.checked(ty, *item, arguments),
            Type::Partial(inner) => self.partial(ty, inner),
            // Instances are concrete, and of a wrong program nothing is compiled.
            Type::Parameter(..) | Type::Variable(_) | Type::Text(_) | Type::Invalid => {
                builtin::UNIT
            }
        }
    }

    /// `Set<T>` of the library, which code makes and reads as the record that it is declared as.
    fn set(&mut self, arguments: &[Type]) -> TypeId {
        let element = arguments.first().cloned().unwrap_or(Type::Invalid);
        let of = self.type_id(&element);
        let members = self.type_id(&Type::Map(Arc::new(element), Arc::new(Type::Bool)));
        self.types.structure(abi::Type::Set { of, members })
    }

    fn holding(&mut self, inner: &Type, make: impl FnOnce(TypeId) -> abi::Type) -> TypeId {
        let inner = self.type_id(inner);
        self.types.structure(make(inner))
    }

    /// Whether a word of this type is counted.
    pub fn is_reference(&self, id: TypeId) -> bool {
        self.types.table.is_reference(id)
    }

    /// What code does with values of a type, its checks looked through.
    pub fn family(&self, ty: &Type) -> Family {
        Family::of(&self.base_type(ty))
    }

    /// What a checked type is held as; every other type is itself.
    pub fn base_type(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Type::Checked(item, arguments) = &ty {
            let declaration = self.view.declaration(*item);
            let TypeDeclarationKind::Alias { target, .. } = &declaration.kind else {
                return Type::Invalid;
            };
            ty = substitute(target, arguments);
        }
        ty
    }
}
