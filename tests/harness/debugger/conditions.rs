//! Breakpoints that ask something first, log points, and what a launch gives: an environment, answers of a person.

use serde_json::json;

use super::{Editor, SUM, at, folder, program};
use crate::program::text;

#[test]
fn a_breakpoint_has_a_condition_and_a_hit_count() {
    let file = program("conditions", SUM);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file)}));
    let source = json!({"path": text(&file)});
    let set = editor.told(
        "setBreakpoints",
        json!({"source": source, "breakpoints": [
            {"line": 6, "condition": "line.price > 3"},
            {"line": 8, "condition": "sum >"},
            {"line": 16, "hitCondition": "never"},
        ]}),
    );
    let set = &set["breakpoints"];
    assert_eq!(set[0]["verified"], true, "{set:#}");
    for wrong in [1, 2] {
        assert_eq!(set[wrong]["verified"], false, "{set:#}");
        assert!(set[wrong]["message"].is_string(), "{set:#}");
    }
    editor.begin();
    assert_eq!(editor.stopped(), at("breakpoint", "main.total", 6));
    assert_eq!(editor.evaluate("line.title + \"!\""), "\"b!\"");
    assert_eq!(editor.evaluate("sum + line.price"), "7");
    // The way back asks the same.
    let lines = |second: &str| {
        json!({"source": source, "breakpoints": [
            {"line": 6, "hitCondition": second}, {"line": 15},
        ]})
    };
    editor.told("setBreakpoints", lines("2"));
    assert_eq!(editor.goes("continue"), at("breakpoint", "main.main", 15));
    assert_eq!(
        editor.goes("reverseContinue"),
        at("breakpoint", "main.total", 6)
    );
    assert_eq!(editor.evaluate("sum"), "3");
    editor.leave();
}

#[test]
fn a_condition_that_cannot_be_evaluated_stops_and_says_why() {
    let file = program("unclear", SUM);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file)}));
    editor.told(
        "setFunctionBreakpoints",
        json!({"breakpoints": [{"name": "total", "condition": "nobody > 1"}]}),
    );
    editor.begin();
    let stopped = editor.event("stopped");
    assert_eq!(
        stopped["text"],
        "the condition cannot be evaluated: no `nobody` is in scope"
    );
    let variant = editor.ask("evaluate", json!({"expression": "lines[0].title == Paid"}));
    let said = variant["message"].as_str().unwrap_or_default();
    assert!(
        said.contains("a variant is its name: `\"Paid\"`"),
        "{variant:#}"
    );
    editor.leave();
}

#[test]
fn breakpoints_at_one_place_are_all_asked() {
    let file = program("together", SUM);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file)}));
    let names = json!({"breakpoints": [
        {"name": "total", "condition": "lines[0].price > 9"},
        {"name": "add *", "condition": "lines[0].price > 9"},
        {"name": "add up", "hitCondition": "1"},
    ]});
    editor.told("setFunctionBreakpoints", names);
    editor.lines(&file, &[4]);
    editor.begin();
    let step = editor.event("stopped");
    assert_eq!(step["text"], "step `add up` begins");
    assert_eq!(editor.goes("continue"), at("breakpoint", "main.total", 4));
    editor.leave();
    // The function is what is stopped at where its first line is as well.
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file)}));
    let names = json!({"breakpoints": [{"name": "to*", "hitCondition": "2"}, {"name": "total"}]});
    editor.told("setFunctionBreakpoints", names);
    editor.lines(&file, &[4]);
    editor.begin();
    assert_eq!(editor.event("stopped")["text"], "`total` begins");
    editor.leave();
}

#[test]
fn a_log_point_writes_and_does_not_stop() {
    let file = program("log-points", SUM);
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file)}));
    editor.told(
        "setBreakpoints",
        json!({"source": {"path": text(&file)}, "breakpoints": [
            {"line": 6, "logMessage": "{line.title}: {sum + line.price}"},
        ]}),
    );
    editor.begin();
    editor.event("terminated");
    let logged = editor.output("console");
    assert!(logged.contains("a: 3\nb: 7\n"), "{logged}");
    editor.leave();
}

#[test]
fn a_launch_has_environment_variables() {
    let file = program(
        "environment",
        "import std/env\npermissions { env: [\"GREETING\", \"GSW_STORE\"] }\n\
         workflow main() -> string {\n  \"${env.get(\"GREETING\") ?? \"none\"}, ${env.get(\"GSW_STORE\") ?? \"none\"}\"\n}\n",
    );
    let mut editor = Editor::new(folder(&file));
    let wrong = json!({"program": text(&file), "env": {"GREETING": 3}});
    let wrong = editor.ask("launch", wrong);
    assert_eq!(wrong["success"], false, "{wrong:#}");
    editor.launch(json!({
        "program": text(&file),
        "env": {"GREETING": "good day", "GSW_STORE": null},
    }));
    editor.lines(&file, &[4]);
    editor.begin();
    assert_eq!(editor.stopped(), at("breakpoint", "main.main", 4));
    editor.told("continue", json!({"threadId": 1}));
    editor.event("terminated");
    assert_eq!(editor.output("stdout"), "\"good day, none\"\n");
    editor.leave();
}

#[test]
fn a_question_is_answered_in_the_debug_console() {
    let file = program(
        "questions",
        "human many(of: string) -> int { user \"How many ${of}?\" }\n\
         workflow main() -> int {\n  let n = many(\"apples\")\n  n + 1\n}\n",
    );
    let mut editor = Editor::new(folder(&file));
    editor.launch(json!({"program": text(&file)}));
    editor.lines(&file, &[4]);
    editor.begin();
    while !editor.output("console").contains("How many apples?") {
        let message = editor.next();
        editor.events.push(message);
    }
    let typed = |text: &str| json!({"expression": text, "context": "repl"});
    let wrong = editor.ask("evaluate", typed("a few"));
    assert_eq!(wrong["success"], false, "{wrong:#}");
    let watched = editor.ask("evaluate", json!({"expression": "4", "context": "watch"}));
    assert_eq!(watched["success"], false, "a watch is no answer");
    editor.told("evaluate", typed("4"));
    assert_eq!(editor.stopped(), at("breakpoint", "main.main", 4));
    assert_eq!(editor.evaluate("n"), "4");
    editor.leave();
}
