//! What settings and programs name by a text: hooks, and workflows that can be started.

use gsw_abi::hook::{Handler, Hook};
use gsw_abi::program::{Program, Spawnable, Workflow};

use crate::compare::reach::Side;
use crate::compare::walk::Walk;
use crate::compare::{Class, Difference, What};

impl Walk<'_> {
    /// Whether what has this name, if anything has, is the same. A text that only happens to be a name is compared as if it
    /// named something.
    pub(super) fn names_same(&mut self, text: &str) -> bool {
        self.same_hook(text) && self.same_spawnable(text)
    }

    fn same_hook(&mut self, name: &str) -> bool {
        let hook =
            |it: &Program| -> Option<Hook> { it.hooks.iter().find(|it| it.name == name).cloned() };
        let hooks = (
            hook(&self.old.module.program),
            hook(&self.new.module.program),
        );
        match hooks {
            (None, None) => true,
            (Some(old), Some(new)) => {
                let pairs = old.handlers.iter().zip(&new.handlers);
                let same: Vec<bool> = pairs
                    .map(|(old, new)| self.same_handler(old, new))
                    .collect();
                let apart = same.iter().position(|it| !it);
                if let Some(at) = apart {
                    self.changed_handler(name, &old.handlers[at], &new.handlers[at]);
                }
                apart.is_none() && old.handlers.len() == new.handlers.len()
            }
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// The hook is said beside what it changes, which is found at the prompt that has it.
    fn changed_handler(&mut self, name: &str, old: &Handler, new: &Handler) {
        let place = |side: &Side<'_>, it: &Handler| side.place_of(side.function(it.function).span);
        self.hooks.insert(Difference {
            class: Class::Changes,
            what: What::Hook {
                name: name.to_owned(),
            },
            old: place(self.old, old),
            new: place(self.new, new),
        });
    }

    fn same_handler(&mut self, old: &Handler, new: &Handler) -> bool {
        old.moment == new.moment
            && self.same_fields(&old.parameters, &new.parameters)
            && self.same_type(old.result, new.result)
            && self.does_same(old.function, new.function)
    }

    fn same_spawnable(&mut self, name: &str) -> bool {
        let spawnable = |it: &Program| -> Option<Spawnable> {
            let mut all = it.spawnable.iter();
            all.find(|it| it.workflow.name == name).cloned()
        };
        let found = (
            spawnable(&self.old.module.program),
            spawnable(&self.new.module.program),
        );
        match found {
            (None, None) => true,
            (Some(old), Some(new)) => {
                self.same_repeat(&old.repeat, &new.repeat)
                    && self.same_workflow(&old.workflow, &new.workflow)
            }
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// Whether each workflow of the old program that can be started by name is the same.
    pub(super) fn same_workflows(&mut self) -> bool {
        let (old, new) = (self.old.module, self.new.module);
        old.program.workflows.iter().all(|one| {
            let mut others = new.program.workflows.iter();
            let other = others.find(|it| it.name == one.name);
            other.is_some_and(|it| self.same_workflow(one, it))
        })
    }

    /// Whether the workflows that can be started by name are described alike.
    pub(super) fn same_list(&mut self) -> bool {
        let (old, new) = (self.old.module, self.new.module);
        let (olds, news) = (&old.program.workflows, &new.program.workflows);
        let mut pairs = olds.iter().zip(news);
        olds.len() == news.len() && pairs.all(|(old, new)| self.is_described_alike(old, new))
    }

    fn same_workflow(&mut self, old: &Workflow, new: &Workflow) -> bool {
        (&old.errors, &old.effects, old.acts, &old.guarded)
            == (&new.errors, &new.effects, new.acts, &new.guarded)
            && self.is_described_alike(old, new)
            && self.same_type(old.result, new.result)
            && self.does_same(old.function, new.function)
    }

    fn is_described_alike(&mut self, old: &Workflow, new: &Workflow) -> bool {
        (&old.name, &old.docs) == (&new.name, &new.docs)
            && self.same_fields(&old.parameters, &new.parameters)
    }
}
