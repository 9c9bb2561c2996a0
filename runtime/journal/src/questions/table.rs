//! The rows of questions and of early answers.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Params, Row as Found};
use serde::Serialize;

use crate::error::Error;
use crate::questions::{
    Answer, Asked, Claimed, Delivered, KEPT, MOST_EARLY, Question, Refusal, State,
};
use crate::record::Hash;
use crate::row::{Facts, RunRow, StoreId, sum_of};

/// The tables of questions and early answers.
pub(crate) struct Table<'a> {
    connection: &'a Connection,
    store: &'a StoreId,
}

/// What the sum of a question's row covers.
#[derive(Serialize)]
struct Sealed<'a> {
    run: i64,
    operation: i64,
    name: &'a str,
    key: Option<&'a str>,
    question: &'a [u8],
    state: &'a [u8],
}

/// Questions that were looked up, the oldest first.
pub(crate) struct Looked(pub Vec<Asked>);

impl<'a> Table<'a> {
    pub(crate) const fn new(connection: &'a Connection, store: &'a StoreId) -> Self {
        Self { connection, store }
    }

    pub(crate) fn all(&self) -> Result<Looked, Error> {
        let found = self.read("", [])?;
        let text = "SELECT coalesce(sum(asked), 0) FROM runs";
        let asked: i64 = self.connection.query_row(text, [], |row| row.get(0))?;
        found.counted(asked)
    }

    pub(crate) fn of_run(&self, id: &str) -> Result<Looked, Error> {
        let found = self.read("WHERE runs.id = ?1", [id])?;
        let row = RunRow::of_id(self.connection, self.store, id)?;
        found.counted(row.map_or(0, |it| it.asked))
    }

    /// Those of a key, which is written in one of two ways.
    pub(crate) fn of_key(&self, [plain, sealed]: &[String; 2]) -> Result<Looked, Error> {
        // Questions that an ended run left open do not count.
        let condition = "WHERE questions.key IN (?1, ?2) AND NOT (substr(state, 1, 1) = x'00' AND runs.status IN (2, 3, 4))";
        self.read(condition, [plain, sealed])
    }

    /// Those with an answer that their run has not taken. The condition is that of the index. A damaged one is left out, so
    /// that the others reach their runs; the run that it belongs to reports it.
    pub(crate) fn answered(&self) -> Result<Vec<Answered>, Error> {
        let rows = self.rows("WHERE substr(state, 1, 1) = x'01'", [])?;
        Ok(in_order(rows.into_iter().flatten()))
    }

    /// The answered questions of one run.
    pub(crate) fn answered_of(&self, run: i64) -> Result<Vec<Answered>, Error> {
        let condition = "WHERE substr(state, 1, 1) = x'01' AND questions.run = ?1";
        let rows = self.rows(condition, [run])?;
        let rows: Vec<Asked> = rows.into_iter().collect::<Result<_, _>>()?;
        Ok(in_order(rows))
    }

    fn read(&self, condition: &str, parameters: impl Params) -> Result<Looked, Error> {
        let rows = self.rows(condition, parameters)?;
        Ok(Looked::sorted(rows.into_iter().collect::<Result<_, _>>()?))
    }

