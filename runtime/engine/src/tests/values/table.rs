//! Type tables for tests.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::{
    Check, CheckScope, Enum, ErrorClass, ErrorKind, Field, Record, Secrecy, Trust, Type, TypeId,
    TypeTable, Variant,
};

use crate::heap::Heap;
use crate::value::hash::HashKey;

/// A table that grows.
pub struct Table(pub TypeTable);

impl Table {
    pub fn new() -> Self {
        Self(builtin::type_table())
    }

    pub fn add(&mut self, ty: Type) -> TypeId {
        self.0.types.push(ty);
        TypeId(self.0.types.len() as u32 - 1)
    }

    pub fn set(&mut self, of: TypeId) -> TypeId {
        let members = self.add(Type::Map {
            key: of,
            value: builtin::BOOL,
        });
        self.add(Type::Set { of, members })
    }

    pub fn record(&mut self, name: &str, fields: Vec<Field>) -> TypeId {
        self.add(Type::Record(Record {
            name: name.into(),
            docs: None,
            fields,
        }))
    }

    pub fn error(&mut self, name: &str, fields: Vec<Field>) -> TypeId {
        let (name, class) = (name.into(), ErrorClass::Error);
        self.add(Type::ErrorKind(ErrorKind {
            name,
            docs: None,
            class,
            fields,
        }))
    }

    pub fn choice(&mut self, name: &str, variants: Vec<(&str, Vec<Field>)>) -> TypeId {
        let variants = variants.into_iter().map(|(name, fields)| Variant {
            name: name.into(),
            wire: name.to_lowercase(),
            docs: None,
            fields,
        });
        let variants = variants.collect();
        self.add(Type::Enum(Enum {
            name: name.into(),
            docs: None,
            variants,
        }))
    }

    pub fn heap(self) -> Heap {
        Heap::new(Arc::new(self.0), None, HashKey::of_seed(1))
    }
}

pub fn field(name: &str, ty: TypeId) -> Field {
    Field {
        name: name.into(),
        wire: name.into(),
        docs: None,
        ty,
        default: None,
        check: None,
        secrecy: Secrecy::Shown,
        trust: Trust::Any,
    }
}

pub fn check(function: u32, scope: CheckScope, source: &str) -> Check {
    let function = FunctionIndex(function);
    Check {
        function,
        scope,
        source: source.into(),
        bounds: Vec::new(),
    }
}

/// Nothing is left of what a test made.
pub fn assert_empty(heap: &Heap) {
    assert_eq!((heap.live(), heap.bytes()), (0, 0), "objects are left");
}
