//! The pages of `tests/wire`: what goes over the wire, and what we make of it.
//!
//! Each case is asked twice: as in the page, and in chunks of one byte, so that the border of a chunk falls between any
//! two bytes. Both must come to the same.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fake_provider::{Body, Drip, Reply, Script, Server};
use gsw_agents::{Environment, Providers};
use gsw_engine::model::{Again, Content, ModelAnswer, ModelFailure, ModelRequest};
use serde_json::{Map, Value, json};

use crate::stage::{QUICK, Stage, request};

/// The model that is asked where a page names none.
const MODEL: &str = "anthropic/claude-sonnet-5-5";

/// A claim with its blocks, in the order of the page.
struct Section {
    claim: String,
    blocks: Vec<Block>,
}

struct Block {
    /// The word after the fence.
    kind: String,
    text: String,
    /// The lines of the page between the fences.
    lines: std::ops::Range<usize>,
}

impl Section {
    fn block(&self, kind: &str) -> Option<&Block> {
        self.blocks.iter().find(|it| it.kind == kind)
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/wire")
}

/// The pages but the table, sorted.
fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("the pages are there");
    let paths = entries.map(|it| it.expect("a folder can be listed").path());
    let is_page = |it: &PathBuf| {
        let is_markdown = it.extension().is_some_and(|it| it == "md");
        is_markdown && !it.ends_with("README.md")
    };
    let mut pages: Vec<_> = paths.filter(is_page).collect();
    pages.sort();
    pages
}

/// The sections of a page; the first is the text above the first claim.
fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section {
        claim: String::new(),
        blocks: Vec::new(),
    }];
    let mut lines = text.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        if let Some(claim) = line.strip_prefix("## ") {
            sections.push(Section {
                claim: claim.to_owned(),
                blocks: Vec::new(),
            });
        } else if let Some(kind) = line.strip_prefix("```") {
            let (mut block, mut begin, mut end) = (String::new(), None, 0);
            for (number, line) in lines.by_ref() {
                begin.get_or_insert(number);
                end = number;
                if line == "```" {
                    break;
                }
                block.push_str(line);
                block.push('\n');
            }
            let last = sections.last_mut().expect("there is one");
            last.blocks.push(Block {
                kind: kind.to_owned(),
                text: block,
                lines: begin.unwrap_or(end)..end,
            });
        }
    }
    sections
}

/// The replies of a section: a `stream` as it goes over the wire, or a reply a line.
fn replies(section: &Section) -> Vec<Reply> {
    let mut replies = Vec::new();
    for block in &section.blocks {
        match block.kind.as_str() {
            // The blank line that ends its last event.
            "stream" => replies.push(Reply::of(Body::Stream(format!("{}\n", block.text)))),
            "replies" => replies.extend(block.text.lines().map(|line| {
                let read: Result<Reply, _> = serde_json::from_str(line);
                read.unwrap_or_else(|error| panic!("{}: {error}: {line}", section.claim))
            })),
            _ => {}
        }
    }
    assert!(
        !replies.is_empty(),
        "`{}` has no stream and no replies",
        section.claim
    );
    replies
}

/// A request with what the page and the section say of it.
fn asked(parts: &[Option<&Block>]) -> ModelRequest {
    let mut given = Map::new();
    for part in parts.iter().flatten() {
        let read: Map<String, Value> = serde_json::from_str(&part.text).expect(&part.text);
        given.extend(read);
    }
    let model = given.remove("model");
    let model = model.as_ref().and_then(Value::as_str).unwrap_or(MODEL);
    let mut written = json!(request(model));
    for (name, limit) in [("timeout_ms", "timeout"), ("first_token_ms", "first_token")] {
        if let Some(milliseconds) = given.remove(name) {
            let milliseconds = milliseconds.as_u64().expect("a number");
            written[limit] = json!(Duration::from_millis(milliseconds));
        }
    }
    for (name, value) in given {
        assert!(
            written.get(&name).is_some(),
            "a request has no field `{name}`"
        );
        written[name] = value;
    }
    serde_json::from_value(written).expect("a request")
}

/// Providers that talk to another server for each reply: their client is made once, and one case knows nothing of another.
struct Wire {
    stage: Stage,
    url: Arc<Mutex<String>>,
}

