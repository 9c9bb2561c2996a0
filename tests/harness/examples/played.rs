//! Examples with a model that plays its part: calls of tools, answers that are refused and replaced, a workflow that begins again.
//! What it says is in `examples/trees/<example>.json`, what the run's tree is then in `examples/trees/<example>.played.txt`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fake_provider::{Answer, Body, Message, Reply, Script};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tree;
use crate::introspection::turn;
use crate::program::{Said, root, scratch, text};
use crate::wire::with_provider;

/// How an example is played.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Play {
    /// Words after the program's own options.
    #[serde(default)]
    arguments: Vec<String>,
    /// Standard input: the answers of people.
    #[serde(default)]
    input: String,
    /// What lies in the folder that it runs in, which then is one of its own.
    files: Option<BTreeMap<String, String>>,
    /// Programs that its `PATH` leads to first.
    #[serde(default)]
    programs: BTreeMap<String, String>,
    /// The pages that there are on the web, by their addresses.
    #[serde(default)]
    pages: BTreeMap<String, String>,
    turns: Vec<Turn>,
}

/// What the model does at its turn.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Turn {
    Calls(Vec<(String, Value)>),
    Answer(Value),
    /// An answer to a request of so many tokens.
    Spends {
        answer: Value,
        tokens: u64,
    },
}

#[test]
fn the_trees_of_examples_show_what_models_do() {
    // G58: `ACCEPT=1` writes them anew.
    let mut wrong = Vec::new();
    for plan in plans() {
        let written = std::fs::read_to_string(&plan).expect("it was listed");
        let play: Play = serde_json::from_str(&written)
            .unwrap_or_else(|why| panic!("{}: {why}", plan.display()));
        let name = plan.file_stem().expect("an example has a name");
        let file = root().join("examples").join(name).with_extension("gsw");
        let events = scratch("played").join(name).with_extension("jsonl");
        let replies = play.turns.iter().map(reply).collect();
        let (said, asked) =
            with_provider(Script { replies }, |url| run(&file, &events, url, &play));
        assert_eq!(said.code, Some(0), "{}: {}", file.display(), said.err);
        assert_eq!(asked.len(), play.turns.len(), "{}", file.display());
        let found = format!("{}{}", tree(&events), said.out);
        let expected = plan.with_extension("played.txt");
        if std::env::var_os("ACCEPT").is_some() {
            std::fs::write(&expected, &found).expect("the tree can be written");
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", expected.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn reply(turn_of_model: &Turn) -> Reply {
    match turn_of_model {
        Turn::Calls(calls) => {
            let calls: Vec<(&str, Value)> = calls
                .iter()
                .map(|(name, input)| (name.as_str(), input.clone()))
                .collect();
            turn(&calls)
        }
        Turn::Spends { answer, tokens } => Reply::of(Body::Anthropic(Message {
            content: vec![json!({ "type": "text", "text": answer.to_string() })],
            usage: json!({ "input_tokens": tokens, "output_tokens": 1 }),
            ..Message::default()
        })),
        Turn::Answer(text) => Reply::of(Body::Answer(Answer { text: text.clone() })),
    }
}

fn run(file: &Path, events: &Path, url: &str, play: &Play) -> Said {
    let folder = match &play.files {
        Some(files) => own_folder(file, files),
        None => root(),
    };
    let proxy = web_of(&play.pages);
    let mut child = Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(["run", text(file), "--", "--quiet", "--events", text(events)])
        .args(&play.arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env_remove("GSW_MODEL")
        .env("GSW_CACHE", "off")
        .env("ANTHROPIC_API_KEY", "key-of-tests")
        .env("ANTHROPIC_BASE_URL", url)
        .env("PATH", path_with(file, &play.programs))
        .envs(["HTTP_PROXY", "http_proxy"].map(|it| (it, &proxy)))
        .envs(["NO_PROXY", "no_proxy"].map(|it| (it, "127.0.0.1")))
        .spawn()
        .expect("gswc can be started");
    let mut input = child.stdin.take().expect("it is piped");
    // A program that reads nothing may have ended.
    let _ = input.write_all(play.input.as_bytes());
    drop(input);
    child.wait_with_output().expect("it ends").into()
}

fn own_folder(file: &Path, files: &BTreeMap<String, String>) -> PathBuf {
    let name = file.file_stem().expect("an example has a name");
    let folder = scratch("played").join(name);
    // Of an earlier run.
    let _ = std::fs::remove_dir_all(&folder);
    for (path, text) in files {
        let path = folder.join(path);
        let around = path.parent().expect("it is in the folder");
        std::fs::create_dir_all(around).expect("scratch can be written");
        std::fs::write(path, text).expect("scratch can be written");
    }
    folder
}

/// The folders of programs, those of the play first.
fn path_with(file: &Path, programs: &BTreeMap<String, String>) -> OsString {
    let name = file.file_stem().expect("an example has a name");
    let folder = scratch("played_programs").join(name);
    std::fs::create_dir_all(&folder).expect("scratch can be written");
    for (program, text) in programs {
        let path = folder.join(program);
        std::fs::write(&path, text).expect("scratch can be written");
        let all = Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, all).expect("it was written");
    }
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = [folder].into_iter().chain(std::env::split_paths(&others));
    std::env::join_paths(all).expect("they were split")
}

/// A proxy that is all of the web; its address.
fn web_of(pages: &BTreeMap<String, String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let pages = pages.clone();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            // A client may leave at any time.
            let _ = serve(client, &pages);
        }
    });
    format!("http://{address}")
}

fn serve(mut client: TcpStream, pages: &BTreeMap<String, String>) -> std::io::Result<()> {
    let mut lines = BufReader::new(client.try_clone()?).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    while lines.next().transpose()?.is_some_and(|it| !it.is_empty()) {}
    let page = first.split(' ').nth(1).and_then(|it| pages.get(it));
    let (status, text) = page.map_or(("404 Not Found", ""), |it| ("200 OK", it));
    let length = text.len();
    write!(
        client,
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    )
}

fn plans() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("examples/trees")).expect("the trees are there");
    let mut plans: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    plans.sort();
    plans
}
