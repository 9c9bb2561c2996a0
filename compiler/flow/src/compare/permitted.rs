//! What a later version no longer permits, and an earlier one may have been about to do.

use gsw_abi::permission::{Permission, Permitted};
use gsw_abi::program::Program;

use crate::compare::walk::Walk;

impl Walk<'_> {
    /// The permissions of which the later version has fewer, among those that a workflow with these effects may need.
    pub(super) fn narrowed(&self, effects: &[String]) -> Vec<Permission> {
        let (old, new) = (&self.old.module.program, &self.new.module.program);
        let is_needed = |it: &Permission| effects.iter().any(|effect| belongs(*it, effect));
        Permission::ALL
            .into_iter()
            .filter(|it| is_needed(it) && is_narrowed(old, new, *it))
            .collect()
    }
}

/// The effects of what calls something else of the program: its needs are not among those of the workflow.
const OF_OTHERS: [&str; 2] = ["model", "spawn"];

fn belongs(permission: Permission, effect: &str) -> bool {
    permission.name() == effect || OF_OTHERS.contains(&effect)
}

fn is_narrowed(old: &Program, new: &Program, permission: Permission) -> bool {
    let is_less = |old: Option<&Permitted>, new: Option<&Permitted>| match (old, new) {
        // Without a list everything is permitted.
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(old), Some(new)) => {
            let listed = |it: &Permitted| it.get(&permission).cloned().unwrap_or_default();
            let new = listed(new);
            listed(old).iter().any(|it| !new.contains(it))
        }
    };
    is_less(old.permissions.as_ref(), new.permissions.as_ref())
        || is_less(old.ceiling.as_ref(), new.ceiling.as_ref())
}