impl Wire {
    async fn new() -> Self {
        let url = Arc::new(Mutex::new(String::new()));
        let shown = Arc::clone(&url);
        let environment = Environment::by(move |name| {
            let url = shown.lock().expect("no panic").clone();
            match name {
                "OPENAI_BASE_URL" => Some(format!("{url}/v1")),
                name if name.ends_with("_BASE_URL") => Some(url),
                name if name.ends_with("_API_KEY") => Some("test-key".to_owned()),
                _ => None,
            }
        });
        let stage = Stage {
            providers: Providers::with_policy(environment, QUICK),
            ..Stage::of(Vec::new()).await
        };
        Self { stage, url }
    }

    async fn outcome(&self, request: &ModelRequest, reply: Reply) -> String {
        let script = Script::in_turn(vec![reply]);
        let server = Server::start(script, 0).await.expect("a free port");
        *self.url.lock().expect("no panic") = server.url();
        self.stage.deltas.lock().expect("no panic").clear();
        let text = match self.stage.ask_once(request.clone()).await {
            Ok(answer) => of_answer(&answer, &self.stage.streamed()),
            Err(failure) => of_failure(&failure),
        };
        text.replace(&format!("127.0.0.1:{}", server.port()), "HOST")
    }

    /// Where the request goes, and its body.
    async fn sent(&self, request: &ModelRequest) -> String {
        let server = Server::start(Script::always(Reply::text("x")), 0).await;
        let server = server.expect("a free port");
        *self.url.lock().expect("no panic") = server.url();
        self.stage.ask_once(request.clone()).await.ok();
        let requests = server.requests();
        let Some(sent) = requests.first() else {
            return "nothing\n".to_owned();
        };
        let body = serde_json::to_string_pretty(&sent.json()).expect("JSON");
        format!("{} {}\n{body}\n", sent.method, sent.path)
    }
}

fn of_answer(answer: &ModelAnswer, streamed: &str) -> String {
    let mut text = format!("{:?} ({})", answer.stop, answer.stop_reason);
    if let Some(usage) = &answer.usage {
        let (read, written) = (usage.cache_read_tokens, usage.cache_write_tokens);
        write!(
            text,
            ", {} in, {} out",
            usage.input_tokens, usage.output_tokens
        )
        .expect("a string");
        if read + written > 0 {
            write!(text, ", cache {read} read, {written} written").expect("a string");
        }
    }
    let id = answer.request_id.as_deref().unwrap_or("none");
    writeln!(text, ", request {id}").expect("a string");
    let mut said = String::new();
    for content in &answer.content {
        match content {
            Content::Text { text: part } => {
                said.push_str(part);
                writeln!(text, "  text {part:?}").expect("a string");
            }
            other => writeln!(text, "  {}", json!(other)).expect("a string"),
        }
    }
    if streamed != said {
        writeln!(text, "  streamed {streamed:?}").expect("a string");
    }
    text
}

fn of_failure(failure: &ModelFailure) -> String {
    let again = match failure.again {
        None => "final".to_owned(),
        Some(Again::SchemaDescribed) => "again with the schema described".to_owned(),
        Some(Again::ToolsDescribed) => "again with the tools described".to_owned(),
        Some(Again::AtOnce) => "again at once".to_owned(),
        Some(Again::After(wait)) if failure.retry_after.is_none_or(|it| it != wait) => {
            "again".to_owned()
        }
        Some(Again::After(wait)) => format!("again after {} ms", wait.as_millis()),
    };
    let mut text = format!("{:?}, {again}: {}\n", failure.kind, failure.message);
    if let Some(id) = &failure.request_id {
        writeln!(text, "  request {id}").expect("a string");
    }
    if let Some(sizes) = &failure.oversize {
        writeln!(text, "  {} tokens of {}", sizes.tokens, sizes.limit).expect("a string");
    }
    text
}

