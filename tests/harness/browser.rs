//! The page of `gswc trace --html` in a real browser: what is drawn, what clicks and keys do, and that nothing in a trace is run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{gswc, scratch, text};
use crate::webdriver::Browser;

/// A file of events with so many steps, some of which failed, under names that try to get out of the page.
fn events(steps: u32) -> PathBuf {
    let hostile = "</script><img src=x onerror=\"document.title='broken'\">'\"`${1}\n<!--";
    let mut out =
        json!({ "format": "groundswell-events", "version": 1, "program": hostile, "image": "" })
            .to_string();
    let mut sequence = 0;
    let mut tell = |node: u32, at: u32, kind: &str, fields: Value| {
        let time = format!(
            "2026-01-01T{:02}:{:02}:{:02}Z",
            at / 3_600,
            at / 60 % 60,
            at % 60
        );
        let mut event =
            json!({ "sequence": sequence, "time": time, "run": "r", "node": node, "event": kind });
        let all = event.as_object_mut().expect("it is an object");
        all.extend(fields.as_object().cloned().unwrap_or_default());
        sequence += 1;
        let _ = write!(out, "\n{event}");
    };
    let attach = |parent: u32, kind: &str, name: &str| json!({ "parent": parent, "kind": kind, "name": name, "index": 0, "status": "running", "input": { "text": hostile } });
    tell(1, 0, "child_attached", attach(0, "workflow", "main"));
    tell(2, 0, "child_attached", attach(1, "step", hostile));
    let log = json!({ "level": "info", "message": hostile, "data": { hostile: hostile } });
    tell(2, 0, "log", log);
    let end = json!({ "step": hostile, "status": "completed", "duration": 1.0, "output": "x".repeat(10 << 20) });
    tell(2, 1, "step_end", end);
    for step in 0..steps {
        let name = format!("step {step}");
        let fields = attach(parent_of(step), "step", &name);
        tell(step + 3, step, "child_attached", fields);
    }
    for step in (0..steps).rev() {
        let status = if step == 5_555 { "failed" } else { "completed" };
        tell(
            step + 3,
            steps + 1,
            "step_end",
            json!({ "step": "", "status": status, "duration": 1.0 }),
        );
    }
    tell(
        1,
        steps + 2,
        "workflow_end",
        json!({ "workflow": "main", "status": "completed", "duration": 1.0 }),
    );
    out.push('\n');
    let file = scratch("browser").join("events.jsonl");
    std::fs::write(&file, out).expect("the target folder can be written");
    file
}

/// Every tenth step holds the nine behind it.
fn parent_of(step: u32) -> u32 {
    match step % 10 {
        0 => 1,
        behind => step - behind + 3,
    }
}

fn page(file: &Path) -> PathBuf {
    let page = file.with_extension("html");
    let said = gswc(&["trace", text(file), "--html", text(&page)]);
    assert_eq!(
        (said.code, said.err),
        (Some(0), format!("wrote {}\n", page.display()))
    );
    page
}

#[test]
fn a_page_of_ten_thousand_nodes_can_be_used() {
    let page = page(&events(10_000));
    let html = std::fs::read_to_string(&page).expect("it was written");
    for outside in ["http://", "https://", "src=\"", "@import", "url("] {
        let own = html
            .split("<script type=\"application/json\"")
            .next()
            .unwrap_or_default();
        assert!(
            !own.contains(outside),
            "the page asks for something outside: {outside}"
        );
    }
    let Some(browser) = Browser::start() else {
        return;
    };
    let start = Instant::now();
    browser.open(&page);
    assert_eq!(
        browser.run("return document.querySelectorAll('.row.chosen').length"),
        1
    );
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "the page took {:?}",
        start.elapsed()
    );
    assert_eq!(browser.text("#figures div:nth-child(2) dd"), "10,002");
    let rows = browser.run("return document.querySelectorAll('.row').length");
    assert!(
        rows.as_u64().is_some_and(|it| it < 100),
        "{rows} rows are elements"
    );
    assert_eq!(browser.text(".row .text"), "main");

    a_click_shows_a_node(&browser);
    keys_move(&browser);
    a_search_finds(&browser);
    assert_ne!(browser.run("return document.title"), "broken");
    assert_eq!(
        browser.run("return document.querySelectorAll('img').length"),
        0
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

fn a_click_shows_a_node(browser: &Browser) {
    browser.click(".row:nth-child(2)");
    let heading = browser.text("#detail h2");
    assert!(heading.starts_with("</script><img src=x"), "{heading}");
    assert!(
        browser.text("#detail").contains("Show all 10.5 MB"),
        "a long value is cut"
    );
    browser.click("#detail .more");
    assert_eq!(browser.run("return [...document.querySelectorAll('#detail pre')].some(it => it.textContent.length === 10 << 20)"), true);
    browser.click("#detail .path button");
    assert_eq!(browser.text("#detail h2"), "main");
}

fn keys_move(browser: &Browser) {
    browser.click(".row:first-child");
    browser.press("ArrowDown");
    browser.press("ArrowDown");
    assert_eq!(browser.text("#detail h2"), "step 0");
    browser.press("e");
    assert_eq!(browser.text("#detail h2"), "step 5555");
    assert_eq!(
        browser.text(".row.chosen .text"),
        "step 5555",
        "it was opened and brought into view"
    );
    browser.press("End");
    browser.press("Home");
    assert_eq!(browser.text("#detail h2"), "main");
    let theme = browser.run("return document.documentElement.dataset.theme");
    browser.press("t");
    assert_ne!(
        browser.run("return document.documentElement.dataset.theme"),
        theme
    );
}

fn a_search_finds(browser: &Browser) {
    browser.press("/");
    browser.write("#query", "STEP 9999");
    browser.wait_for("#found", "1 found");
    assert_eq!(browser.text("#detail h2"), "step 9999");
    assert_eq!(browser.text(".row mark"), "step 9999");
    browser.press("Escape");
    browser.wait_for("#found", "");
    browser.click("#statuses button[data-value=failed]");
    browser.wait_for("#found", "1 found");
    browser.press("Escape");
}

#[test]
fn a_damaged_file_says_so_on_its_page() {
    let file = events(20);
    let whole = std::fs::read(&file).expect("it was written");
    let cut = scratch("browser").join("cut.jsonl");
    std::fs::write(&cut, &whole[..whole.len() - 30]).expect("the target folder can be written");
    let page = cut.with_extension("html");
    assert_eq!(
        gswc(&["trace", text(&cut), "--html", text(&page)]).code,
        Some(0)
    );
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&page);
    let missing = browser.text("#missing");
    assert!(
        missing.contains("the file ends in the middle of an event"),
        "{missing}"
    );
    assert_eq!(browser.text("#outcome"), "◐ running");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
