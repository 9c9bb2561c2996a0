//! Skills: folders of instructions that become part of a program, and that its models read stage by stage.

use std::fs;
use std::path::{Path, PathBuf};

use fake_provider::Script;
use serde_json::{Value, json};

use crate::introspection::{answers, done, turn};
use crate::program::{GSWC, gswc, run as run_file, scratch, text};
use crate::wire::{run, with_provider};

const PROGRAM: &str = r#"
tool look(at: string) -> string reads { "seen ${at}" }
tool pay(sum: int) -> string reads { "paid ${sum}" }
agent writer { model: "anthropic/claude-sonnet-5-5"   tools: [look, pay]   skills: ["./skills"] }
prompt notes() -> string by writer { user "Write." }
prompt bare() -> string by writer { user "Bare."   skills: [] }
workflow main() -> string { notes() }
workflow without() -> string { bare() }
workflow one() -> string { notes() with { skills: ["./skills/triage"] } }
"#;

/// A program with two skills, in a folder of its own.
fn program(name: &str) -> PathBuf {
    let folder = scratch("skills").join(name);
    let _ = fs::remove_dir_all(&folder);
    let write = |path: &str, text: &[u8]| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("made");
        fs::write(path, text).expect("the target folder can be written");
    };
    write("main.gsw", PROGRAM.as_bytes());
    let notes = "---\nname: notes\ndescription: Writes notes: short ones.\nallowed-tools: look\n---\n\nBe short.\n";
    write("skills/notes/SKILL.md", notes.as_bytes());
    write("skills/notes/references/style.md", b"Present tense.\n");
    write("skills/notes/logo.png", b"\xff\xfe\x00");
    write("skills/notes/.hidden", b"no");
    write(
        "skills/triage/SKILL.md",
        b"---\nname: triage\ndescription: Sorts.\n---\nSort.\n",
    );
    write("secret.txt", b"MARKER");
    folder.join("main.gsw")
}

fn tool<'a>(request: &'a Value, name: &str) -> Option<&'a Value> {
    let tools = request["tools"].as_array()?;
    tools.iter().find(|it| it["name"] == name)
}

/// The requests to a model, and the events of the run.
struct Played {
    asked: Vec<Value>,
    told: Vec<Vec<(bool, String)>>,
    /// Skill and stage of each event.
    stages: Vec<String>,
}

/// Runs the program with a model that makes these calls turn by turn.
fn play(name: &str, turns: &[&[(&str, Value)]]) -> Played {
    let file = program(name);
    let events = file.with_file_name("events.jsonl");
    let mut replies: Vec<_> = turns.iter().map(|it| turn(it)).collect();
    replies.push(done());
    let words = ["main", "--quiet", "--events", text(&events)];
    let (said, asked) = with_provider(Script { replies }, |url| run(&file, url, &words));
    assert_eq!(said.out, "\"done\"\n", "{said:?}");
    let events = fs::read_to_string(events).expect("they are written");
    let events = events
        .lines()
        .map(|it| serde_json::from_str::<Value>(it).expect("events are JSON"));
    let stages = events.filter(|it| it["event"] == "skill");
    Played {
        told: asked[1..].iter().map(answers).collect(),
        stages: stages
            .map(|it| format!("{} {}", it["skill"], it["stage"]).replace('"', ""))
            .collect(),
        asked,
    }
}

fn assert_refused(told: &(bool, String), part: &str) {
    assert!(told.0 && told.1.contains(part), "{told:?}");
}

fn activate(skill: &str) -> (&'static str, Value) {
    ("activate_skill", json!({ "name": skill }))
}

// G29, G20
#[test]
fn a_model_is_told_of_skills_and_reads_them_stage_by_stage() {
    let read = |path: &str| ("read_skill_file", json!({ "name": "notes", "path": path }));
    let files = [
        "./references/style.md",
        "logo.png",
        "../../secret.txt",
        ".hidden",
    ]
    .map(read);
    let played = play(
        "stages",
        &[&[activate("nothing")], &[activate("notes")], &files],
    );
    // First only what they are for, and only their names can be chosen.
    let offered = tool(&played.asked[0], "activate_skill").expect("it is offered");
    let described = offered["description"].as_str().unwrap_or_default();
    assert!(
        described.ends_with("- `notes`: Writes notes: short ones.\n- `triage`: Sorts."),
        "{described}"
    );
    let names = &offered["input_schema"]["properties"]["name"]["enum"];
    assert_eq!(*names, json!(["notes", "triage"]));
    let told = &played.told;
    assert_refused(
        &told[0][0],
        "there is no skill `nothing` here; there is `notes`, `triage`",
    );
    let instructions =
        "Be short.\n\nFiles of this skill:\n- logo.png (no text)\n- references/style.md (15 bytes)";
    assert_eq!(told[1][0], (false, instructions.to_owned()));
    assert_eq!(told[2][0], (false, "Present tense.\n".to_owned()));
    assert_refused(&told[2][1], "is no text");
    assert_refused(&told[2][2], "has no file `../../secret.txt`");
    assert_refused(&told[2][3], "has no file `.hidden`");
    let sent: String = played.asked.iter().map(Value::to_string).collect();
    assert!(!sent.contains("MARKER"));
    let stages = [
        "notes offered",
        "triage offered",
        "nothing refused",
        "notes activated",
        "notes read",
        "notes refused",
        "notes refused",
        "notes refused",
    ];
    assert_eq!(played.stages, stages);
}

