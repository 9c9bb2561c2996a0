//! What is known of the strings whose type inference has yet to find: `string`, or a union of literals.
//!
//! A literal is one of the texts that reach such a type; a place that wants a union bounds it. Where strings of one type
//! become strings of another, the one is below the other: texts flow up, bounds flow down. So a literal that is used in several
//! places takes the union that one of them wants, and no place that takes any string makes it `string` for the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use gsw_names::types::{TextVariable, Type};
use gsw_source::{Name, Span};

/// All such types of one body.
#[derive(Default)]
pub(super) struct Texts {
    entries: Vec<Entry>,
}

/// What is known of one of them. No text below another has a wider bound than that, none above it fewer texts.
#[derive(Default)]
struct Entry {
    reached: Reached,
    /// The literals that it may be, where a union is wanted.
    bound: Option<Arc<[Name]>>,
    above: Vec<TextVariable>,
    below: Vec<TextVariable>,
    /// The literal that it was made for.
    literal: Option<(Name, Span)>,
}

/// The strings that reach a type.
enum Reached {
    These(BTreeMap<Name, Origin>),
    /// Strings that only a run knows.
    Any,
}

/// How a text reached a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Literal,
    /// As one of a union.
    Union,
}

impl Default for Reached {
    fn default() -> Self {
        Self::These(BTreeMap::new())
    }
}

