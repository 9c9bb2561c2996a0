//! Random edits and requests: after each burst the server says what a new one says of the same texts. `GSW_SESSIONS=10000 GSW_SEED=2` runs
//! more of them from another seed; an optimised build of `gsw-server` alone makes a session five times shorter.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::client::{Client, folder, uri, write};

/// A generator of numbers that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides.max(1)
    }
}

const MAIN: &str = r#"import std/fs
import ./lib
import ./lib.{Level}

/// Docs.
type Bug { title: string, level: Level = Low, line: int? }
agent helper { model: "sim/x" system: "hi ${1 + 1}" }
prompt ask(question: string) -> [Bug] by helper { user "${question}" }
fn Bug.urgent(self, least: int = 3) -> bool { (self.line ?? 0) > least }
workflow main(dir: string = ".") -> [Bug] {
  state seen: int = 0
  let found = parallel for file in fs.glob(dir) limit 2 {
    step "look ${file}" timeout 2m retry 3 { ask(fs.read(file)) catch { InvalidResponse(_) => [] } }
  }
  let all = found.flatten().filter(bug => bug.urgent(least: lib.least()))
  for bug in all { seen += 1
    match bug.level { Low => log.info("low") High(why) => log.info(why) } }
  all
}
mcp notes = stdio("notes", ["--quiet"], sampling: helper, roots: ["./notes"])
tool find(text: string) -> json reads by notes
tool count(
  text: string,
)
  -> int
  ! Failed
  pure
{ if text == "" { fail Failed("é") }
 text.len() }
hook guard { before_tool(call) { if call.tool == "x" { deny("no") } else { allow } } }
agent clerk { model: "sim/x", tools: [count, find], hooks: [guard] }
test "😀 it" { mock ask(_) -> [] assert main() == [] }
test "turns" { mock agent clerk { call count("a") answer 1 }
 let calls = mock count(_) -> 1 then 2
 assert calls.count() == 0 }
"#;

const LIB: &str = "enum Level { Low, High(why: string) }\nfn least() -> int { 2 }\n";

/// What is written into texts: pieces of programs, whole and broken.
const PIECES: &[&str] = &[
    "",
    " ",
    "\n",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "${",
    ".",
    "let x = 1\n",
    "fn g() -> int { 1 }\n",
    "é😀",
    "/// d\n",
    "// c\n",
    "import ./lib\n",
    "enum E { A, B }\n",
    "match x { ",
    "step \"s\" { ",
    "x",
    "private ",
    "type T { a: T? }\n",
    "catch _ => 0",
    "\r\n",
    "\r",
    "\t",
    "0",
    "main",
    "lib.",
    "Bug { title: \"\" }",
    "\"\"\"",
    "\n  -> int",
    "\n  ! Failed",
    "hook h { on_error(",
    "mock agent clerk { call ",
    " by notes",
    "?.",
    ": ",
    "|",
    "\u{2028}",
];

/// One more than the last byte of each line, in UTF-16 units: a position that is sometimes past it.
fn position(text: &str, dice: &mut Dice) -> Value {
    // A line break of two characters counts as two lines here, so that some positions are past the last line.
    let lines: Vec<&str> = text.split(['\n', '\r']).collect();
    let line = dice.roll(lines.len() + 1);
    let length = lines.get(line).map_or(0, |it| it.encode_utf16().count());
    json!({ "line": line, "character": dice.roll(length + 2) })
}

/// The byte of a position, as the server must count it; between the halves of a character it is after it.
fn byte(text: &str, position: &Value) -> usize {
    let number = |name: &str| usize::try_from(position[name].as_u64().unwrap_or(0)).unwrap_or(0);
    let mut start = 0;
    for _ in 0..number("line") {
        let Some(at) = text[start..].find(['\n', '\r']) else {
            return text.len();
        };
        start += at;
        start += if text[start..].starts_with("\r\n") {
            2
        } else {
            1
        };
    }
    let line = text[start..].split(['\n', '\r']).next().unwrap_or_default();
    let mut units = 0;
    for (at, it) in line.char_indices() {
        if units >= number("character") {
            return start + at;
        }
        units += it.len_utf16();
    }
    start + line.len()
}

/// The requests about a position, those about a document, and those about a part of it.
const AT: &[&str] = &[
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/documentHighlight",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/prepareRename",
    "textDocument/linkedEditingRange",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareTypeHierarchy",
];
const ABOUT: &[&str] = &[
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/formatting",
    "textDocument/semanticTokens/full",
    "textDocument/codeLens",
    "textDocument/documentLink",
    "textDocument/diagnostic",
];

const WITHIN: &[&str] = &[
    "textDocument/inlayHint",
    "textDocument/inlineValue",
    "textDocument/semanticTokens/range",
    "textDocument/rangeFormatting",
    "textDocument/onTypeFormatting",
    "textDocument/selectionRange",
];

struct Session {
    client: Client,
    root: PathBuf,
    texts: BTreeMap<String, String>,
    version: u64,
    dice: Dice,
}