// G29
#[test]
fn a_model_that_follows_a_skill_calls_only_what_it_allows() {
    let pay = |sum: u32| ("pay", json!({ "sum": sum }));
    let look = ("look", json!({ "at": "log" }));
    let told = play(
        "allowed",
        &[
            &[pay(1), activate("nothing")],
            &[pay(2), activate("notes")],
            &[pay(3), look],
            &[activate("triage")],
            &[pay(4)],
        ],
    )
    .told;
    // Before a skill is followed, all tools may be called, and in the turn that activates it.
    assert_eq!(told[0][0], (false, "paid 1".to_owned()));
    assert_eq!(told[1][0], (false, "paid 2".to_owned()));
    assert_refused(
        &told[2][0],
        "not run: `notes` allows no tool `pay`, only `look`",
    );
    assert_eq!(told[2][1], (false, "seen log".to_owned()));
    // The second one allows all, so following both does.
    assert_eq!(told[4][0], (false, "paid 4".to_owned()));
}

/// Who has read the instructions follows them, by whichever tool and under whichever name.
#[test]
fn instructions_that_are_read_as_a_file_are_followed_too() {
    let pay = ("pay", json!({ "sum": 1 }));
    for path in ["SKILL.md", "./SKILL.md", ""] {
        let read = ("read_skill_file", json!({ "name": "notes", "path": path }));
        let played = play("as_a_file", &[&[read], std::slice::from_ref(&pay)]);
        assert!(!played.told[0][0].0, "{:?}", played.told);
        assert_refused(&played.told[1][0], "not run: `notes` allows no tool `pay`");
        assert!(
            played.stages.contains(&"notes activated".to_owned()),
            "{:?}",
            played.stages
        );
    }
}

#[test]
fn each_name_of_the_tool_that_activates_a_skill_counts() {
    let pay = ("pay", json!({ "sum": 1 }));
    for name in ["act", "begin"] {
        let file = program("aliases");
        let source = PROGRAM.replace(
            "tools: [look, pay]",
            "tools: [look, pay, skill.activate_skill as act, skill.activate_skill as begin]",
        );
        fs::write(&file, format!("import std/skill\n{source}")).expect("it can be written");
        let calls = (name, json!({ "name": "notes" }));
        let replies = vec![turn(&[calls]), turn(std::slice::from_ref(&pay)), done()];
        let (said, asked) = with_provider(Script { replies }, |url| run(&file, url, &["main"]));
        assert_eq!(said.out, "\"done\"\n", "{said:?}");
        assert_refused(&answers(&asked[2])[0], "`notes` allows no tool `pay`");
    }
}

// G22
#[test]
fn a_prompt_and_a_call_say_themselves_which_skills_there_are() {
    let file = program("levels");
    for (workflow, names) in [("without", json!(null)), ("one", json!(["triage"]))] {
        let replies = vec![done()];
        let words = [workflow, "--quiet"];
        let (said, asked) = with_provider(Script { replies }, |url| run(&file, url, &words));
        assert_eq!(said.code, Some(0), "{said:?}");
        let offered = tool(&asked[0], "activate_skill");
        let schema = offered.map_or(&Value::Null, |it| {
            &it["input_schema"]["properties"]["name"]["enum"]
        });
        assert_eq!(*schema, names, "{workflow}");
    }
}

/// Runs a built program with a scripted model and a cache, and says how often the model was asked.
fn asked_times(built: &Path, cache: &Path) -> usize {
    let replies = vec![done()];
    let words = ["main", "--quiet", "--cache", text(cache)];
    let (said, asked) = with_provider(Script { replies }, |url| {
        let output = std::process::Command::new(built)
            .args(words)
            .env("ANTHROPIC_API_KEY", "key-of-tests")
            .env("ANTHROPIC_BASE_URL", url)
            .env_remove("GSW_MODEL")
            .stdin(std::process::Stdio::null())
            .output();
        crate::program::Said::from(output.expect("it can be started"))
    });
    assert_eq!(said.out, "\"done\"\n", "{said:?}");
    asked.len()
}

// G37, G29
#[test]
fn a_program_carries_its_skills_and_keeps_answers_by_what_they_hold() {
    let file = program("carried");
    let source = fs::read_to_string(&file).expect("it was just written");
    fs::write(
        &file,
        source.replace("user \"Write.\"", "user \"Write.\"   cache: true"),
    )
    .expect("written");
    let folder = file.with_file_name("skills");
    let (built, cache) = (file.with_file_name("built"), file.with_file_name("cache"));
    let build = || {
        let said = gswc(&["build", text(&file), "-o", text(&built)]);
        assert_eq!(said.code, Some(0), "{said:?}");
    };
    build();
    let before = file.with_file_name("before");
    fs::copy(&built, &before).expect("it can be copied");
    assert_eq!(asked_times(&built, &cache), 1);
    // What a built program needs is in it.
    let hidden = file.with_file_name("hidden");
    fs::rename(&folder, &hidden).expect("it can be moved");
    assert_eq!(asked_times(&built, &cache), 0);
    let said = gswc(&["check", text(&file)]);
    assert!(
        said.err
            .contains("error[bad-skill]: `./skills` is not a skill"),
        "{said:?}"
    );
    fs::rename(&hidden, &folder).expect("it can be moved");
    // A word in a file that only the model reads makes other answers.
    fs::write(folder.join("notes/references/style.md"), "Past tense.\n").expect("written");
    build();
    assert_eq!(asked_times(&built, &cache), 1);
    assert_eq!(asked_times(&before, &cache), 0);
    // The sources that a program carries hold the skills too.
    let said = run_file(Path::new(GSWC), &["compat", text(&before), text(&built)]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains("prompt `notes` asks for something else"),
        "{said:?}"
    );
    let said = run_file(Path::new(GSWC), &["compat", text(&built), text(&file)]);
    assert_eq!(said.code, Some(0), "{said:?}");
    fs::remove_file(&built).expect("it was built");
    fs::remove_file(&before).expect("it was copied");
}