impl Texts {
    /// A type that nothing has reached yet.
    pub(super) fn fresh(&mut self) -> TextVariable {
        let variable = TextVariable(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.entries.push(Entry::default());
        variable
    }

    /// The type of a literal.
    pub(super) fn literal(&mut self, text: &Name, span: Span) -> TextVariable {
        let variable = self.fresh();
        let entry = self.entry(variable);
        entry.literal = Some((text.clone(), span));
        entry.reached = Reached::These([(text.clone(), Origin::Literal)].into());
        variable
    }

    /// The type of strings that these literals reach.
    pub(super) fn above(&mut self, literals: &[(Name, Span)]) -> TextVariable {
        let above = self.fresh();
        for (text, span) in literals {
            let literal = self.literal(text, *span);
            self.flow(literal, above);
        }
        above
    }

    fn entry(&mut self, variable: TextVariable) -> &mut Entry {
        &mut self.entries[variable.0 as usize]
    }

    fn get(&self, variable: TextVariable) -> &Entry {
        &self.entries[variable.0 as usize]
    }

    /// What it is as far as known; `None` while that is open.
    pub(super) fn settled(&self, variable: TextVariable) -> Option<Type> {
        match self.get(variable).reached {
            Reached::Any => Some(Type::String),
            Reached::These(_) => None,
        }
    }

    /// What it is if nothing more becomes known.
    pub(super) fn best(&self, variable: TextVariable) -> Type {
        match &self.get(variable).bound {
            Some(names) => Type::Literals(Arc::clone(names)),
            None => Type::String,
        }
    }

    /// The literals that it may be, where a union is wanted of it.
    pub(super) fn bound(&self, variable: TextVariable) -> Option<Arc<[Name]>> {
        self.get(variable).bound.clone()
    }

    /// Strings of `lower` become strings of `upper`. False when they cannot.
    pub(super) fn flow(&mut self, lower: TextVariable, upper: TextVariable) -> bool {
        // Edges are unique, so the graph has at most one for each pair; it may have cycles, which the worklists below end at, since
        // texts only grow and bounds only narrow.
        if lower == upper || self.get(lower).above.contains(&upper) {
            return true;
        }
        let texts = match &self.get(lower).reached {
            // `Any` never becomes less, so no edge is needed to pass on what follows.
            Reached::Any => return self.reach_any(upper),
            Reached::These(texts) => texts.clone(),
        };
        if let Some(bound) = self.bound(upper)
            // Checked before the edge is made: a flow that is refused must leave the graph as it was.
            && !self.limit(lower, &bound)
        {
            return false;
        }
        self.entry(lower).above.push(upper);
        self.entry(upper).below.push(lower);
        self.reach(upper, texts);
        true
    }

    /// A value of a union flows into it. False when that has literals which it may not be.
    pub(super) fn reach_union(&mut self, variable: TextVariable, names: &[Name]) -> bool {
        let fits = |it: &Arc<[Name]>| names.iter().all(|name| it.contains(name));
        if !self.get(variable).bound.as_ref().is_none_or(fits) {
            return false;
        }
        let texts = names.iter().map(|it| (it.clone(), Origin::Union));
        self.reach(variable, texts.collect());
        true
    }

    /// Any string flows into it. False when a union is wanted of it.
    pub(super) fn reach_any(&mut self, variable: TextVariable) -> bool {
        if self.get(variable).bound.is_some() {
            return false;
        }
        let mut work = vec![variable];
        while let Some(next) = work.pop() {
            let entry = self.entry(next);
            // A type that any string has reached has passed that on already: this ends at cycles.
            if !matches!(
                std::mem::replace(&mut entry.reached, Reached::Any),
                Reached::Any
            ) {
                work.extend(&entry.above);
            }
        }
        true
    }

    /// A union is wanted of it. False when something that is not in that has reached it.
    pub(super) fn limit(&mut self, variable: TextVariable, names: &[Name]) -> bool {
        match &self.get(variable).reached {
            Reached::Any => return false,
            Reached::These(texts) if !texts.keys().all(|it| names.contains(it)) => return false,
            Reached::These(_) => {}
        }
        let mut work = vec![variable];
        while let Some(next) = work.pop() {
            let entry = self.entry(next);
            let narrower: Arc<[Name]> = match &entry.bound {
                None => names.into(),
                // Narrower already, and so is everything below it.
                Some(bound) if bound.iter().all(|it| names.contains(it)) => continue,
                Some(bound) => {
                    let both = bound.iter().filter(|it| names.contains(it));
                    both.cloned().collect()
                }
            };
            entry.bound = Some(narrower);
            work.extend(&entry.below);
        }
        true
    }

    /// Adds texts to it and to all above it, which was checked to be allowed.
    fn reach(&mut self, variable: TextVariable, texts: BTreeMap<Name, Origin>) {
        let mut work = vec![(variable, texts)];
        while let Some((next, texts)) = work.pop() {
            let entry = self.entry(next);
            let Reached::These(known) = &mut entry.reached else {
                continue;
            };
            let mut news = BTreeMap::new();
            for (name, origin) in texts {
                let had = known.get(&name);
                // `Union` outranks `Literal`: `settle` asks whether a type holds only members of unions.
                if had.is_none() || had == Some(&Origin::Literal) && origin == Origin::Union {
                    known.insert(name.clone(), origin);
                    news.insert(name, origin);
                }
            }
            if !news.is_empty() {
                let above = entry.above.iter();
                work.extend(above.map(|&it| (it, news.clone())));
            }
        }
    }

    /// The end: what holds values of a union, and literals only that are in it, is that union.
    pub(super) fn settle(&mut self) {
        for index in 0u32.. {
            let Some(entry) = self.entries.get(index as usize) else {
                break;
            };
            if let Reached::These(texts) = &entry.reached
                && !texts.is_empty()
                // A literal beside them is one of the union where it is written there too, and has become `Union` by that; any other makes
                // the whole a `string`.
                && texts.values().all(|it| *it == Origin::Union)
            {
                let names: Vec<Name> = texts.keys().cloned().collect();
                self.limit(TextVariable(index), &names);
            }
        }
    }

    /// The literals that reach it, as written.
    pub(super) fn literals(&self, variable: TextVariable) -> Vec<(Name, Span)> {
        let mut found = Vec::new();
        let mut seen = vec![variable];
        let mut next = 0;
        while let Some(&below) = seen.get(next) {
            let entry = self.get(below);
            found.extend(entry.literal.clone());
            for &it in &entry.below {
                if !seen.contains(&it) {
                    seen.push(it);
                }
            }
            next += 1;
        }
        found.sort_by_key(|(_, span)| span.start);
        found
    }
}

#[cfg(test)]
mod tests {
    use gsw_source::{Name, Span};

    use super::Texts;
    use gsw_names::types::Type;

    fn names(texts: &[&str]) -> Vec<Name> {
        texts.iter().map(Name::new).collect()
    }

    #[test]
    fn a_bound_reaches_what_is_below_and_a_text_what_is_above() {
        let mut texts = Texts::default();
        let low = texts.literal(&Name::new("a"), Span::new(0, 3));
        let high = texts.fresh();
        assert!(texts.flow(low, high));
        assert!(!texts.limit(high, &names(&["b"])));
        assert!(texts.limit(high, &names(&["a", "b"])));
        assert_eq!(texts.best(low), Type::Literals(names(&["a", "b"]).into()));
        assert!(!texts.reach_any(low));
        assert!(texts.reach_union(low, &names(&["b"])));
        assert!(!texts.reach_union(low, &names(&["c"])));
    }

    #[test]
    fn any_string_goes_up_only() {
        let mut texts = Texts::default();
        let (low, high) = (texts.fresh(), texts.fresh());
        assert!(texts.flow(low, high));
        assert!(texts.reach_any(high));
        assert!(texts.limit(low, &names(&["a"])));
        assert_eq!(texts.settled(high), Some(Type::String));
        assert_eq!(texts.settled(low), None);
    }
}
