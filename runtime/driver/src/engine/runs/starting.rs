//! The start of a run: its id, whether it is recorded at once, and its carrier.

use std::sync::Arc;

use gsw_abi::site::Site;
use gsw_engine::arguments::Arguments;
use gsw_engine::run::{BEHAVIOUR, Start};

use super::{Entering, NewRun, Runs, Started};
use crate::carrier::OnEnd;
use crate::clock;
use crate::durable::became::{Beginning, Only};
use crate::durable::beginning::Entered;
use crate::durable::remembered::Remembered;
use crate::durable::secrecy::Secrecy;
use crate::engine::resuming::image_digest;
use crate::engine::runs::identity::Given;
use crate::receivers::Listener;

impl Runs {
    /// The workflow that is entered, and the run that has detached it.
    fn named(&self, entering: &Entering) -> (String, Option<(Arc<str>, Site)>) {
        match entering {
            Entering::Workflow { index, .. } | Entering::Alone { index, .. } => {
                let workflow = self.loaded.program.workflows.get(*index);
                (workflow.map(|it| it.name.clone()).unwrap_or_default(), None)
            }
            Entering::Detached(start, parent) => (start.workflow.clone(), Some(parent.clone())),
            Entering::Test(_) => (String::new(), None),
        }
    }

    /// Starts a run of this id, once.
    pub(in crate::engine) fn start(
        self: &Arc<Self>,
        id: Arc<str>,
        entering: Entering,
        listener: Option<Listener>,
        on_end: OnEnd,
    ) -> Started {
        let driver = self.upgraded_driver();
        let began = driver.clock.now();
        let (workflow, parent) = self.named(&entering);
        let start = Start {
            id,
            now: began,
            seed: clock::random_word(),
            settings: self.settings.clone(),
            parent: parent.clone(),
            behaviour: BEHAVIOUR,
        };
        let mut remembered = self.remembered(&start, &entering);
        // The parent of a detached run notes that it has started it, so it must be found; and of several processes that start
        // the same run one does.
        let only = match &entering {
            Entering::Detached(..) => Some(Only::OfItsId),
            Entering::Alone { .. } => Some(Only::OfItsInput),
            Entering::Workflow { .. } | Entering::Test(_) => None,
        };
        if let (Some(it), Some(only)) = (&mut remembered, only) {
            match it.begin(only) {
                Beginning::Begun => {}
                Beginning::Exists(why) => return Started::Elsewhere(why),
                Beginning::Failed(why) => return Started::Unwritten(why),
            }
        }
        let arguments = match &entering {
            Entering::Workflow { input, .. } | Entering::Alone { input, .. } => {
                Some(Arguments::of(input))
            }
            Entering::Detached(start, _) => Some(Arguments::of(&start.input)),
            Entering::Test(_) => None,
        };
        let carried = self.carry(NewRun {
            remembered,
            start,
            given: Given {
                workflow,
                was: None,
                arguments,
            },
            parent,
            replaying: Arc::default(),
            driver,
            listener,
            on_end,
        });
        let (carrier, shutdown) = match carried {
            Ok(carried) => carried,
            Err(exists) => return Started::Exists(exists),
        };
        match entering {
            Entering::Workflow { index, input } | Entering::Alone { index, input } => {
                carrier.begin(index, input);
            }
            Entering::Detached(start, _) => carrier.begin_detached(start),
            Entering::Test(entry) => carrier.enter(entry),
        }
        if let Some(shutdown) = shutdown {
            shutdown.end(&carrier);
        }
        Started::New(carrier)
    }

    /// What is to be recorded of a run that begins.
    fn remembered(&self, start: &Start, entering: &Entering) -> Option<Remembered> {
        let store = Arc::clone(self.store.as_ref()?);
        let entered = match entering {
            Entering::Workflow { index, input } | Entering::Alone { index, input } => {
                Entered::Workflow {
                    workflow: self.loaded.program.workflows.get(*index)?.name.clone(),
                    input: input.clone(),
                }
            }
            Entering::Detached(start, _) => Entered::Detached(Box::new(start.clone())),
            Entering::Test(_) => return None,
        };
        let image = image_digest(&self.loaded);
        let secrecy = Secrecy::of(&self.loaded.program);
        Some(Remembered::new(
            store,
            start.clone(),
            entered,
            image,
            secrecy,
        ))
    }
}
