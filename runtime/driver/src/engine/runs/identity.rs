//! Ids that programs give to detached runs.

use gsw_engine::arguments::Arguments;
use gsw_engine::operation::{DetachedStart, Failure, Outcome};

/// The longest id that a program gives to a run, in bytes: ids are names of files and parts of commands.
const LONGEST_ID: usize = 200;

/// The workflow of a run and its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) workflow: String,
    /// What it was called in earlier versions of the program.
    pub(crate) was: Option<String>,
    /// `None` where they are not known.
    pub(crate) arguments: Option<Arguments>,
}

impl Given {
    /// What a run is detached with.
    pub(crate) fn to(start: &DetachedStart) -> Self {
        Self {
            workflow: start.workflow.clone(),
            was: start.was.clone(),
            arguments: Some(Arguments::of(&start.input)),
        }
    }

    /// Whether a run of this workflow is one of the wanted workflow, be it of an earlier version of the program.
    fn is_of(&self, workflow: &str) -> bool {
        self.workflow == workflow || self.was.as_deref() == Some(workflow)
    }
}

/// The outcome of starting a run whose id, made by a program, is not valid.
pub(crate) fn unfit(id: &str) -> Option<Outcome> {
    let wrong = unfit_id(id)?;
    let message = format!("a run cannot have the id {id:?}: {wrong}");
    Some(Outcome::Failed(Failure::Other { message }))
}

/// Why an id that a program has made is none.
fn unfit_id(id: &str) -> Option<&'static str> {
    let fits = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_' | '.' | ':');
    if id.is_empty() {
        Some("it is empty")
    } else if id.len() > LONGEST_ID {
        Some("it is longer than 200 bytes")
    } else if !id.chars().all(fits) || id.starts_with(['-', '.']) {
        Some(
            "only letters, digits, `-`, `_`, `.` and `:` may be in it, and it begins with none of `-` and `.`",
        )
    } else {
        None
    }
}

/// The id of a run that existed when another was to start. A caller must not get the run of another workflow under its id, and
/// a call that starts the same workflow with other arguments is told about the difference.
pub(crate) fn given(id: &str, wanted: &Given, of: Option<&Given>) -> Outcome {
    let id = id.to_owned();
    if let Some(of) = of.filter(|it| !wanted.is_of(&it.workflow)) {
        let (of, workflow) = (&of.workflow, &wanted.workflow);
        return Outcome::Failed(Failure::Other {
            message: format!("`{id}` is a run of `{of}`, so none of `{workflow}` can have that id"),
        });
    }
    let arguments = of.and_then(|it| it.arguments.as_ref());
    let differing = arguments
        .zip(wanted.arguments.as_ref())
        .and_then(|(of, wanted)| of.differing(wanted));
    match differing {
        Some(differing) => Outcome::Earlier { run: id, differing },
        None => Outcome::Text(id),
    }
}
