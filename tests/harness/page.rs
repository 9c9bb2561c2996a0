//! Reads a Markdown page of tests: headings are claims, `gsw` blocks are programs, other blocks what is expected of them.

use std::path::{Path, PathBuf};

use crate::program::{root, scratch};

/// A program with what is expected of it.
pub struct Case {
    /// The heading above it.
    pub claim: String,
    pub source: String,
    /// Further files beside it, from blocks such as `gsw schemas.gsw`: name and text.
    pub files: Vec<(String, String)>,
    /// The blocks behind it: the word after the fence, and the text.
    pub expected: Vec<(String, String)>,
}

impl Case {
    /// The expected text of a stage.
    pub fn expected(&self, stage: &str) -> Option<&str> {
        self.expected
            .iter()
            .find(|(name, _)| name == stage)
            .map(|(_, text)| text.as_str())
    }
}

/// All pages of a folder, sorted.
pub fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages: Vec<_> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|it| it == "md"))
        .collect();
    pages.sort();
    pages
}

/// Every case of every page of a folder with its place, for complaints, and its program written to a file of its own, below
/// `purpose` in the scratch folder.
pub fn written_cases(folder: &str, purpose: &str) -> Vec<(String, PathBuf, Case)> {
    let mut written = Vec::new();
    for page in pages(&root().join(folder)) {
        let name = page.file_stem().unwrap_or_default().to_string_lossy();
        let content = std::fs::read_to_string(&page).expect("pages can be read");
        for (index, case) in cases(&content).into_iter().enumerate() {
            let place = format!("{name}.md: {}", case.claim);
            let file = match case.files.is_empty() {
                true => write_case(purpose, &name, index, &case.source),
                false => write_project(purpose, &name, index, &case),
            };
            written.push((place, file, case));
        }
    }
    written
}

/// Writes a case to a file of its own.
pub fn write_case(folder: &str, page: &str, index: usize, source: &str) -> PathBuf {
    let file = scratch(folder).join(format!("{page}_{index}.gsw"));
    std::fs::write(&file, source).expect("the target folder can be written");
    file
}

/// Writes a case with its further files to a folder of its own and gives its entry file.
pub fn write_project(folder: &str, page: &str, index: usize, case: &Case) -> PathBuf {
    let folder = scratch(folder).join(format!("{page}_{index}"));
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    let file = folder.join("main.gsw");
    let further = case.files.iter();
    let further = further.map(|(name, text)| (folder.join(name), text));
    for (path, text) in further.chain([(file.clone(), &case.source)]) {
        let inner = path.parent().expect("every file lies in the folder");
        std::fs::create_dir_all(inner).expect("the target folder can be written");
        std::fs::write(path, text).expect("the target folder can be written");
    }
    file
}

/// A fenced block of a page.
pub struct Block {
    /// The heading above it.
    pub claim: String,
    /// The words after the fence.
    pub stage: String,
    pub text: String,
}

pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut claim = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            claim = line.trim_start_matches('#').trim();
        }
        let Some(stage) = line.strip_prefix("```") else {
            continue;
        };
        let text = lines.by_ref().take_while(|it| !it.starts_with("```"));
        blocks.push(Block {
            claim: claim.to_owned(),
            stage: stage.to_owned(),
            text: text.flat_map(|it| [it, "\n"]).collect(),
        });
    }
    blocks
}

/// The cases of a page, in order.
pub fn cases(page: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for Block { claim, stage, text } in blocks(page) {
        if stage == "gsw" {
            cases.push(Case {
                claim,
                source: text,
                files: Vec::new(),
                expected: Vec::new(),
            });
        } else if let (Some(name), Some(case)) = (stage.strip_prefix("gsw "), cases.last_mut()) {
            case.files.push((name.to_owned(), text));
        } else if let Some(case) = cases.last_mut() {
            case.expected.push((stage, text));
        }
    }
    cases
}

/// The remarks `// error: [code] "part"` and `// warning: [code] "part"`: line from 1, severity, code, part of the message.
pub fn remarks(source: &str) -> Vec<(usize, &str, &str, &str)> {
    let mut remarks = Vec::new();
    for (index, line) in source.lines().enumerate() {
        for severity in ["error", "warning"] {
            let Some((_, rest)) = line.split_once(&format!("// {severity}: [")) else {
                continue;
            };
            let Some((code, rest)) = rest.split_once(']') else {
                continue;
            };
            remarks.push((index + 1, severity, code, rest.trim().trim_matches('"')));
        }
    }
    remarks
}

/// The page with the blocks of `stage` replaced by what `made` has for them, in order.
pub fn with_blocks(text: &str, stage: &str, made: &[String]) -> String {
    let fence = format!("```{stage}");
    let mut made = made.iter();
    let mut page = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        page.push_str(line);
        page.push('\n');
        if line == fence {
            page.push_str(made.next().expect("every block has its text"));
            page.push_str("```\n");
            lines.by_ref().find(|line| line.starts_with("```"));
        }
    }
    page
}