fn start(root: &Path) -> Client {
    let folders = json!([{ "uri": uri(root), "name": "random" }]);
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    Client::with(&json!({ "capabilities": capabilities, "workspaceFolders": folders }))
}

impl Session {
    fn edit(&mut self) {
        let names: Vec<String> = self.texts.keys().cloned().collect();
        let name = &names[self.dice.roll(names.len())];
        let text = self.texts.get_mut(name).expect("it is one of them");
        let mut changes = Vec::new();
        for _ in 0..=self.dice.roll(2) {
            let (one, other) = (
                position(text, &mut self.dice),
                position(text, &mut self.dice),
            );
            // Mostly something small is replaced.
            let other = if self.dice.roll(4) > 0 {
                one.clone()
            } else {
                other
            };
            let (from, to) = (byte(text, &one), byte(text, &other));
            let (start, end) = if from <= to {
                (one, other)
            } else {
                (other, one)
            };
            let piece = PIECES[self.dice.roll(PIECES.len())];
            text.replace_range(from.min(to)..from.max(to), piece);
            changes.push(json!({ "range": { "start": start, "end": end }, "text": piece }));
        }
        self.version += 1;
        let uri = uri(&self.root.join(name));
        self.client.change(&uri, self.version, &json!(changes));
    }

    /// Asks something; every request is answered, with a result or an error that is no bug.
    fn ask(&mut self) {
        let names: Vec<String> = self.texts.keys().cloned().collect();
        let name = names[self.dice.roll(names.len())].clone();
        let uri = uri(&self.root.join(&name));
        let position = position(&self.texts[&name], &mut self.dice);
        let document = json!({ "uri": uri });
        let (method, parameters) = match self.dice.roll(5) {
            4 => return self.ask_further(&uri, &position),
            0 => (
                ABOUT[self.dice.roll(ABOUT.len())],
                json!({ "textDocument": document, "options": { "tabSize": 2, "insertSpaces": true } }),
            ),
            1 => (
                "textDocument/codeAction",
                json!({ "textDocument": document, "range": { "start": position, "end": position }, "context": { "diagnostics": [] } }),
            ),
            2 if self.dice.roll(2) == 0 => (
                WITHIN[self.dice.roll(WITHIN.len())],
                json!({
                    "textDocument": document, "position": position, "positions": [position], "ch": "}",
                    "range": { "start": { "line": 0, "character": 0 }, "end": position },
                    "options": { "tabSize": 2, "insertSpaces": true },
                    "context": { "frameId": 1, "stoppedLocation": { "start": position, "end": position } },
                }),
            ),
            2 => (
                ["textDocument/references", "textDocument/rename"][self.dice.roll(2)],
                json!({ "textDocument": document, "position": position, "newName": "other", "context": { "includeDeclaration": true } }),
            ),
            _ => (
                AT[self.dice.roll(AT.len())],
                json!({ "textDocument": document, "position": position }),
            ),
        };
        self.answered(method, &parameters);
    }

    /// What a request is answered with, which is no bug.
    fn answered(&mut self, method: &str, parameters: &Value) -> Value {
        let answer = self.client.ask(method, parameters);
        let code = answer["error"]["code"].as_i64();
        assert!(
            matches!(code, None | Some(-32602)),
            "{method} {parameters}: {answer}\n{:#?}",
            self.texts
        );
        answer["result"].clone()
    }

