//! Runtime calls on sessions.

use gsw_abi::call::AnswerPurpose;
use gsw_abi::layout::json;
use gsw_abi::types::TypeId;

use crate::export::guard::calls;
use crate::run::prompt;
use crate::run::sessions::{self, entering, shortening};
use crate::value;

calls! {
    /// An empty session of the agent with this index.
    object session_new(run, agent) {
        sessions::make(run, agent as usize)
    }

    /// The index of a session's agent.
    json session_agent(run, session) {
        let agent = run.sessions.agent(session);
        value::json::new(&mut run.heap, json::INT, agent as u64)
    }

    waiting session_enter(run, session) {
        entering::enter(run, session)
    }

    /// A mock has answered: session, prompt, what is said, the answer as JSON, an [`AnswerPurpose`].
    raising session_mocked(run, session, prompt, said, answer, purpose) {
        let purpose = AnswerPurpose::numbered(purpose);
        sessions::mocked(run, session, prompt as usize, said, answer, purpose)
    }

    raising session_messages(run, result, session, left_out) {
        sessions::messages(run, TypeId(result as u32), session, left_out as i64)
    }

    object session_fill(run, result, session) {
        shortening::fill(run, TypeId(result as u32), session)
    }

    raising session_limit(run, result, session) {
        prompt::limit_of(run, TypeId(result as u32), session)
    }

    raising session_shorten(run, session, gone, made) {
        shortening::shorten(run, session, gone, made)
    }

    object session_fork(run, session) {
        sessions::fork(run, session)
    }

    raising session_seed(run, session, messages) {
        sessions::seed(run, session, messages)
    }
}
