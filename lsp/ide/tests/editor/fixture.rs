//! A project from text: `//- NAME` begins a further file, `<|>` is the cursor, in the first file unless it is in another one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_source::{Database, File, Files, LocatedEdit, Location, Project, paths_below};
use salsa::Setter;

const CURSOR: &str = "<|>";

pub struct Fixture {
    pub db: Database,
    /// The file with the cursor.
    pub file: File,
    pub offset: u32,
}

struct Texts(BTreeMap<PathBuf, String>);

impl Files for Texts {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        let text = self.0.get(&self.absolute(path));
        text.map(|it| it.as_str().into())
            .ok_or_else(|| "does not exist".into())
    }

    fn below(&self, folder: &Path) -> Result<Vec<String>, String> {
        paths_below(self.0.keys().map(PathBuf::as_path), &self.absolute(folder))
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Path::new("/project").join(path)
    }
}

/// The project of a text with one cursor.
pub fn fixture(text: &str) -> Fixture {
    fixture_in(Database::default(), text)
}

/// Like [`fixture`], in a database of the test's own.
pub fn fixture_in(mut db: Database, text: &str) -> Fixture {
    let mut texts = BTreeMap::new();
    let mut cursor = None;
    for part in format!("//- main.gsw\n{}", text.trim_start_matches('\n'))
        .split("//- ")
        .skip(1)
    {
        let (name, body) = part.split_once('\n').expect("a name of a file");
        let path = Path::new("/project").join(name.trim());
        if let Some(at) = body.find(CURSOR) {
            cursor = Some((path.clone(), at));
        }
        texts.insert(path, body.replacen(CURSOR, "", 1));
    }
    let (at, offset) = cursor.unwrap_or(("/project/main.gsw".into(), 0));
    let texts = Texts(texts);
    gsw_project::open_project(&mut db, Path::new("/project/main.gsw"), &texts)
        .expect("main.gsw is there");
    let paths: Vec<PathBuf> = texts.0.keys().cloned().collect();
    gsw_project::add_files(&mut db, &paths, &texts);
    let project = Project::try_get(&db).expect("it was opened");
    let file = project.modules(&db)[&gsw_project::module_key(&at)];
    Fixture {
        db,
        file,
        offset: u32::try_from(offset).expect("a small text"),
    }
}

impl Fixture {
    /// Puts another text in the place of its file: what the library needs is not found out again.
    pub fn put(&mut self, text: &str) {
        self.offset = u32::try_from(text.find(CURSOR).unwrap_or(0)).expect("a small text");
        let text = text.replacen(CURSOR, "", 1);
        self.file.set_text(&mut self.db).to(text.into());
    }

    fn line(&self, location: Location) -> (String, usize, &str) {
        let text = location.file.text(&self.db);
        let start = location.span.start as usize;
        let line = text[..start].matches('\n').count() + 1;
        let name = location.file.path(&self.db).file_name();
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        (name, line, &text[start..location.span.end as usize])
    }

    /// `main.gsw:3 name` of a place.
    pub fn shown(&self, location: Location) -> String {
        let (name, line, text) = self.line(location);
        format!("{name}:{line} {text}")
    }

    /// The files after edits, those that were changed, each under its name when there is more than one.
    pub fn edited(&self, edits: &[LocatedEdit]) -> String {
        let mut by_file: BTreeMap<String, (File, Vec<&LocatedEdit>)> = BTreeMap::new();
        for edit in edits {
            let (name, ..) = self.line(edit.location);
            let file = edit.location.file;
            by_file
                .entry(name)
                .or_insert((file, Vec::new()))
                .1
                .push(edit);
        }
        let many = by_file.len() > 1;
        let texts = by_file.into_iter().map(|(name, (file, mut edits))| {
            edits.sort_by_key(|it| std::cmp::Reverse(it.location.span));
            let mut text = file.text(&self.db).to_string();
            for it in edits {
                let span = it.location.span;
                text.replace_range(span.start as usize..span.end as usize, &it.text);
            }
            match many {
                true => format!("//- {name}\n{text}"),
                false => text,
            }
        });
        texts.collect()
    }
}

/// Compares texts line by line, without the line break that a readable literal begins with.
#[track_caller]
pub fn same(found: &str, wanted: &str) {
    assert_eq!(
        found.trim_end(),
        wanted.trim_start_matches('\n').trim_end(),
        "\nfound:\n{found}\n"
    );
}
