//! Reads values from trees of JSON, checking types and every `where` on the way.

mod composite;
mod scalar;

use std::sync::Arc;

use gsw_abi::types::{Check, Field, Secrecy, Type, TypeId, TypeTable};
use gsw_notation::issue::{self, Issue};
use gsw_notation::json::MAX_DEPTH;
use gsw_notation::path::{self, Step};
use serde_json::Value;

use crate::codec::checker::Checker;
use crate::codec::describe;
use crate::codec::places::{self, REDACTED};

/// More would help neither a model nor a person; a guess.
const MAX_ISSUES: usize = 50;

/// A value of type `ty` from a tree, owned by the caller.
///
/// # Errors
/// With the first thing that does not fit.
pub fn decode(checker: &mut dyn Checker, ty: TypeId, tree: &Value) -> Result<u64, Issue> {
    decode_up_to(checker, ty, tree, 1).map_err(|mut issues| issues.swap_remove(0))
}

/// Like [`decode`], from the tree of a `json`.
///
/// # Errors
/// With the first thing that does not fit.
pub fn decode_json(checker: &mut dyn Checker, ty: TypeId, tree: &Value) -> Result<u64, Issue> {
    decode_from(checker, ty, tree, 1, None, Numbers::OfJson)
        .map_err(|mut issues| issues.swap_remove(0))
}

/// What the numbers of a tree are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbers {
    /// As they are written: all their digits count.
    Written,
    /// Those of a `json`, which are ints or floats: a large float may have been rounded from other digits than it has now.
    OfJson,
}

/// A value of type `ty` from a tree, owned by the caller.
///
/// # Errors
/// With everything that does not fit.
pub fn decode_all_issues(
    checker: &mut dyn Checker,
    ty: TypeId,
    tree: &Value,
) -> Result<u64, Vec<Issue>> {
    decode_up_to(checker, ty, tree, MAX_ISSUES)
}

/// A value for a field or parameter, owned by the caller; its own check is not asked.
///
/// # Errors
/// With everything that does not fit. What observers may not see is in none of the issues.
pub fn decode_field(
    checker: &mut dyn Checker,
    field: &Field,
    tree: &Value,
) -> Result<u64, Vec<Issue>> {
    let hidden_from = (field.secrecy == Secrecy::Redacted).then_some(0);
    if hidden_from.is_some() {
        checker.heap().hide(tree);
    }
    decode_from(
        checker,
        field.ty,
        tree,
        MAX_ISSUES,
        hidden_from,
        Numbers::Written,
    )
}

fn decode_up_to(
    checker: &mut dyn Checker,
    ty: TypeId,
    tree: &Value,
    limit: usize,
) -> Result<u64, Vec<Issue>> {
    decode_from(checker, ty, tree, limit, None, Numbers::Written)
}

fn decode_from(
    checker: &mut dyn Checker,
    ty: TypeId,
    tree: &Value,
    limit: usize,
    hidden_from: Option<usize>,
    numbers: Numbers,
) -> Result<u64, Vec<Issue>> {
    let types = checker.heap().types().clone();
    let mut decoder = Decoder {
        checker,
        types,
        limit,
        hidden_from,
        numbers,
        steps: Vec::new(),
        issues: Vec::new(),
    };
    let word = decoder.value(ty, tree);
    match word {
        Some(word) if decoder.issues.is_empty() => Ok(word),
        Some(word) => {
            decoder.checker.heap().release_typed(ty, word);
            Err(decoder.issues)
        }
        None => Err(decoder.issues),
    }
}

/// The state of one decoding. Its functions return `None` when they recorded an issue, and then own nothing.
struct Decoder<'a> {
    checker: &'a mut dyn Checker,
    types: Arc<TypeTable>,
    limit: usize,
    /// Inside of what observers do not see: how many steps lead there. Keys further down are hidden as well.
    hidden_from: Option<usize>,
    numbers: Numbers,
    steps: Vec<Step<'a>>,
    issues: Vec<Issue>,
}

