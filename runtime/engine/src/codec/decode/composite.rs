//! Reads values that have parts. What was read of a value that does not fit is released.

use gsw_abi::layout;
use gsw_abi::types::{CheckScope, Enum, ErrorClass, Field, KIND, Secrecy, Type, TypeId, Variant};
use gsw_notation::issue;
use gsw_notation::path::Step;
use serde_json::{Map, Value};

use crate::codec::decode::Decoder;
use crate::codec::describe;
use crate::value::{list, map, optional, set, store};

impl Decoder<'_> {
    pub(super) fn optional(&mut self, ty: TypeId, of: TypeId, tree: &Value) -> Option<u64> {
        if tree.is_null() {
            return Some(0);
        }
        let word = self.value(of, tree)?;
        Some(optional::some(self.checker.heap(), ty, word))
    }

    pub(super) fn list(&mut self, ty: TypeId, of: TypeId, tree: &Value) -> Option<u64> {
        let Value::Array(elements) = tree else {
            return self.mismatch(ty, tree);
        };
        let mut words = Vec::new();
        let mut fits = true;
        for (index, element) in elements.iter().enumerate() {
            match self.within(Step::Index(index), |it| it.value(of, element)) {
                Some(word) => words.push(word),
                None => fits = false,
            }
            let is_interrupted = self.is_interrupted();
            fits &= !is_interrupted;
            if is_interrupted || self.is_full() {
                break;
            }
        }
        let heap = self.checker.heap();
        if fits {
            return Some(list::new(heap, ty, &words));
        }
        words
            .into_iter()
            .for_each(|word| heap.release_typed(of, word));
        None
    }

    pub(super) fn tuple(&mut self, ty: TypeId, parts: &[TypeId], tree: &Value) -> Option<u64> {
        let Value::Array(elements) = tree else {
            return self.mismatch(ty, tree);
        };
        if elements.len() != parts.len() {
            let expected = describe::type_name(&self.types, ty);
            return self.fail(expected, format!("an array of {}", elements.len()));
        }
        let mut words = Vec::with_capacity(parts.len());
        for (index, (&part, element)) in parts.iter().zip(elements).enumerate() {
            words.push((
                part,
                self.within(Step::Index(index), |it| it.value(part, element)),
            ));
        }
        self.assemble(ty, 0, 0, &words)
    }

    pub(super) fn map(&mut self, ty: TypeId, key: TypeId, of: TypeId, tree: &Value) -> Option<u64> {
        let Value::Object(fields) = tree else {
            return self.mismatch(ty, tree);
        };
        let mut result = map::new(self.checker.heap(), ty);
        let mut fits = true;
        for (name, field) in fields {
            let entry = self.within(Step::Key(name.clone().into()), |it| {
                let key = it.key(key, name);
                (key, it.value(of, field))
            });
            fits &= match entry {
                (Some(name), Some(word)) => self.add_entry(&mut result, name, word),
                (name, word) => {
                    let heap = self.checker.heap();
                    name.into_iter().for_each(|it| heap.release_typed(key, it));
                    word.into_iter().for_each(|it| heap.release_typed(of, it));
                    false
                }
            };
            let is_interrupted = self.is_interrupted();
            fits &= !is_interrupted;
            if is_interrupted || self.is_full() {
                break;
            }
        }
        if fits {
            return Some(result);
        }
        self.checker.heap().release(result);
        None
    }

    /// Adds an entry to a map; `1` and `1.0` are one int key, which may not be there twice.
    fn add_entry(&mut self, result: &mut u64, key: u64, word: u64) -> bool {
        let heap = self.checker.heap();
        let is_new = map::get(heap, *result, key).is_none();
        *result = map::insert(heap, *result, key, word);
        if !is_new {
            self.fail("each key once".into(), "a key twice".into());
        }
        is_new
    }

    /// A set from an array, in which each element may occur once.
    pub(super) fn set(
        &mut self,
        ty: TypeId,
        of: TypeId,
        members: TypeId,
        tree: &Value,
    ) -> Option<u64> {
        let Value::Array(elements) = tree else {
            return self.mismatch(ty, tree);
        };
        let mut result = map::new(self.checker.heap(), members);
        let mut fits = true;
        for (index, element) in elements.iter().enumerate() {
            fits &= self.within(Step::Index(index), |it| {
                let word = it.value(of, element);
                word.is_some_and(|word| it.add_element(&mut result, word, element))
            });
            let is_interrupted = self.is_interrupted();
            fits &= !is_interrupted;
            if is_interrupted || self.is_full() {
                break;
            }
        }
        let heap = self.checker.heap();
        if fits {
            return Some(set::new(heap, ty, result));
        }
        heap.release(result);
        None
    }

    fn add_element(&mut self, members: &mut u64, word: u64, tree: &Value) -> bool {
        let heap = self.checker.heap();
        let is_new = map::get(heap, *members, word).is_none();
        *members = map::insert(heap, *members, word, u64::from(true));
        if !is_new {
            let found = format!("{} a second time", self.shown(tree));
            self.fail("each element once".into(), found);
        }
        is_new
    }

    fn key(&mut self, ty: TypeId, name: &str) -> Option<u64> {
        let types = self.types.clone();
        if !matches!(types.get(types.base(ty)), Type::Int) {
            return self.value(ty, &Value::from(name));
        }
        match name.parse::<i64>() {
            // A check on the key's type is checked with the number, not its text.
            Ok(it) => self.value(ty, &Value::from(it)),
            Err(_) => self.mismatch(ty, &Value::from(name)),
        }
    }

    pub(super) fn record(&mut self, ty: TypeId, fields: &[Field], tree: &Value) -> Option<u64> {
        let Value::Object(values) = tree else {
            return self.mismatch(ty, tree);
        };
        self.fields(ty, 0, fields, 0, values)
    }

    pub(super) fn enumeration(&mut self, ty: TypeId, it: &Enum, tree: &Value) -> Option<u64> {
        match tree {
            Value::String(name) => {
                let is_it = |variant: &gsw_abi::types::Variant| {
                    variant.fields.is_empty() && variant.wire == *name
                };
                match it.variants.iter().position(is_it) {
                    Some(index) if it.is_inline() => Some(index as u64),
                    Some(index) => Some(self.checker.heap().object(ty, index as u32, 0)),
                    None => {
                        let found = self.found(ty, tree);
                        let expected =
                            named(it, name).map_or_else(|| describe::variants(it), as_object);
                        self.fail(expected, found)
                    }
                }
            }
            Value::Object(values) if !it.is_inline() => {
                let kind = values.get(KIND);
                let name = kind.and_then(Value::as_str);
                let is_it = |variant: &gsw_abi::types::Variant| {
                    !variant.fields.is_empty() && name == Some(&variant.wire)
                };
                if let Some(alone) = name.and_then(|name| named(it, name))
                    && alone.fields.is_empty()
                {
                    let expected = format!("{} alone, as a string", Value::from(&*alone.wire));
                    return self.fail(expected, "an object with that `kind`".into());
                }
                let Some(index) = it.variants.iter().position(is_it) else {
                    let found = kind.map_or(issue::NOTHING.into(), |kind| self.found(ty, kind));
                    let expected = describe::kinds(it);
                    return self.within(Step::Key(KIND.into()), |at| at.fail(expected, found));
                };
                self.fields(ty, index as u32, &it.variants[index].fields, 0, values)
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => {
                let found = self.found(ty, tree);
                self.fail(describe::variants(it), found)
            }
        }
    }

    pub(super) fn error(&mut self, kind: Option<TypeId>, tree: &Value) -> Option<u64> {
        let Value::Object(values) = tree else {
            let found = self.shown(tree);
            return self.fail("an error".into(), found);
        };
        let types = self.types.clone();
        let name = values.get(KIND);
        let said = name.and_then(Value::as_str);
        let is_it = |ty: &Type| {
            // Only the runtime makes the unwinding of a cancellation.
            matches!(ty, Type::ErrorKind(it)
                if Some(&it.name[..]) == said && it.class != ErrorClass::Unwind)
        };
        let found = types
            .types
            .iter()
            .position(is_it)
            .map(|index| TypeId(index as u32));
        let found = found.filter(|it| kind.is_none_or(|kind| kind == *it));
        match found.map(|ty| (ty, types.get(ty))) {
            Some((ty, Type::ErrorKind(it))) => self.fields(ty, 0, &it.fields, 1, values),
            _ => {
                let expected = kind.map(|it| describe::type_name(&types, it));
                let expected = expected.unwrap_or_else(|| "the name of an error".into());
                let name = name.map_or(issue::NOTHING.into(), |it| self.shown(it));
                self.within(Step::Key(KIND.into()), |it| it.fail(expected, name))
            }
        }
    }

    /// An object of the fields of a record, variant or error, whose first is at word `first`.
    fn fields(
        &mut self,
        ty: TypeId,
        extra: u32,
        fields: &[Field],
        first: usize,
        values: &Map<String, Value>,
    ) -> Option<u64> {
        let mut words = Vec::with_capacity(fields.len());
        for field in fields {
            words.push((field.ty, self.field(field, values.get(&field.wire))));
        }
        let object = self.assemble(ty, extra, first, &words)?;
        if self.sibling_checks_hold(object, fields, first, values) {
            return Some(object);
        }
        self.checker.heap().release(object);
        None
    }

    fn field(&mut self, field: &Field, tree: Option<&Value>) -> Option<u64> {
        if let Some(tree) = tree
            && field.secrecy == Secrecy::Redacted
        {
            self.checker.heap().hide(tree);
        }
        self.within_field(field, |it| {
            let word = match (tree, &field.default) {
                (Some(tree), _) => it.value(field.ty, tree)?,
                (None, Some(default)) => match it.checker.call_default(default.function) {
                    Ok(word) => word,
                    Err(said) => {
                        let found = format!("an error while making it: {said}");
                        return it.fail("a default".into(), found);
                    }
                },
                (None, None) if it.is_optional(field.ty) => 0,
                (None, None) => {
                    let expected = describe::expected(&it.types, field.ty);
                    return it.fail(expected, issue::NOTHING.into());
                }
            };
            match &field.check {
                Some(check) if check.scope == CheckScope::Value => it.checked(
                    field.ty,
                    word,
                    check,
                    &[word, 0],
                    tree.unwrap_or(&Value::Null),
                ),
                _ => Some(word),
            }
        })
    }

    fn within_field<T>(&mut self, field: &Field, body: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.hidden_from;
        if field.secrecy == Secrecy::Redacted {
            self.hidden_from = outer.or(Some(self.steps.len() + 1));
        }
        let result = self.within(Step::Key(field.wire.clone().into()), body);
        self.hidden_from = outer;
        result
    }

    fn sibling_checks_hold(
        &mut self,
        object: u64,
        fields: &[Field],
        first: usize,
        values: &Map<String, Value>,
    ) -> bool {
        let mut hold = true;
        for (index, field) in fields.iter().enumerate() {
            let Some(check) = field
                .check
                .as_ref()
                .filter(|it| it.scope == CheckScope::Record)
            else {
                continue;
            };
            let word = crate::value::field(object, first + index);
            if !self.holds(field.ty, check, &[word, object]) {
                hold = false;
                let found = values.get(&field.wire);
                let found = found.map_or(issue::NOTHING.into(), |it| self.shown(it));
                self.within_field(field, |it| it.fail(format!("`{}`", check.source), found));
            }
        }
        hold
    }

    fn is_optional(&self, ty: TypeId) -> bool {
        matches!(self.types.get(self.types.base(ty)), Type::Optional(_))
    }

    /// An object of words that may be missing; then those that are there are released.
    fn assemble(
        &mut self,
        ty: TypeId,
        extra: u32,
        first: usize,
        words: &[(TypeId, Option<u64>)],
    ) -> Option<u64> {
        let heap = self.checker.heap();
        if words.iter().any(|(_, word)| word.is_none()) {
            for (ty, word) in words {
                word.iter().for_each(|&word| heap.release_typed(*ty, word));
            }
            return None;
        }
        let object = heap.object(ty, extra, first + words.len());
        for (index, (_, word)) in words.iter().enumerate() {
            store(
                object,
                layout::field(first + index),
                word.unwrap_or_default(),
            );
        }
        Some(object)
    }
}

/// The variant with this name in JSON.
fn named<'a>(it: &'a Enum, name: &str) -> Option<&'a Variant> {
    it.variants.iter().find(|it| it.wire == name)
}

/// A variant with fields, in the form that it has in JSON.
fn as_object(variant: &Variant) -> String {
    let fields = variant
        .fields
        .iter()
        .map(|it| format!("{}: …", Value::from(&*it.wire)));
    let kind = format!("\"kind\": {}", Value::from(&*variant.wire));
    let parts: Vec<String> = std::iter::once(kind).chain(fields).collect();
    format!("an object {{{}}}", parts.join(", "))
}
