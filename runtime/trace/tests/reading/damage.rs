//! Files that are cut, damaged, foreign or from another version: what can be read is shown, and what is missing is
//! reported.

use gsw_trace::NoTrace;
use proptest::prelude::{ProptestConfig, any, prop, proptest};
use serde_json::json;

use crate::story::{Story, read, review};

fn sentences(bytes: &[u8]) -> Vec<String> {
    read(bytes)
        .expect("it is a file of events")
        .gaps
        .sentences()
}

#[test]
fn a_file_cut_in_the_middle_of_a_line() {
    let text = review().text();
    let cut = &text.as_bytes()[..text.len() - 10];
    assert_eq!(
        sentences(cut),
        [
            "the last line is cut after 160 bytes: the file ends in the middle of an event",
            "the end of 1 node is not in the file"
        ]
    );
    // Cut right before the line break, nothing is missing.
    assert!(sentences(&text.as_bytes()[..text.len() - 1]).is_empty());
}

#[test]
fn a_file_from_a_newer_version() {
    let mut story = Story::new();
    story.lines[0] = json!({ "format": "groundswell-events", "version": 7 }).to_string();
    story
        .attach(1, 0, "workflow", "main", 0)
        .tell(1, "dreamt", json!({ "of": "sheep" }))
        .tell(1, "dreamt", json!({}))
        .tell(1, "log", json!({ "message": ["not", "text"] }))
        .end(1, "workflow_end", "main", "completed");
    let trace = story.read();
    assert_eq!(
        trace.gaps.sentences(),
        [
            "the file has version 7 of the event format, and this program knows version 3: what is new in it is left out",
            "2 events are of the unknown kind `dreamt`",
            "1 event is not as `log` is written here"
        ]
    );
    let node = trace.runs[0].walk().next().expect("main is there");
    let text = gsw_trace::detail(&trace.runs[0], node);
    assert!(text.contains("dreamt\n    of: sheep"), "{text}");
}

#[test]
fn files_that_are_none() {
    assert_eq!(read(b"").err(), Some(NoTrace::Empty));
    for other in [
        "\n",
        "\"done\"\n",
        "{}\n",
        "<html>\n</html>\n",
        "\u{feff}",
        "{\"event\":\"x\"}\n",
    ] {
        assert_eq!(
            read(other.as_bytes()).err(),
            Some(NoTrace::Foreign),
            "{other:?}"
        );
    }
    assert_eq!(read(&[0xff; 5_000]).err(), Some(NoTrace::Foreign));
    let only_header = Story::new();
    assert_eq!(only_header.read().runs.len(), 0);
}

#[test]
fn lost_events_and_lines_that_are_none() {
    let mut story = review();
    story.lines.insert(5, "{\"half\":".into());
    story.lines.remove(8);
    story.lines.remove(8);
    story
        .lines
        .push(json!({ "event": "lost", "count": 12 }).to_string());
    assert_eq!(
        story.read().gaps.sentences(),
        [
            "1 line is no event (line 6)",
            "12 events are missing",
            "the start of 1 node is not in the file; they are shown at the top"
        ]
    );
    // Without its header and its start, a file still shows the rest.
    let mut story = review();
    story.lines.drain(..4);
    assert_eq!(
        story.read().gaps.sentences(),
        [
            "the first line is not the header of a file of events",
            "3 events are missing",
            "the start of 2 nodes is not in the file; they are shown at the top"
        ]
    );
}

#[test]
fn the_result_behind_the_events_is_no_damage() {
    let text = review().text() + "{\"files\": 3}\n";
    let trace = read(text.as_bytes()).expect("it is a file of events");
    assert_eq!(
        (trace.result, trace.gaps.sentences().len()),
        (Some(json!({ "files": 3 })), 0)
    );
}

#[test]
fn events_that_contradict_each_other() {
    let mut story = Story::new();
    story
        .attach(1, 2, "workflow", "a", 0)
        .attach(2, 1, "workflow", "b", 0)
        .attach(3, 3, "step", "itself", 0)
        .attach(0, 1, "step", "the run", 0)
        .attach(1, 0, "step", "again", 0)
        .attach(u32::MAX, 0, "step", "none", 0)
        .end(1, "step_end", "a", "completed")
        .end(1, "step_end", "a", "failed");
    let trace = story.read();
    assert_eq!(trace.gaps.contradictions, 6);
    assert_eq!(trace.runs[0].walk().count(), 2);
}

/// Asks everything that can be asked of what was read.
fn use_all(bytes: &[u8]) {
    let Ok(trace) = read(bytes) else {
        return;
    };
    let mut said = trace.gaps.sentences();
    said.push(serde_json::json!(gsw_trace::json::trace(&trace)).to_string());
    said.push(gsw_trace::page("damaged", &trace));
    for tree in &trace.runs {
        said.push(gsw_trace::tree_text(tree));
        said.push(gsw_trace::statistics(tree));
        said.push(gsw_trace::logs(tree));
        said.push(gsw_trace::diff::diff(tree, tree).text());
        for node in tree.walk() {
            assert_eq!(tree.ancestors(node.id).last().map(|it| it.id.0), Some(0));
            said.push(gsw_trace::detail(tree, node));
        }
        let nodes = tree.walk().count() as u64;
        assert_eq!(tree.totals().nodes, nodes, "every node hangs below the run");
    }
    assert!(
        said.iter().all(|it| !it.contains('\u{1b}')),
        "nothing moves a terminal's cursor"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_damage_makes_it_fall_over(
        cut in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
        digits in prop::collection::vec((any::<prop::sample::Index>(), b'0'..=b'9'), 0..20),
    ) {
        let mut bytes = review().text().into_bytes();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= byte;
        }
        // Digits in place of digits keep the lines whole and make the numbers lie.
        let numbers: Vec<usize> = (0..bytes.len()).filter(|it| bytes[*it].is_ascii_digit()).collect();
        for (at, digit) in digits {
            if !numbers.is_empty() {
                bytes[numbers[at.index(numbers.len())]] = digit;
            }
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        use_all(&bytes);
    }

    #[test]
    fn lines_in_any_order_make_a_tree(order in prop::collection::vec(any::<prop::sample::Index>(), 0..40)) {
        let story = review();
        let lines: Vec<_> = order.iter().map(|it| it.get(&story.lines).clone() + "\n").collect();
        use_all(lines.concat().as_bytes());
    }
}