impl<'a> Decoder<'a> {
    fn value(&mut self, ty: TypeId, tree: &Value) -> Option<u64> {
        if self.steps.len() > MAX_DEPTH {
            return self.fail(
                format!("at most {MAX_DEPTH} levels"),
                "deeper nesting".into(),
            );
        }
        let types = self.types.clone();
        match types.get(ty) {
            Type::Checked { base, check, .. } => {
                let word = self.value(*base, tree)?;
                let arguments = [word];
                self.checked(ty, word, check, &arguments, tree)
            }
            Type::Optional(of) => self.optional(ty, *of, tree),
            Type::List(of) => self.list(ty, *of, tree),
            Type::Map { key, value } => self.map(ty, *key, *value, tree),
            Type::Set { of, members } => self.set(ty, *of, *members, tree),
            Type::Tuple(parts) => self.tuple(ty, parts, tree),
            Type::Record(record) => self.record(ty, &record.fields, tree),
            Type::Enum(it) => self.enumeration(ty, it, tree),
            Type::Error => self.error(None, tree),
            Type::ErrorKind(_) => self.error(Some(ty), tree),
            Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Float
            | Type::String
            | Type::Bytes
            | Type::Time
            | Type::Duration
            | Type::Json
            | Type::Secret
            | Type::Media
            | Type::Literals(_)
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => self.scalar(ty, tree),
        }
    }

    /// `word` when its check holds; `arguments` are borrowed words, the first of them `word` itself, of type `ty`.
    fn checked(
        &mut self,
        ty: TypeId,
        word: u64,
        check: &Check,
        arguments: &[u64],
        tree: &Value,
    ) -> Option<u64> {
        if self.holds(ty, check, arguments) {
            return Some(word);
        }
        self.checker.heap().release_typed(ty, word);
        let found = self.shown(tree);
        self.fail(format!("`{}`", check.source), found)
    }

    /// Calls a check. Its arguments are borrowed here and owned there; those after the first are objects.
    fn holds(&mut self, ty: TypeId, check: &Check, arguments: &[u64]) -> bool {
        let heap = self.checker.heap();
        heap.retain_typed(ty, arguments[0]);
        arguments[1..].iter().for_each(|&it| heap.retain(it));
        self.checker.check(check.function, arguments)
    }

    fn within<T>(&mut self, step: Step<'a>, body: impl FnOnce(&mut Self) -> T) -> T {
        self.steps.push(step);
        let result = body(self);
        self.steps.pop();
        result
    }

    /// Whether enough issues were found to stop.
    fn is_full(&self) -> bool {
        self.issues.len() >= self.limit
    }

    /// Whether to stop before the next element: the run is to stop, or its memory is used up. Then there is an issue.
    fn is_interrupted(&mut self) -> bool {
        let is_interrupted = self.checker.heap().is_interrupted();
        if is_interrupted {
            self.fail("more memory".into(), "none".into());
        }
        is_interrupted
    }

    fn mismatch(&mut self, ty: TypeId, tree: &Value) -> Option<u64> {
        let found = self.found(ty, tree);
        self.fail(describe::expected(&self.types, ty), found)
    }

    /// What was found where a value of this type should be: a text around a hidden value is as hidden as the value.
    fn found(&mut self, ty: TypeId, tree: &Value) -> String {
        let found = self.shown(tree);
        match places::hides(&self.types, ty) && !issue::is_kind(&found) {
            true => REDACTED.into(),
            false => found,
        }
    }

    /// What is there, in a message.
    fn shown(&mut self, tree: &Value) -> String {
        let found = issue::found(tree);
        if issue::is_kind(&found) {
            return found;
        }
        // What it shows may be cut, so the whole is looked at.
        let whole = tree.to_string();
        match self.checker.heap().without_hidden(whole.clone()) == whole {
            true => found,
            false => REDACTED.into(),
        }
    }

    fn fail(&mut self, expected: String, found: String) -> Option<u64> {
        if self.is_full() {
            return None;
        }
        let issue = match self.hidden_from {
            None => Issue::new(path::text(&self.steps), expected, found),
            Some(depth) => {
                let path = path::text(&self.steps[..depth]);
                let names_a_kind = issue::is_kind(&found);
                Issue::new(
                    path,
                    expected,
                    if names_a_kind { found } else { REDACTED.into() },
                )
            }
        };
        self.issues.push(issue);
        None
    }
}