    /// Asks about the whole project, or on with what an answer has given.
    fn ask_further(&mut self, uri: &str, position: &Value) {
        let at = json!({ "textDocument": { "uri": uri }, "position": position });
        match self.dice.roll(6) {
            0 => self.ask_about_project(uri),
            1 => {
                let about = json!({ "textDocument": { "uri": uri } });
                let full = self.answered("textDocument/semanticTokens/full", &about);
                self.edit();
                let further =
                    json!({ "textDocument": { "uri": uri }, "previousResultId": full["resultId"] });
                self.answered("textDocument/semanticTokens/full/delta", &further);
            }
            2 => {
                let list = self.answered("textDocument/completion", &at);
                let items = list["items"].as_array().cloned().unwrap_or_default();
                if let Some(item) = items.get(self.dice.roll(items.len())) {
                    self.answered("completionItem/resolve", item);
                }
            }
            3 => {
                let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 999, "character": 0 } });
                let about = json!({ "textDocument": { "uri": uri }, "range": whole });
                let hints = self.answered("textDocument/inlayHint", &about);
                let hints = hints.as_array().cloned().unwrap_or_default();
                // What it is about may be gone, or be something else, when it is asked for.
                if self.dice.roll(2) == 0 {
                    self.edit();
                }
                if let Some(hint) = hints.get(self.dice.roll(hints.len())) {
                    self.answered("inlayHint/resolve", hint);
                }
            }
            4 => self.follow(
                &at,
                "textDocument/prepareCallHierarchy",
                ["callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"],
            ),
            _ => self.follow(
                &at,
                "textDocument/prepareTypeHierarchy",
                ["typeHierarchy/supertypes", "typeHierarchy/subtypes"],
            ),
        }
    }

    fn ask_about_project(&mut self, uri: &str) {
        let word = ["", "m", "é", "Bug", "x y"][self.dice.roll(5)];
        let to = uri.replace(".gsw", "_moved.gsw");
        let (method, parameters) = [
            ("workspace/symbol", json!({ "query": word })),
            ("workspace/diagnostic", json!({ "previousResultIds": [] })),
            (
                "workspace/willRenameFiles",
                json!({ "files": [{ "oldUri": uri, "newUri": to }] }),
            ),
        ][self.dice.roll(3)]
        .clone();
        self.answered(method, &parameters);
    }

    /// Asks for an item, and then for one of the two sides of it.
    fn follow(&mut self, at: &Value, first: &str, sides: [&str; 2]) {
        let items = self.answered(first, at);
        // What an answer has given may be out of date when it comes back.
        if self.dice.roll(2) == 0 {
            self.edit();
        }
        if let Some(item) = items.as_array().and_then(|it| it.first()) {
            let side = sides[self.dice.roll(2)];
            self.answered(side, &json!({ "item": item }));
        }
    }

    /// What is said at a place, by requests whose answers hold for the texts alone.
    fn said_at(client: &mut Client, uri: &str, position: &Value) -> Vec<Value> {
        let at = json!({ "textDocument": { "uri": uri }, "position": position, "context": { "includeDeclaration": true } });
        let methods = [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/references",
            "textDocument/signatureHelp",
        ];
        let mut all: Vec<Value> = methods
            .iter()
            .map(|it| client.ask(it, &at)["result"].clone())
            .collect();
        for method in ["textDocument/documentSymbol", "textDocument/codeLens"] {
            all.push(client.about(method, uri));
        }
        all.push(client.about("textDocument/semanticTokens/full", uri)["data"].clone());
        all
    }

    /// Compares what is said of the texts with what a new server says of them.
    fn is_like_new(&mut self, session: &str) {
        let (root, texts) = (self.root.clone(), self.texts.clone());
        let said = Self::reports(&mut self.client, &root, &texts);
        let mut fresh = start(&root);
        for (name, text) in &texts {
            fresh.open(&uri(&root.join(name)), text);
        }
        let wanted = Self::reports(&mut fresh, &root, &texts);
        assert_eq!(said, wanted, "{session}: {texts:#?}");
        let name = ["lib.gsw", "main.gsw"][self.dice.roll(2)];
        let (uri, position) = (
            uri(&root.join(name)),
            position(&texts[name], &mut self.dice),
        );
        let said = Self::said_at(&mut self.client, &uri, &position);
        let wanted = Self::said_at(&mut fresh, &uri, &position);
        assert_eq!(said, wanted, "{session}, {name} {position}: {texts:#?}");
        fresh.quit();
    }

    /// Everything that is wrong with each file, in order.
    fn reports(client: &mut Client, root: &Path, names: &BTreeMap<String, String>) -> Vec<Value> {
        let mut all = Vec::new();
        for name in names.keys() {
            let report = client.about("textDocument/diagnostic", &uri(&root.join(name)));
            all.push(report["items"].clone());
        }
        all
    }
}

/// As many sessions at once as there are cores: each waits for its own server.
#[test]
fn after_any_edits_and_requests_the_server_says_what_a_new_one_says() {
    let number = |name: &str, otherwise: u64| {
        let said = std::env::var(name).ok().and_then(|it| it.parse().ok());
        said.unwrap_or(otherwise)
    };
    let (sessions, seed) = (number("GSW_SESSIONS", 20), number("GSW_SEED", 1));
    let next = AtomicU64::new(0);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for thread in 0..cores {
            let next = &next;
            scope.spawn(move || {
                let root = folder(&format!("random-{thread}"), &[("gsw.toml", "")]);
                loop {
                    let session = next.fetch_add(1, Ordering::Relaxed);
                    if session >= sessions {
                        return;
                    }
                    whole_session(&root, seed, session);
                }
            });
        }
    });
}

fn whole_session(root: &Path, seed: u64, session: u64) {
    let texts = BTreeMap::from([
        ("lib.gsw".to_owned(), LIB.to_owned()),
        ("main.gsw".to_owned(), MAIN.to_owned()),
    ]);
    for (name, text) in &texts {
        write(root, name, text);
    }
    let mut it = Session {
        client: start(root),
        root: root.to_owned(),
        texts,
        version: 1,
        dice: Dice(
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
                ^ (session + 1).wrapping_mul(0xD134_2543_DE82_EF95),
        ),
    };
    for (name, text) in it.texts.clone() {
        it.client.open(&uri(&root.join(name)), &text);
    }
    for _ in 0..5 {
        for _ in 0..12 {
            match it.dice.roll(2) {
                0 => it.edit(),
                _ => it.ask(),
            }
        }
        it.is_like_new(&format!("seed {seed}, session {session}"));
    }
    it.client.quit();
}