#[tokio::test]
async fn what_goes_over_the_wire_is_read_as_the_pages_say() {
    let mut wrong = String::new();
    let wire = Wire::new().await;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page can be read");
        let sections = sections(&text);
        let (default, cases) = sections.split_first().expect("there is one");
        let mut expected = Vec::new();
        for section in cases {
            let request = asked(&[default.block("request"), section.block("request")]);
            let (mut as_it_is, mut by_bytes) = (String::new(), String::new());
            for reply in replies(section) {
                let bytes = Reply {
                    drip: Some(Drip { bytes: 1, ms: 0 }),
                    ..reply.clone()
                };
                as_it_is.push_str(&wire.outcome(&request, reply).await);
                by_bytes.push_str(&wire.outcome(&request, bytes).await);
            }
            let place = format!("{}: {}", page.display(), section.claim);
            assert_eq!(as_it_is, by_bytes, "{place}");
            let block = section.block("outcome").expect(&place);
            if block.text != as_it_is {
                writeln!(wrong, "{place}\n{as_it_is}instead of\n{}", block.text).expect("a string");
            }
            expected.push((block.lines.clone(), as_it_is));
            if let Some(block) = section.block("sent") {
                let sent = wire.sent(&request).await;
                if block.text != sent {
                    writeln!(wrong, "{place}\n{sent}instead of\n{}", block.text).expect("a string");
                }
                expected.push((block.lines.clone(), sent));
            }
        }
        if std::env::var_os("ACCEPT").is_some() {
            fs::write(&page, rewritten(&text, &expected)).expect("a page can be written");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The page with other texts in its lines.
fn rewritten(page: &str, texts: &[(std::ops::Range<usize>, String)]) -> String {
    let lines: Vec<&str> = page.lines().collect();
    let (mut written, mut next) = (String::new(), 0);
    let mut copy = |written: &mut String, to: usize, from: usize| {
        for line in &lines[next..to] {
            written.push_str(line);
            written.push('\n');
        }
        next = from;
    };
    // In the order of the page, whatever it holds.
    let mut texts = texts.to_vec();
    texts.sort_by_key(|it| it.0.start);
    for (range, text) in &texts {
        copy(&mut written, range.start, range.end);
        written.push_str(text);
    }
    copy(&mut written, lines.len(), lines.len());
    written
}

/// The tests that talk to a provider, with their files; those of the pages are the pages' own.
fn tests_in(folder: &Path) -> Vec<(String, String)> {
    let mut tests = Vec::new();
    for entry in fs::read_dir(folder).expect("the tests are there") {
        let path = entry.expect("a folder can be listed").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if name == "pages.rs" {
            continue;
        }
        let source = fs::read_to_string(&path).expect("a test can be read");
        let lines: Vec<&str> = source.lines().collect();
        let below = lines
            .windows(2)
            .filter(|it| it[0].ends_with("test]") || it[0].starts_with("#[tokio::test("));
        let names = below.filter_map(|it| it[1].split_once("fn ")?.1.split_once('('));
        tests.extend(names.map(|it| (name.to_string(), it.0.to_owned())));
    }
    assert!(tests.len() > 40, "only {} tests were found", tests.len());
    tests
}

#[test]
fn the_table_of_facts_names_every_claim_and_nothing_else() {
    let table = fs::read_to_string(folder().join("README.md")).expect("the table is there");
    let rust = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/providers");
    let mut named: Vec<(String, String)> = Vec::new();
    for row in table.lines().filter(|it| it.starts_with("| ")) {
        let Some(last) = row.trim_end_matches('|').rsplit('|').next() else {
            continue;
        };
        for link in last.split(';').map(str::trim) {
            if let Some((page, claim)) = link.split_once(": ") {
                named.push((page.to_owned(), claim.to_owned()));
            }
        }
    }
    let mut claims = Vec::new();
    for page in pages() {
        let name = page
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&page).expect("a page can be read");
        let with_claim = sections(&text).into_iter().skip(1);
        claims.extend(with_claim.map(|it| (name.clone(), it.claim)));
    }
    for (page, claim) in &named {
        let is_there = match page.strip_suffix(".rs") {
            Some(_) => {
                let source = fs::read_to_string(rust.join(page)).expect(page);
                source.contains(&format!("fn {claim}("))
            }
            None => claims.contains(&(page.clone(), claim.clone())),
        };
        assert!(
            is_there,
            "the table names `{page}: {claim}`, which is not there"
        );
    }
    claims.extend(tests_in(&rust));
    for claim in &claims {
        assert!(named.contains(claim), "no row of the table names {claim:?}");
    }
}
