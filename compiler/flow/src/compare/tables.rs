//! What requests are made of besides code: types, prompts, agents, tools. Indices of tables mean nothing; what they name does.

use std::collections::HashSet;

use gsw_abi::call::NodeKind;
use gsw_abi::program::{Prompt, Repeat, Tool};
use gsw_abi::types::{Check, DefaultValue, Field, Type, TypeId, Variant};

use crate::compare::identity;
use crate::compare::walk::{Key, Outcome, Walk};
use crate::ir::Module;

/// Pairs of types that are equal, or are being compared.
#[derive(Default)]
pub(super) struct TypePairs {
    same: HashSet<(TypeId, TypeId)>,
    apart: HashSet<(TypeId, TypeId)>,
}

impl TypePairs {
    /// What was found to be the same may have been so by a guess.
    pub(super) fn guess_again(&mut self) {
        self.same.clear();
    }
}

impl Walk<'_> {
    /// Whether two types are read, checked and described alike.
    pub(super) fn same_type(&mut self, old: TypeId, new: TypeId) -> bool {
        let pair = (old, new);
        if self.types.same.contains(&pair) {
            return true;
        }
        if self.types.apart.contains(&pair) {
            return false;
        }
        // A recursive type is the same if everything else about it is.
        self.types.same.insert(pair);
        let table = |it: &Module, ty: TypeId| it.program.types.types.get(ty.0 as usize).cloned();
        let types = (table(self.old.module, old), table(self.new.module, new));
        let is_same = match types {
            (Some(old), Some(new)) => self.same_kind(&old, &new),
            (None, _) | (_, None) => false,
        };
        if !is_same {
            self.types.same.remove(&pair);
            self.types.apart.insert(pair);
            self.is_news = true;
        }
        is_same
    }

    fn same_kind(&mut self, old: &Type, new: &Type) -> bool {
        match (old, new) {
            (Type::Optional(a), Type::Optional(b))
            | (Type::List(a), Type::List(b))
            | (Type::Cell(a), Type::Cell(b))
            | (Type::Task(a), Type::Task(b))
            | (Type::Stream(a), Type::Stream(b))
            | (Type::Queue(a), Type::Queue(b)) => self.same_type(*a, *b),
            (Type::Map { key: a, value: b }, Type::Map { key: c, value: d }) => {
                self.same_type(*a, *c) && self.same_type(*b, *d)
            }
            (Type::Set { of: a, .. }, Type::Set { of: b, .. }) => self.same_type(*a, *b),
            (Type::Tuple(a), Type::Tuple(b)) | (Type::Closure(a), Type::Closure(b)) => {
                self.same_types(a, b)
            }
            (Type::Record(a), Type::Record(b)) => {
                a.name == b.name && a.docs == b.docs && self.same_fields(&a.fields, &b.fields)
            }
            (Type::Enum(a), Type::Enum(b)) => {
                a.name == b.name && a.docs == b.docs && self.same_variants(&a.variants, &b.variants)
            }
            (Type::ErrorKind(a), Type::ErrorKind(b)) => {
                (&a.name, &a.docs, a.class) == (&b.name, &b.docs, b.class)
                    && self.same_fields(&a.fields, &b.fields)
            }
            (
                Type::Checked {
                    name: a,
                    docs: b,
                    base: c,
                    check: d,
                },
                Type::Checked {
                    name: e,
                    docs: f,
                    base: g,
                    check: h,
                },
            ) => a == e && b == f && self.same_check(d, h) && self.same_type(*c, *g),
            // What is left has no parts.
            (old, new) => old == new,
        }
    }

    fn same_types(&mut self, old: &[TypeId], new: &[TypeId]) -> bool {
        let mut pairs = old.iter().zip(new);
        old.len() == new.len() && pairs.all(|(old, new)| self.same_type(*old, *new))
    }

    fn same_variants(&mut self, old: &[Variant], new: &[Variant]) -> bool {
        let mut pairs = old.iter().zip(new);
        old.len() == new.len()
            && pairs.all(|(old, new)| {
                (&old.name, &old.wire, &old.docs) == (&new.name, &new.wire, &new.docs)
                    && self.same_fields(&old.fields, &new.fields)
            })
    }

    pub(super) fn same_fields(&mut self, old: &[Field], new: &[Field]) -> bool {
        let mut pairs = old.iter().zip(new);
        old.len() == new.len() && pairs.all(|(old, new)| self.same_field(old, new))
    }

    /// Whether two fields or parameters are alike.
    pub(super) fn same_field(&mut self, old: &Field, new: &Field) -> bool {
        let said = |it: &Field| {
            (
                it.name.clone(),
                it.wire.clone(),
                it.docs.clone(),
                it.secrecy,
                it.trust,
            )
        };
        let checks = match (&old.check, &new.check) {
            (None, None) => true,
            (Some(old), Some(new)) => self.same_check(old, new),
            (None, Some(_)) | (Some(_), None) => false,
        };
        said(old) == said(new)
            && checks
            && self.same_default(old.default.as_ref(), new.default.as_ref())
            && self.same_type(old.ty, new.ty)
    }

    fn same_default(&mut self, old: Option<&DefaultValue>, new: Option<&DefaultValue>) -> bool {
        match (old, new) {
            (None, None) => true,
            (Some(old), Some(new)) => {
                old.source == new.source && self.same_result(Key::plain(old.function, new.function))
            }
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    fn same_check(&mut self, old: &Check, new: &Check) -> bool {
        (old.scope, &old.source, &old.bounds) == (new.scope, &new.source, &new.bounds)
            && self.same_result(Key::plain(old.function, new.function))
    }

    /// Whether two functions without operations return and raise the same.
    fn same_result(&mut self, key: Key) -> bool {
        self.functions(&key) == Outcome::default()
    }

    /// Whether two agents have the same settings.
    pub(super) fn same_agent(&mut self, old: u64, new: u64) -> bool {
        let settings = |it: &Module, index: u64| {
            let agent = it.program.agents.get(usize::try_from(index).ok()?)?;
            Some(agent.settings)
        };
        match (
            settings(self.old.module, old),
            settings(self.new.module, new),
        ) {
            (Some(old), Some(new)) => self.same_models() && self.same_result(Key::plain(old, new)),
            (None, _) | (_, None) => false,
        }
    }

    /// Whether a prompt, `human` or `external` asks for the same but for the texts and arguments of the call.
    pub(super) fn same_prompt(&mut self, old: u64, new: u64) -> bool {
        let prompt = |it: &Module, index: u64| -> Option<Prompt> {
            let prompts = &it.program.prompts;
            prompts.get(usize::try_from(index).ok()?).cloned()
        };
        let found = (prompt(self.old.module, old), prompt(self.new.module, new));
        let (Some(old), Some(new)) = found else {
            return false;
        };
        let named =
            |side: &Module, it: &Prompt| identity(&side.program, NodeKind::Prompt, &it.name);
        if named(self.old.module, &old) != named(self.new.module, &new)
            || (&old.docs, old.says) != (&new.docs, new.says)
        {
            return false;
        }
        let examples = match (old.examples, new.examples) {
            (None, None) => true,
            (Some(old), Some(new)) => self.same_result(Key::plain(old, new)),
            (None, Some(_)) | (Some(_), None) => false,
        };
        let agents = match (old.agent, new.agent) {
            (None, None) => true,
            (Some(old), Some(new)) => self.same_agent(u64::from(old), u64::from(new)),
            (None, Some(_)) | (Some(_), None) => false,
        };
        examples && agents && self.same_models() && self.same_type(old.result, new.result)
    }

    /// Whether `gsw.toml` says the same of models; what they cost is part of what a run began with.
    fn same_models(&self) -> bool {
        let models = |it: &Module| {
            let models = &it.program.models;
            (
                models.default.clone(),
                models.aliases.clone(),
                models.settings.clone(),
            )
        };
        models(self.old.module) == models(self.new.module)
    }

    /// Whether calls of two tools are known by the same name, and remembered alike.
    pub(super) fn begins_alike(&mut self, old: u64, new: u64) -> bool {
        let tool = |it: &Module, index: u64| -> Option<(String, Repeat)> {
            let tool = it.program.tools.get(usize::try_from(index).ok()?)?;
            let known = identity(&it.program, NodeKind::Tool, &tool.name);
            Some((known, tool.repeat))
        };
        let found = (tool(self.old.module, old), tool(self.new.module, new));
        let (Some((old, one)), Some((new, other))) = found else {
            return false;
        };
        old == new && self.same_repeat(&one, &other)
    }

    pub(super) fn same_repeat(&mut self, old: &Repeat, new: &Repeat) -> bool {
        match (old, new) {
            (Repeat::Idempotent(old), Repeat::Idempotent(new)) => {
                self.same_result(Key::plain(*old, *new))
            }
            (old, new) => std::mem::discriminant(old) == std::mem::discriminant(new),
        }
    }

    /// Whether two tools have the same description for a model, and do the same.
    pub(super) fn same_tool(&mut self, old: u64, new: u64) -> bool {
        let tool = |it: &Module, index: u64| -> Option<Tool> {
            let tools = &it.program.tools;
            tools.get(usize::try_from(index).ok()?).cloned()
        };
        let found = (tool(self.old.module, old), tool(self.new.module, new));
        let (Some(old), Some(new)) = found else {
            return false;
        };
        let repeats = self.same_repeat(&old.repeat, &new.repeat);
        let is_told = (&old.name, &old.docs, old.body, old.gives)
            == (&new.name, &new.docs, new.body, new.gives);
        // A model may call it at any time, and sees its result.
        is_told
            && repeats
            && self.same_fields(&old.parameters, &new.parameters)
            && self.same_type(old.result, new.result)
            && self.does_same(old.function, new.function)
    }
}