    /// Each row, or how it is damaged.
    fn rows(
        &self,
        condition: &str,
        parameters: impl Params,
    ) -> Result<Vec<Result<Asked, Error>>, Error> {
        let text = format!(
            "SELECT questions.run, operation, questions.name, key, question, state, questions.sum, runs.id FROM questions
             JOIN runs ON runs.number = questions.run {condition}"
        );
        let mut statement = self.connection.prepare_cached(&text)?;
        let mut rows = statement.query(parameters)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(self.asked(row));
        }
        Ok(found)
    }

    fn asked(&self, row: &Found<'_>) -> Result<Asked, Error> {
        let read = || -> rusqlite::Result<Option<Asked>> {
            let (name, key): (String, Option<String>) = (row.get(2)?, row.get(3)?);
            let (question, state): (Vec<u8>, Vec<u8>) = (row.get(4)?, row.get(5)?);
            let sealed = Sealed {
                run: row.get(0)?,
                operation: row.get(1)?,
                name: &name,
                key: key.as_deref(),
                question: &question,
                state: &state,
            };
            if sum_of(self.store, "questions", &sealed) != row.get::<_, i64>(6)? {
                return Ok(None);
            }
            let question = postcard::from_bytes(&question).ok();
            let state = postcard::from_bytes(&state).ok();
            let run: String = row.get(7)?;
            Ok(question.zip(state).map(|(question, state)| Asked {
                run,
                question,
                state,
            }))
        };
        let damaged = || Error::DamagedEntry("a question of a run".into());
        read().map_err(|_| damaged())?.ok_or_else(damaged)
    }

    fn write(&self, run: i64, question: &Question, state: &State) -> Result<(), Error> {
        let bytes = "a row holds nothing that has no bytes";
        let written = postcard::to_stdvec(question).expect(bytes);
        let state = postcard::to_stdvec(state).expect(bytes);
        let sealed = Sealed {
            run,
            operation: question.operation.cast_signed(),
            name: &question.name,
            key: question.key.as_deref(),
            question: &written,
            state: &state,
        };
        let sum = sum_of(self.store, "questions", &sealed);
        let mut statement = self.connection.prepare_cached(
            "INSERT OR REPLACE INTO questions (run, operation, name, key, question, state, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        statement.execute((
            run,
            sealed.operation,
            sealed.name,
            sealed.key,
            sealed.question,
            sealed.state,
            sum,
        ))?;
        Ok(())
    }

    /// Opens a question of a run, unless it is known from an earlier life of the run; then nothing changes.
    pub(crate) fn ask(&self, row: &mut RunRow, question: &Question) -> Result<(), Error> {
        let run = row.number;
        match self.of_operation(run, question.operation)? {
            Some(known) if known.question.digest == question.digest => return Ok(()),
            Some(_) => {}
            None => row.asked += 1,
        }
        let early = match &question.key {
            Some(key) => self.take_early(key, question.asked)?,
            None => None,
        };
        self.write(run, question, &early.map_or(State::Open, State::Answered))
    }

    /// Ends a question of a run that is not settled.
    pub(crate) fn end(&self, run: i64, operation: u64, why: Option<&str>) -> Result<(), Error> {
        let Some(asked) = self.of_operation(run, operation)? else {
            return Ok(());
        };
        let state = match (why, asked.state) {
            (None, State::Answered(Answer { by, at, .. })) => State::Settled { by, at },
            (Some(why), State::Open | State::Answered(_)) => State::Closed { why: why.into() },
            (None, State::Open) => State::Closed {
                why: "its run has another answer".into(),
            },
            (_, state @ (State::Settled { .. } | State::Closed { .. })) => state,
        };
        self.write(run, &asked.question, &state)
    }

    /// Stores the answer that the process of a run has received itself, unless another answer was first or the question is
    /// closed.
    pub(crate) fn claim(
        &self,
        run: i64,
        operation: u64,
        own: Option<Answer>,
    ) -> Result<Claimed, Error> {
        let Some(asked) = self.of_operation(run, operation)? else {
            return Ok(Claimed::Own);
        };
        match (asked.state, own) {
            (State::Open, Some(own)) => {
                self.write(run, &asked.question, &State::Answered(own))?;
                Ok(Claimed::Own)
            }
            (State::Open, None) => {
                let why = "nobody wants to answer".into();
                self.write(run, &asked.question, &State::Closed { why })?;
                Ok(Claimed::Own)
            }
            (State::Answered(first), _) => Ok(Claimed::First(first)),
            (State::Settled { .. } | State::Closed { .. }, _) => Ok(Claimed::Over),
        }
    }

    /// Closes those of these questions that are past their deadline; returns those that were answered in time.
    pub(crate) fn expire(
        &self,
        run: i64,
        operations: &[u64],
        now: i64,
    ) -> Result<Vec<(u64, Answer)>, Error> {
        let mut answered = Vec::new();
        for &operation in operations {
            let Some(asked) = self.of_operation(run, operation)? else {
                continue;
            };
            let question = asked.question;
            match asked.state {
                State::Answered(answer) => answered.push((operation, answer)),
                State::Open if question.due.is_some_and(|it| it <= now) => {
                    let why = "its time was over".into();
                    self.write(run, &question, &State::Closed { why })?;
                }
                State::Open | State::Settled { .. } | State::Closed { .. } => {}
            }
        }
        answered.sort_by_key(|(operation, answer)| (answer.at, *operation));
        Ok(answered)
    }

    pub(crate) fn of_operation(&self, run: i64, operation: u64) -> Result<Option<Asked>, Error> {
        let condition = "WHERE questions.run = ?1 AND operation = ?2";
        let found = self.read(condition, (run, operation.cast_signed()))?;
        Ok(found.0.into_iter().next())
    }

    pub(crate) fn deliver(
        &self,
        asked: Asked,
        seen: Option<Hash>,
        answer: Answer,
    ) -> Result<Delivered, Error> {
        let Asked {
            run,
            question,
            state,
        } = asked;
        let refused = match state {
            State::Answered(Answer { by, at, .. }) | State::Settled { by, at } => {
                let run = Some(run.clone());
                Some(Refusal::Answered { by, at, run })
            }
            State::Closed { why } => Some(Refusal::Closed { why }),
            State::Open => None,
        };
        let is_late = question.due.is_some_and(|it| it <= answer.at);
        let refused = refused
            .or_else(|| {
                seen.filter(|it| *it != question.digest)
                    .map(|_| Refusal::Another)
            })
            .or_else(|| {
                question
                    .due
                    .filter(|_| is_late)
                    .map(|due| Refusal::Late { due })
            })
            .or_else(|| {
                let may = question.who.is_empty() || question.who.contains(&answer.by);
                (!may).then(|| Refusal::NotAllowed {
                    by: answer.by.clone(),
                    who: question.who.clone(),
                })
            });
        if let Some(refusal) = refused {
            return Err(Error::Refused(refusal));
        }
        let number: i64 =
            self.connection
                .query_row("SELECT number FROM runs WHERE id = ?1", [&run], |it| {
                    it.get(0)
                })?;
        self.write(number, &question, &State::Answered(answer))?;
        Ok(Delivered::ToRun {
            run,
            operation: question.operation,
        })
    }

    /// Keeps an answer until it is asked for.
    pub(crate) fn keep(&self, key: &str, answer: Answer) -> Result<Delivered, Error> {
        if let Some(first) = self.early(key, answer.at)? {
            let Answer { by, at, .. } = first;
            let run = None;
            return Err(Error::Refused(Refusal::Answered { by, at, run }));
        }
        // Those that are too old to be found make room.
        self.forget(key)?;
        if Facts::read(self.connection)?.early >= MOST_EARLY {
            self.forget_early(answer.at)?;
        }
        let mut is_full = false;
        Facts::change(self.connection, self.store, |facts| {
            is_full = facts.early >= MOST_EARLY;
            facts.early += i64::from(!is_full);
        })?;
        if is_full {
            return Err(Error::Refused(Refusal::Full));
        }
        let bytes = postcard::to_stdvec(&answer).expect("an answer holds nothing without bytes");
        let sum = sum_of(self.store, "early", &(key, &bytes));
        self.connection.execute(
            "INSERT INTO early (key, answer, sum) VALUES (?1, ?2, ?3)",
            (key, bytes, sum),
        )?;
        Ok(Delivered::Early)
    }

    /// The answer that came before its question, unless that was too long ago.
    fn early(&self, key: &str, now: i64) -> Result<Option<Answer>, Error> {
        let text = "SELECT answer, sum FROM early WHERE key = ?1";
        let found: Option<(Vec<u8>, i64)> = self
            .connection
            .query_row(text, [key], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((bytes, sum)) = found else {
            return self.count_early();
        };
        let damaged = || Error::DamagedEntry(format!("an early answer for `{key}`"));
        if sum_of(self.store, "early", &(key, &bytes)) != sum {
            return Err(damaged());
        }
        let answer: Answer = postcard::from_bytes(&bytes).map_err(|_| damaged())?;
        Ok(Some(answer).filter(|it| now.saturating_sub(it.at) < KEPT))
    }

    fn take_early(&self, key: &str, now: i64) -> Result<Option<Answer>, Error> {
        let answer = self.early(key, now)?;
        self.forget(key)?;
        Ok(answer)
    }

    fn forget(&self, key: &str) -> Result<(), Error> {
        let text = "DELETE FROM early WHERE key = ?1";
        let forgotten = self.connection.execute(text, [key])?;
        if forgotten > 0 {
            Facts::change(self.connection, self.store, |facts| facts.early -= 1)?;
        }
        Ok(())
    }

    /// There is none; an error when there should be more than there are.
    fn count_early(&self) -> Result<Option<Answer>, Error> {
        let text = "SELECT count(*) FROM early";
        let count: i64 = self.connection.query_row(text, [], |row| row.get(0))?;
        if count == Facts::read(self.connection)?.early {
            Ok(None)
        } else {
            Err(Error::DamagedEntry("the list of early answers".into()))
        }
    }

    fn early_keys(&self) -> Result<Vec<String>, Error> {
        let mut statement = self.connection.prepare("SELECT key FROM early")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Removes early answers whose time has passed.
    pub(crate) fn forget_early(&self, now: i64) -> Result<(), Error> {
        for key in self.early_keys()? {
            if self.early(&key, now)?.is_none() {
                self.forget(&key)?;
            }
        }
        Ok(())
    }

    /// Reads every early answer, as a check of each.
    pub(crate) fn check_early(&self) -> Result<(), Error> {
        self.count_early()?;
        for key in self.early_keys()? {
            self.early(&key, 0)?;
        }
        Ok(())
    }
}

/// A run, its operation that asks, and the answer.
pub(crate) type Answered = (String, u64, Answer);

/// The answers in the order in which they were given, which is that in which their runs take them.
fn in_order(asked: impl IntoIterator<Item = Asked>) -> Vec<Answered> {
    let answer = |it: Asked| match it.state {
        State::Answered(answer) => Some((it.run, it.question.operation, answer)),
        State::Open | State::Settled { .. } | State::Closed { .. } => None,
    };
    let mut answered: Vec<Answered> = asked.into_iter().filter_map(answer).collect();
    answered.sort_by_key(|(_, operation, answer)| (answer.at, *operation));
    answered
}

impl Looked {
    fn sorted(mut found: Vec<Asked>) -> Self {
        found.sort_by_key(|it| (it.question.asked, it.question.operation));
        Self(found)
    }

    fn counted(self, asked: i64) -> Result<Self, Error> {
        if self.0.len() as u64 == asked.unsigned_abs() {
            Ok(self)
        } else {
            Err(Error::DamagedEntry("the list of questions".into()))
        }
    }

    /// The one that an answer to a name means.
    pub(crate) fn named(self, run: &str, name: &str, seen: Option<Hash>) -> Result<Asked, Error> {
        let open = self.open_names();
        let (mut open_ones, mut over): (Vec<Asked>, Vec<Asked>) = self
            .0
            .into_iter()
            .filter(|it| it.question.name == name)
            .partition(|it| it.state == State::Open);
        if let Some(seen) = seen
            && let Some(at) = open_ones.iter().position(|it| it.question.digest == seen)
        {
            return Ok(open_ones.swap_remove(at));
        }
        let differ = open_ones
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a.question.digest != b.question.digest));
        if differ {
            let runs = open_ones
                .iter()
                .map(|it| format!("{run}/{}", it.question.operation))
                .collect();
            return Err(Error::Refused(Refusal::Several {
                name: name.to_owned(),
                runs,
            }));
        }
        if !open_ones.is_empty() {
            return Ok(open_ones.swap_remove(0));
        }
        over.pop().ok_or_else(|| not_asked(run, open))
    }

    /// The one that an operation waits for.
    pub(crate) fn of_operation(self, run: &str, operation: u64) -> Result<Asked, Error> {
        let open = self.open_names();
        let mut found = self.0.into_iter();
        found
            .find(|it| it.question.operation == operation)
            .ok_or_else(|| not_asked(run, open))
    }

    /// The one that an answer by its key means, if anybody has asked: of several the one that has asked first.
    pub(crate) fn by_key(self) -> Option<Asked> {
        let (open, mut over): (Vec<Asked>, Vec<Asked>) =
            self.0.into_iter().partition(|it| it.state == State::Open);
        open.into_iter().next().or_else(|| over.pop())
    }

    fn open_names(&self) -> Vec<String> {
        let open = self.0.iter().filter(|it| it.state == State::Open);
        let names: BTreeSet<String> = open.map(|it| it.question.name.clone()).collect();
        names.into_iter().collect()
    }
}

fn not_asked(run: &str, open: Vec<String>) -> Error {
    Error::Refused(Refusal::NotAsked {
        run: run.to_owned(),
        open,
    })
}

#[cfg(test)]
mod tests {
    use crate::questions::{Answer, State};

    /// Queries and an index rely on the first byte of a state.
    #[test]
    fn states_begin_with_the_numbers_in_queries() {
        let answer = Answer {
            value: b"true".to_vec(),
            by: "ann".into(),
            at: 1,
        };
        for (state, first) in [(State::Open, 0), (State::Answered(answer), 1)] {
            let bytes = postcard::to_stdvec(&state).expect("it has bytes");
            assert_eq!(bytes.first(), Some(&first));
        }
    }
}
