//! Conversations that become too long: how full they are, and turns that take the place of older ones.
//!
//! Nothing is shortened by itself. The program chooses what is dropped, in whole exchanges, and observers are notified.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::TypeId;
use serde_json::Value;

use super::{Kept, kept, note_foreign, number};
use crate::codec;
use crate::conversation::{self, Exchange};
use crate::event::EventKind;
use crate::run::Run;
use crate::value::{error, optional};

/// Which share of the window of its model a session takes, an optional float; borrows the session.
pub(crate) fn fill(run: &mut Run, result: TypeId, word: u64) -> u64 {
    let exchanges = &run.sessions.get(word).exchanges;
    let answered = exchanges.iter().rev().map(|it| &it.exchange.model);
    let model = answered.into_iter().find(|it| !it.is_empty());
    let prompts = run.models.prompts();
    let window = model.and_then(|model| prompts?.window(model));
    let Some(window) = window.filter(|it| *it > 0) else {
        return 0;
    };
    let tokens: u64 = exchanges.iter().map(|it| it.exchange.tokens()).sum();
    let share = tokens as f64 / window as f64;
    optional::some(&mut run.heap, result, share.to_bits())
}

/// Puts turns in the place of those that the session begins with; borrows the session and takes both lists over.
pub(crate) fn shorten(run: &mut Run, word: u64, gone: u64, made: u64) -> Result<u64, u64> {
    let [gone, made] = [gone, made].map(|list| {
        let tree = codec::json_to_tree(list).unwrap_or(Value::Null);
        run.heap.release(list);
        tree
    });
    put(run, word, &gone, &made)
        .map_err(|why| error::with_text(&mut run.heap, BuiltinError::AssertionFailed, &why))?;
    Ok(0)
}

fn put(run: &mut Run, word: u64, gone: &Value, made: &Value) -> Result<(), String> {
    let count = exchanges_of(&run.sessions.get(word).exchanges, gone)
        .ok_or("the session has been changed while it was to be shortened")?;
    let is_blank = |it: &Value| it["text"].as_str().is_some_and(|it| it.trim().is_empty());
    if made.as_array().is_some_and(|it| it.iter().any(is_blank)) {
        return Err("what is to take the place of older exchanges is an empty text".into());
    }
    let made = conversation::of_turns(made, None, 0)?;
    let turns: usize = made.iter().map(|it| it.messages.len()).sum();
    let made: Vec<Kept> = made.into_iter().map(|it| kept(run, it, None)).collect();
    let put = made.len();
    if turns > 0 {
        note_foreign(run, word);
    }
    let session = run.sessions.get_mut(word);
    let removed: Vec<Kept> = session.exchanges.splice(..count, made).collect();
    // What follows from here is another conversation.
    session.seen = 0;
    let kept = session.exchanges.len() - put;
    run.heap.discharge(removed.iter().map(|it| it.weight).sum());
    let node = run.scheduler.current_node();
    let event = EventKind::SessionShortened {
        session: number(word),
        gone: count as u64,
        kept: kept as u64,
        made: turns as u64,
    };
    run.progress.emit(node, event);
    Ok(())
}

/// How many exchanges, from the first, make these turns; none where they are not what the session begins with.
fn exchanges_of(exchanges: &[Kept], turns: &Value) -> Option<usize> {
    let turns: Vec<Value> = turns.as_array()?.iter().map(bare).collect();
    let mut rest = turns.as_slice();
    let mut count = 0;
    while !rest.is_empty() {
        let own = listed(&exchanges.get(count)?.exchange);
        rest = rest.strip_prefix(own.as_array()?.as_slice())?;
        count += 1;
    }
    // Exchanges without turns, which a provider's own blocks may be, belong to those before.
    let silent = exchanges[count..].iter().take_while(|it| {
        let own = listed(&it.exchange);
        own.as_array().is_some_and(Vec::is_empty)
    });
    Some(count + silent.count())
}

/// A turn of a program as [`conversation::turns`] lists it: without what it has not.
fn bare(turn: &Value) -> Value {
    let mut turn = turn.clone();
    if let Some(fields) = turn.as_object_mut() {
        fields.retain(|_, it| !it.is_null());
    }
    turn
}

fn listed(exchange: &Exchange) -> Value {
    conversation::turns([exchange].into_iter())
}
