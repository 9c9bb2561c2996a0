//! What a program takes and gives, without its code: its declared types and its workflows.

use gsw_abi::program::Workflow;
use gsw_abi::types::{Field, Type as Entry, TypeId, TypeTable};
use gsw_names::types::Type;
use gsw_names::{Presence, TypeDeclarationKind};
use gsw_source::{Db, Diagnostic, ItemId};
use rustc_hash::FxHashSet;

use crate::lower::{Lowering, Purpose, entry_view};

/// What a program takes and gives.
#[derive(Debug)]
pub struct Outline {
    pub types: TypeTable,
    /// The declared types that have a JSON form and no type parameters, those of the entry module first.
    pub named: Vec<(String, TypeId)>,
    /// The workflows of the entry module.
    pub workflows: Vec<Workflow>,
}

/// The outline of the project in the database.
///
/// # Errors
/// With what is wrong in the declarations.
pub fn outline_program(db: &dyn Db) -> Result<Outline, Vec<Diagnostic>> {
    let view = entry_view(db)?;
    // The tables of a real compilation, of which only the code is left away: both cannot disagree.
    let mut lowering = Lowering::new(&view, Purpose::Run);
    let workflows = lowering.roots();
    let mut files = lowering.view.files();
    // A stable sort, so the others keep their order.
    files.sort_by_key(|it| *it != lowering.view.entry());
    let mut named = Vec::new();
    for file in files {
        for item in lowering.view.items(file) {
            let Some(ty) = lowering.declared_type(item) else {
                continue;
            };
            let id = lowering.type_id(&ty);
            if has_json_form(&lowering.types.table, id, &mut FxHashSet::default()) {
                named.push((item.name(db).to_string(), id));
            }
        }
    }
    if lowering.diagnostics.is_empty() {
        let types = lowering.types.table;
        Ok(Outline {
            types,
            named,
            workflows,
        })
    } else {
        Err(lowering.diagnostics)
    }
}

impl Lowering<'_> {
    /// Whether values of the type can be written as JSON.
    pub fn is_written(&self, id: TypeId) -> bool {
        has_json_form(&self.types.table, id, &mut FxHashSet::default())
    }
}

/// Whether values of the type can be written as JSON. `seen` are the types around it, which decide for themselves.
fn has_json_form(types: &TypeTable, id: TypeId, seen: &mut FxHashSet<TypeId>) -> bool {
    // A recursive type: what is looked at further out decides, so this occurrence adds no doubt.
    if !seen.insert(id) {
        return true;
    }
    let fields = |fields: &[Field], seen: &mut FxHashSet<TypeId>| {
        fields.iter().all(|it| has_json_form(types, it.ty, seen))
    };
    match types.get(id) {
        Entry::Function
        | Entry::Closure(_)
        | Entry::Cell(_)
        | Entry::Task(_)
        | Entry::Stream(_)
        | Entry::Queue(_)
        | Entry::Session
        | Entry::Secret => false,
        Entry::Optional(it) | Entry::List(it) | Entry::Map { value: it, .. } => {
            has_json_form(types, *it, seen)
        }
        Entry::Checked { base, .. } => has_json_form(types, *base, seen),
        Entry::Tuple(parts) => parts.iter().all(|it| has_json_form(types, *it, seen)),
        Entry::Record(record) => fields(&record.fields, seen),
        Entry::Enum(it) => it.variants.iter().all(|it| fields(&it.fields, seen)),
        Entry::Unit
        | Entry::Bool
        | Entry::Int
        | Entry::Float
        | Entry::String
        | Entry::Bytes
        | Entry::Time
        | Entry::Duration
        | Entry::Json
        | Entry::Media
        | Entry::Error
        | Entry::Literals(_)
        | Entry::Set { .. }
        | Entry::ErrorKind(_) => true,
    }
}

impl Lowering<'_> {
    /// The type that a declaration without type parameters declares.
    fn declared_type(&self, item: ItemId) -> Option<Type> {
        if !item.kind(self.view.db()).is_type() {
            return None;
        }
        let declaration = self.view.declaration(item);
        if !declaration.generics.is_empty() {
            return None;
        }
        Some(match &declaration.kind {
            TypeDeclarationKind::Record(_) => Type::Record(item, [].into()),
            TypeDeclarationKind::Enum(_) => Type::Enum(item, [].into()),
            TypeDeclarationKind::Alias {
                check: Presence::Present,
                ..
            } => Type::Checked(item, [].into()),
            TypeDeclarationKind::Alias { target, .. } => target.clone(),
        })
    }
}
