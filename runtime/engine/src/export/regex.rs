//! Runtime calls on regular expressions.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use regex::Regex;

use crate::export::guard::calls;
use crate::heap::Heap;
use crate::value::string::Writer;
use crate::value::{error, list, string};

/// The most compiled patterns kept per thread; a guess.
const KEPT_PATTERNS: usize = 256;

thread_local! {
    // A pattern always compiles to the same machine, so runs on one thread may share them.
    static PATTERNS: RefCell<HashMap<String, Result<Rc<Regex>, String>>> = RefCell::default();
}

calls! {
    /// `regex.new(pattern)` asks whether it is one.
    raising regex_check(run, pattern) {
        match compiled(string::text(pattern)) {
            Ok(_) => Ok(0),
            Err(why) => Err(error::with_text(&mut run.heap, BuiltinError::Failed, &why)),
        }
    }

    /// `s.matches(pattern)`, anywhere in it.
    raising string_matches(run, s, pattern) {
        let regex = known(&mut run.heap, pattern)?;
        Ok(u64::from(regex.is_match(string::text(s))))
    }

    raising regex_find(run, pattern, s) {
        let regex = known(&mut run.heap, pattern)?;
        let found = regex.find(string::text(s));
        found.map_or(Ok(0), |it| string::admitted(&mut run.heap, it.as_str()))
    }

    raising regex_find_all(run, pattern, s) {
        let regex = known(&mut run.heap, pattern)?;
        let texts = regex.find_iter(string::text(s)).map(|it| it.as_str());
        list::of_texts(&mut run.heap, texts)
    }

    raising regex_captures(run, pattern, s) {
        let regex = known(&mut run.heap, pattern)?;
        let Some(groups) = regex.captures(string::text(s)) else {
            return Ok(0);
        };
        let texts = groups.iter().map(|group| group.map_or("", |it| it.as_str()));
        list::of_texts(&mut run.heap, texts)
    }

    /// `r.replace(s, t)`, everywhere.
    raising regex_replace(run, pattern, s, with) {
        let regex = known(&mut run.heap, pattern)?;
        replace(&mut run.heap, &regex, string::text(s), string::text(with))
    }

    raising regex_split(run, pattern, s) {
        let regex = known(&mut run.heap, pattern)?;
        list::of_texts(&mut run.heap, regex.split(string::text(s)))
    }
}

/// A text with each match replaced by `with`, in which `$1` and `${name}` refer to groups.
fn replace(heap: &mut Heap, regex: &Regex, text: &str, with: &str) -> Result<u64, u64> {
    let mut replaced = Writer::new(heap, 0)?;
    let mut end = 0;
    let references = with.matches('$').count();
    if references > 0 {
        let mut expanded = String::new();
        for groups in regex.captures_iter(text) {
            let found = groups.get_match();
            replaced.push_str(&text[end..found.start()]);
            replaced.demand(with.len() + references.saturating_mul(found.len()));
            if replaced.has_ended() {
                break;
            }
            expanded.clear();
            groups.expand(with, &mut expanded);
            replaced.push_str(&expanded);
            end = found.end();
            if replaced.has_ended() {
                break;
            }
        }
    } else {
        for found in regex.find_iter(text) {
            replaced.push_str(&text[end..found.start()]);
            replaced.push_str(with);
            end = found.end();
            if replaced.has_ended() {
                break;
            }
        }
    }
    replaced.push_str(&text[end..]);
    replaced.finish()
}

/// The machine of a pattern that the program holds for one: a fault when it is none.
fn known(heap: &mut Heap, pattern: u64) -> Result<Rc<Regex>, u64> {
    let regex = compiled(string::text(pattern));
    regex.map_err(|why| error::with_text(heap, BuiltinError::AssertionFailed, &why))
}

/// The machine of a pattern, or why it is none.
fn compiled(pattern: &str) -> Result<Rc<Regex>, String> {
    PATTERNS.with_borrow_mut(|patterns| {
        if let Some(known) = patterns.get(pattern) {
            return known.clone();
        }
        if patterns.len() >= KEPT_PATTERNS {
            patterns.clear();
        }
        let regex = Regex::new(pattern).map(Rc::new);
        let regex = regex.map_err(|why| format!("`{pattern}` is not a regular expression: {why}"));
        patterns.insert(pattern.to_owned(), regex.clone());
        regex
    })
}
