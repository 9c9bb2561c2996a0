//! The queries of tree-sitter and the semantic tokens of the language server give the same colour to comments, texts, numbers and words
//! of the language. What names are, the server knows better.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gsw_ide::SemanticKind;
use gsw_source::{Database, Diagnostic, File, Severity};
use gsw_syntax::FileReader;
use salsa::Setter;
use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator};
use tree_sitter_gsw::language;

use crate::programs::all;

/// What both know of a piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Colour {
    Comment,
    Text,
    Number,
    Keyword,
    Name,
}

/// The colour of each byte of a program.
type Colours = Vec<Option<Colour>>;

/// The colour of a capture; `None` of marks, which have none of their own.
fn of_capture(name: &str) -> Option<Colour> {
    let (first, _) = name.split_once('.').unwrap_or((name, ""));
    match first {
        "comment" => Some(Colour::Comment),
        "string" => Some(Colour::Text),
        "number" => Some(Colour::Number),
        "keyword" | "boolean" => Some(Colour::Keyword),
        "punctuation" | "operator" => None,
        // `none`
        _ if name == "constant.builtin" => Some(Colour::Keyword),
        _ => Some(Colour::Name),
    }
}

const fn of_token(kind: SemanticKind) -> Colour {
    match kind {
        SemanticKind::Comment => Colour::Comment,
        SemanticKind::String => Colour::Text,
        SemanticKind::Number => Colour::Number,
        SemanticKind::Keyword => Colour::Keyword,
        SemanticKind::Namespace
        | SemanticKind::Type
        | SemanticKind::Enum
        | SemanticKind::EnumMember
        | SemanticKind::TypeParameter
        | SemanticKind::Class
        | SemanticKind::Function
        | SemanticKind::Method
        | SemanticKind::Parameter
        | SemanticKind::Variable
        | SemanticKind::Property => Colour::Name,
    }
}

/// The colours of tree-sitter: of captures in one another the inner one counts, of those of one node the later pattern.
fn highlighted(query: &Query, source: &str) -> Colours {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the versions fit");
    let tree = parser.parse(source, None).expect("nothing stops it");
    let mut cursor = QueryCursor::new();
    let mut captures = cursor.captures(query, tree.root_node(), source.as_bytes());
    let mut found = Vec::new();
    while let Some((matched, index)) = captures.next() {
        let capture = matched.captures()[*index];
        let colour = of_capture(query.capture_names()[capture.index as usize]);
        let range = capture.node.byte_range();
        found.push((
            std::cmp::Reverse(range.len()),
            matched.pattern_index,
            range,
            colour,
        ));
    }
    found.sort_by_key(|it| (it.0, it.1));
    let mut colours = vec![None; source.len()];
    for (_, _, range, colour) in found {
        colours[range].fill(colour);
    }
    colours
}

/// The colours of the language server.
fn coloured(db: &Database, file: File) -> Colours {
    let mut colours = vec![None; file.text(db).len()];
    for token in gsw_ide::semantic_tokens(db, file, None) {
        colours[token.span.start as usize..token.span.end as usize]
            .fill(Some(of_token(token.kind)));
    }
    colours
}

/// Whether what the two say of one byte is the same. The mark of an interpolation belongs to its text, and names are compared with nothing.
fn agree(byte: u8, highlighted: Option<Colour>, coloured: Option<Colour>) -> bool {
    let is_mark = highlighted.is_none() && coloured == Some(Colour::Text);
    let nameless = |it: Option<Colour>| it.filter(|it| *it != Colour::Name);
    byte.is_ascii_whitespace() || is_mark || nameless(highlighted) == nameless(coloured)
}

fn compiles(db: &Database, file: File) -> bool {
    let reader = FileReader::new(db, file);
    let is_right = |it: &Diagnostic| it.severity != Severity::Error;
    reader.lexical_diagnostics().iter().all(is_right)
        && reader.items().all(|it| it.diagnostics.iter().all(is_right))
}

/// A database with one file.
fn opened() -> (Database, File) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("colours");
    fs::create_dir_all(&folder).expect("the target folder can be written");
    let path = folder.join("main.gsw");
    fs::write(&path, "").expect("the target folder can be written");
    let mut db = Database::default();
    let file =
        gsw_project::open_project(&mut db, &path, &gsw_source::Disk).expect("it was just written");
    (db, file)
}

#[test]
fn both_give_the_same_colours_in_every_program_that_parses() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../editors/tree-sitter-gsw/queries/highlights.scm");
    let query = fs::read_to_string(path).expect("queries are text");
    let query = Query::new(&language(), &query).expect("it is tested that queries can be read");
    let (mut db, file) = opened();
    let (mut compared, mut wrong) = (0, BTreeMap::new());
    for program in all() {
        file.set_text(&mut db).to(program.source.as_str().into());
        if !compiles(&db, file) {
            continue;
        }
        compared += 1;
        let (first, second) = (highlighted(&query, &program.source), coloured(&db, file));
        for (at, byte) in program.source.bytes().enumerate() {
            if !agree(byte, first[at], second[at]) {
                let line = program.source[..at].matches('\n').count();
                let text = program.source.lines().nth(line).unwrap_or_default();
                let place = format!("{} line {}: {text}", program.place, line + 1);
                wrong.entry(place).or_insert((first[at], second[at]));
            }
        }
    }
    println!("{compared} programs compared");
    assert!(compared > 1_000, "the programs are not found: {compared}");
    let shown = wrong.iter().map(|(place, (first, second))| {
        format!("{place}\n  tree-sitter {first:?}, server {second:?}")
    });
    let shown: Vec<String> = shown.collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}
