//! The guide, followed literally: its files are written, its commands are run in a fresh folder, and it says what they say.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{root, scratch};

/// A block of a page with the line of text before it.
struct Block {
    before: String,
    kind: String,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut before = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            if !line.trim().is_empty() {
                line.clone_into(&mut before);
            }
            continue;
        };
        let text = lines.by_ref().take_while(|line| !line.starts_with("```"));
        found.push(Block {
            before: std::mem::take(&mut before),
            kind: kind.to_owned(),
            text: text.flat_map(|line| [line, "\n"]).collect(),
        });
    }
    found
}

/// The file that a block is to be put into: the last one that the line before it names.
fn target(block: &Block) -> &str {
    let named = block.before.rsplit('`').nth(1);
    named.unwrap_or_else(|| panic!("no file is named before {}", block.text))
}

/// Runs lines of a shell in `folder` and gives what they print and the folder that they end in.
fn shell(folder: &Path, lines: &str) -> (String, String) {
    let compiler = Path::new(env!("CARGO_BIN_EXE_gswc"));
    let path = format!(
        "{}:{}",
        compiler.parent().unwrap_or(compiler).display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let said = Command::new("bash")
        .args(["-euc", &format!("{lines}pwd >&2")])
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("PATH", path)
        .env_remove("ANTHROPIC_API_KEY")
        .env_remove("OPENAI_API_KEY")
        .env_remove("GSW_MODEL")
        .output()
        .expect("bash is here");
    let err = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.status.success(), "{lines}{err}");
    let out = String::from_utf8_lossy(&said.stdout).into_owned();
    (out, err.lines().last().unwrap_or_default().to_owned())
}

/// The text without how long tests took.
fn timeless(text: &str) -> String {
    let lines = text.lines().map(|it| match it.split_once(" failed in ") {
        Some((before, _)) => format!("{before} failed\n"),
        None => format!("{it}\n"),
    });
    lines.collect()
}

#[test]
fn the_guide_can_be_followed_to_the_letter() {
    let page = fs::read_to_string(root().join("docs/guide/first-steps.md")).expect("it is there");
    let mut folder = scratch("guide").join("fresh");
    // What an earlier run left is in the way.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    let mut said = String::new();
    let mut commands = 0;
    for block in blocks(&page) {
        match block.kind.as_str() {
            "sh" => {
                let (out, end) = shell(&folder, &block.text);
                said = out;
                folder = end.into();
                commands += 1;
            }
            "output" => assert_eq!(timeless(&said), timeless(&block.text)),
            "gsw" | "toml" => {
                fs::write(folder.join(target(&block)), &block.text)
                    .expect("the target folder can be written");
            }
            _ => {}
        }
    }
    assert!(commands > 5, "only {commands} blocks were run");
}
