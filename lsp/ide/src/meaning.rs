//! What the names of a project mean, in a form that can be compared before and after an edit which keeps all declarations where they
//! are: what has another meaning then, and what does not compile any more.

use std::collections::{BTreeSet, HashMap, HashSet};

use gsw_source::{Db, File, ItemId, LocatedEdit, Span};
use gsw_syntax::file_item_ids;

use crate::cursor::in_file;
use crate::diagnostics::Errors;
use crate::edited::Origins;
use crate::files::own_files;
use crate::judge::facts;
use crate::symbol::{Symbol, occurrences};

/// What is known of some files.
pub struct Meaning {
    files: Vec<FileMeaning>,
}

#[derive(Default)]
struct FileMeaning {
    /// The names at each place, as they were before any edit.
    names: HashSet<(Span, Meant)>,
    /// The facts that judges get, by where they are named.
    facts: BTreeSet<(Span, Vec<Option<&'static str>>)>,
    errors: Errors,
}

/// What a name means, without any name: a declaration is known by its file and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Meant {
    Local(Numbered, Span),
    Item(Numbered),
    Variant(Numbered, u32),
    Field(Numbered, u32, u32),
    Module(File),
}

type Numbered = (File, usize);

/// The first difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// A name means something else, or nothing, where there was something; by its place before the edit.
    Name(File, Span),
    /// A judge gets other facts.
    Facts(File, Span),
    /// There is an error that was not there; its message.
    Error(String),
}

/// The files of the project that have one of these words.
pub fn files_with_words(db: &dyn Db, words: &[&str]) -> Vec<File> {
    let mut files = own_files(db);
    files.retain(|file| words.iter().any(|word| has_word(file.text(db), word)));
    files
}

/// Whether a text has `name` as a word of its own.
pub fn has_word(text: &str, name: &str) -> bool {
    let is_part = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let mut found = text.match_indices(name);
    found.any(|(at, _)| {
        let before = text.get(..at).and_then(|it| it.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|it| it.chars().next());
        !is_part(before) && !is_part(after)
    })
}

impl Meaning {
    /// What is known of `files` as they are.
    pub fn of(db: &dyn Db, files: &[File]) -> Self {
        Self::after(db, files, &[])
    }

    /// What is known of `files` when these edits have been made, by the places before them.
    pub fn after(db: &dyn Db, files: &[File], edits: &[LocatedEdit]) -> Self {
        let mut reader = Reader {
            db,
            edits,
            numbers: HashMap::new(),
            origins: HashMap::new(),
        };
        let files = files.iter().map(|it| reader.file(*it)).collect();
        Self { files }
    }

    /// What is otherwise in `after`, which is of the same files.
    pub fn difference(&self, after: &Self, files: &[File]) -> Option<Difference> {
        let pairs = || files.iter().zip(self.files.iter().zip(&after.files));
        let mut errors = pairs().filter_map(|(_, (before, after))| {
            let message = after.errors.beyond(&before.errors)?;
            Some(Difference::Error(message.to_owned()))
        });
        let mut names = pairs().filter_map(|(file, (before, after))| {
            let others = before.names.symmetric_difference(&after.names);
            let first = others.map(|(span, _)| *span).min();
            first.map(|span| Difference::Name(*file, span))
        });
        let mut facts = pairs().filter_map(|(file, (before, after))| {
            let other = before.facts.symmetric_difference(&after.facts).next();
            other.map(|(span, _)| Difference::Facts(*file, *span))
        });
        let found = names.next().or_else(|| facts.next());
        found.or_else(|| errors.next())
    }
}

struct Reader<'a> {
    db: &'a dyn Db,
    edits: &'a [LocatedEdit],
    numbers: HashMap<File, HashMap<ItemId, usize>>,
    origins: HashMap<File, Origins>,
}

impl Reader<'_> {
    fn file(&mut self, file: File) -> FileMeaning {
        let db = self.db;
        let mut found = FileMeaning::default();
        for item in file_item_ids(db, file).iter().copied() {
            for it in occurrences(db, item) {
                let span = self.origin(item, it.span);
                let meant = self.meant(it.symbol);
                found.names.insert((span, meant));
            }
            for (span, told) in facts(db, item) {
                found.facts.insert((self.origin(item, span), told));
            }
        }
        found.errors = Errors::of(db, file);
        found
    }

    fn meant(&mut self, symbol: Symbol) -> Meant {
        match symbol {
            Symbol::Local { item, declared } => {
                Meant::Local(self.numbered(item), self.origin(item, declared))
            }
            Symbol::Item(item) => Meant::Item(self.numbered(item)),
            Symbol::Variant { item, variant } => Meant::Variant(self.numbered(item), variant),
            Symbol::Field {
                item,
                variant,
                field,
            } => Meant::Field(self.numbered(item), variant, field),
            Symbol::Module(file) => Meant::Module(file),
        }
    }

    fn numbered(&mut self, item: ItemId) -> Numbered {
        let db = self.db;
        let file = item.file(db);
        let numbers = self.numbers.entry(file).or_insert_with(|| {
            let items = file_item_ids(db, file).iter().copied();
            items.zip(0..).collect()
        });
        (file, numbers.get(&item).copied().unwrap_or(usize::MAX))
    }

    /// The place in the file before the edits.
    fn origin(&mut self, item: ItemId, span: Span) -> Span {
        let file = item.file(self.db);
        let edits = self.edits;
        let origins = self
            .origins
            .entry(file)
            .or_insert_with(|| Origins::new(file, edits));
        origins.of(in_file(self.db, item, span))
    }
}
