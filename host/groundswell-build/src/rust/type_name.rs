//! Which Rust type represents a type of the program, and which have to be declared.

use std::collections::{BTreeMap, BTreeSet};

use gsw_abi::types::{Type, TypeId, TypeTable};

use crate::rust::name::pascal;

/// The names that were given so far.
pub struct Names<'t> {
    pub types: &'t TypeTable,
    /// What is to be declared, in order of first mention.
    pub order: Vec<(TypeId, String)>,
    named: BTreeMap<TypeId, String>,
    taken: BTreeSet<String>,
}

impl<'t> Names<'t> {
    pub fn new(types: &'t TypeTable) -> Self {
        // What the generated code itself names without a path.
        let taken = ["Option", "Result", "Vec", "String", "Box", "Tools"];
        Self {
            types,
            order: Vec::new(),
            named: BTreeMap::new(),
            taken: taken.map(str::to_owned).into(),
        }
    }

    /// The Rust type of `id`; `context` names what has no name of its own.
    pub fn of(&mut self, id: TypeId, context: &str) -> String {
        match self.types.get(id) {
            Type::Unit => "()".into(),
            Type::Bool => "bool".into(),
            Type::Int => "i64".into(),
            Type::Float => "f64".into(),
            Type::String => "String".into(),
            Type::Bytes => "::groundswell::Bytes".into(),
            Type::Time => "::groundswell::Time".into(),
            Type::Duration => "::groundswell::Span".into(),
            Type::Checked { base, .. } => self.of(*base, context),
            Type::Optional(inner) => format!("Option<{}>", self.of(*inner, context)),
            Type::List(inner) | Type::Set { of: inner, .. } => {
                format!("Vec<{}>", self.of(*inner, context))
            }
            Type::Map { key, value } => {
                let key = self.of(*key, &format!("{context}Key"));
                let value = self.of(*value, context);
                format!("::groundswell::Map<{key}, {value}>")
            }
            Type::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let parts = parts.map(|(index, it)| self.of(*it, &format!("{context}{index}")));
                format!("({},)", parts.collect::<Vec<_>>().join(", "))
            }
            Type::Record(record) => self.declared(id, &record.name),
            Type::Enum(it) => self.declared(id, &it.name),
            Type::ErrorKind(it) => self.declared(id, &it.name),
            Type::Literals(_) => self.declared(id, context),
            // What has a form but no type here.
            Type::Json
            | Type::Secret
            | Type::Media
            | Type::Error
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => "::groundswell::serde_json::Value".into(),
        }
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let plain = pascal(wanted);
        let mut name = plain.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{plain}{number}");
            number += 1;
        }
        name
    }

    fn declared(&mut self, id: TypeId, wanted: &str) -> String {
        if let Some(name) = self.named.get(&id) {
            return name.clone();
        }
        let name = self.fresh(wanted);
        self.named.insert(id, name.clone());
        self.order.push((id, name.clone()));
        name
    }
}
