//! A driver for the tests of programs: time is virtual and randomness is always the same; there are no models but scripts.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::TypeId;
use gsw_engine::load::Loaded;
use gsw_engine::media::Media;
use gsw_engine::model::{FailureKind, ModelFailure, Prompts};
use gsw_engine::operation::{ExecRequest, Outcome, Request};
use gsw_engine::run::{Finished, MocksInTests, PromptsInTests, RunSettings};
use serde_json::Value;

use crate::commands::Commands;
use crate::engine::prices;
use crate::host::Variables;
use crate::network::resolved;
use crate::permissions::Permissions;
use crate::process::Surroundings;
use crate::receivers::Receivers;
use crate::scripted::{self, Entry};
use crate::tape::Tape;

/// Where the random ints of every test begin.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The beginning of a test, with the row that it is given, if it has rows.
#[must_use]
pub fn entry(function: FunctionIndex, row: Option<(TypeId, Arc<Value>)>) -> Entry {
    match row {
        Some((ty, argument)) => Entry::With {
            function,
            ty,
            argument,
        },
        None => Entry::Function {
            function,
            result: builtin::UNIT,
        },
    }
}

/// Runs a test, or the function that returns its rows, to its end. `None` when it has none. A tape that plays answers prompts
/// that nothing mocks.
#[must_use]
pub fn run(
    loaded: &Arc<Loaded>,
    prompts: &Arc<dyn Prompts>,
    entry: Entry,
    tape: Tape,
) -> Option<Box<Finished>> {
    let script = scripted::Script {
        answer: Some(answers(loaded)),
        ..scripted::Script::default()
    };
    let around = around(loaded, prompts, MocksInTests::Inside, tape);
    scripted::run(loaded, &around, entry, script).map(|it| it.finished)
}

/// What a test has around it.
pub(crate) fn around(
    loaded: &Loaded,
    prompts: &Arc<dyn Prompts>,
    mocks_in_tests: MocksInTests,
    tape: Tape,
) -> scripted::Around {
    let prices = prices(&loaded.program, Some(prompts.as_ref()));
    scripted::Around {
        prompts: Some(Arc::clone(prompts)),
        settings: RunSettings {
            prices: Arc::new(prices),
            prompts_in_tests: match tape {
                Tape::Off => PromptsInTests::Refused,
                Tape::Records(_) | Tape::Plays(_) => PromptsInTests::Asked,
            },
            mocks_in_tests,
            ..RunSettings::default()
        },
        receivers: Receivers {
            tape,
            ..Receivers::default()
        },
    }
}

/// What answers a test where nothing is mocked.
pub(crate) fn answers(loaded: &Loaded) -> scripted::Answer {
    let mut random = SEED;
    let permissions = Permissions::of(&loaded.program);
    Box::new(move |request| match permissions.admit(request) {
        Ok(()) => answer(request, &permissions, &mut random),
        Err(failure) => Some(Outcome::Failed(failure)),
    })
}

fn answer(request: &Request, permissions: &Permissions, random: &mut u64) -> Option<Outcome> {
    Some(match request {
        Request::EnvGet { name } => Outcome::OptionalText(Variables::default().variable(name)),
        Request::RandomInt { low, high } => {
            // A linear congruential generator; its high bits are the better ones.
            *random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let count = high.wrapping_sub(*low).cast_unsigned().saturating_add(1);
            Outcome::Int(low.wrapping_add(((*random >> 16) % count).cast_signed()))
        }
        Request::Exec { request } => match resolved(&request.env, &Variables::default()) {
            Ok(added) => {
                let inherited = permissions.inherited();
                let around = Surroundings { inherited, added };
                Commands::shared().run_to_end(ExecRequest::clone(request), around)
            }
            Err(failure) => Outcome::Failed(failure),
        },
        Request::Model { .. } => Outcome::Model(Box::new(Err(ModelFailure::new(
            FailureKind::Provider,
            "a test has no models".into(),
        )))),
        Request::MediaUrl { media } => permissions.admit_media(Media::clone(media)),
        Request::FsRead { .. }
        | Request::FsReadBytes { .. }
        | Request::FsWrite { .. }
        | Request::FsWriteBytes { .. }
        | Request::FsAppend { .. }
        | Request::FsExists { .. }
        | Request::FsList { .. }
        | Request::FsGlob { .. }
        | Request::FsRemove { .. }
        | Request::FsMakeDir { .. } => permissions.perform_alone(request),
        Request::Sleep { .. }
        | Request::Now
        | Request::Random
        | Request::Scripted { .. }
        | Request::Piece { .. }
        | Request::Mocked { .. }
        | Request::Uuid
        | Request::LookUp { .. }
        | Request::Keep { .. }
        | Request::StartRun { .. }
        | Request::Http { .. }
        | Request::Mcp { .. }
        | Request::Compile { .. }
        | Request::Host { .. }
        | Request::Human { .. }
        | Request::External { .. }
        | Request::OtherRun { .. } => return None,
    })
}
