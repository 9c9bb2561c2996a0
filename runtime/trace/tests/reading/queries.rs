//! What a tree answers, and how it reads.

use gsw_trace::{Filter, Keep, Node, Tree};
use gsw_tree::node::{NodeId, Status};
use serde_json::json;

use crate::story::{Story, review};

#[test]
fn the_text_of_a_tree() {
    // G14, G15
    let trace = review().read();
    let tree = &trace.runs[0];
    assert_eq!(
        gsw_trace::tree_text(tree),
        "\
✗ main [failed] workflow · 2.00 s · 1,200 + 96 tokens · $0.0042
├── ✓ list [completed] step · 2 ms
└── ✗ parallel [failed] parallel · 2.00 s · 1,200 + 96 tokens · $0.0042
    └── ✗ iteration[0] [failed] iteration · 2.00 s · 1,200 + 96 tokens · $0.0042
        └── ✗ review \"a\"/b [failed] step · 2.00 s · 1,200 + 96 tokens · $0.0042 · 2 attempts · Failed: no
            └── ✓ find_bugs [completed] prompt · 900 ms · 1,200 + 96 tokens · $0.0042 · sim/default
"
    );
    assert_eq!(
        gsw_trace::statistics(tree),
        "6 nodes: 2 completed, 4 failed · 3 logs · 19 events · 1 request · 1,200 + 96 tokens · $0.0042 · 2.00 s"
    );
    assert_eq!(
        gsw_trace::logs(tree),
        "22:13:20.002 info  review \"a\"/b: begun\n22:13:22.002 warn  review \"a\"/b: again\n22:13:22.002 error main: over\n"
    );
    assert_eq!(trace.gaps.sentences(), Vec::<String>::new());
}

#[test]
fn a_tree_answers_questions() {
    // G19
    let trace = review().read();
    let tree = &trace.runs[0];
    let ids = |nodes: &mut dyn Iterator<Item = &Node>| nodes.map(|it| it.id.0).collect::<Vec<_>>();
    assert_eq!(tree.root().id, NodeId::ROOT);
    assert_eq!(ids(&mut tree.children(NodeId(1))), [2, 3]);
    assert_eq!(ids(&mut tree.ancestors(NodeId(6))), [5, 4, 3, 1, 0]);
    assert_eq!(ids(&mut tree.walk()), [1, 2, 3, 4, 5, 6]);
    let path = "main > parallel > iteration[0] > review \"a\"/b > find_bugs";
    assert_eq!(tree.path(NodeId(6)), path);
    assert_eq!(tree.find(path).map(|it| it.id), Some(NodeId(6)));
    assert_eq!(tree.find("main > nothing").map(|it| it.id), None);
    assert_eq!((tree.outcome(), tree.totals().failed), (Status::Failed, 4));
    let json = serde_json::json!(gsw_trace::json::run(tree));
    assert_eq!(json["nodes"][5]["parent"], 5);
    assert_eq!(json["nodes"][5]["spent"]["usage"]["input_tokens"], 1_200);
}

#[test]
fn one_node_with_everything_in_it() {
    let trace = review().read();
    let tree = &trace.runs[0];
    let node = tree.get(NodeId(5)).expect("it is there");
    let text = gsw_trace::detail(tree, node);
    for part in [
        "2 attempts",
        "\"n\": 5",
        "Failed: no",
        "+900 ms step_retry",
        "analysis: may help",
        "message: again",
        "find_bugs [completed]",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn filters_hold_together() {
    let trace = review().read();
    let tree = &trace.runs[0];
    let spent = tree.spent_below();
    let found = |filter: Filter| -> Vec<u32> {
        let takes = |it: &&Node| filter.takes(it, &spent[&it.id]);
        tree.walk().filter(takes).map(|it| it.id.0).collect()
    };
    let none = Filter::default;
    assert_eq!(
        found(Filter {
            kind: Some("step".into()),
            ..none()
        }),
        [2, 5]
    );
    assert_eq!(
        found(Filter {
            status: Some(Status::Completed),
            ..none()
        }),
        [2, 6]
    );
    assert_eq!(
        found(Filter {
            name: Some("REVIEW".into()),
            ..none()
        }),
        [5]
    );
    assert_eq!(
        found(Filter {
            longer: Some(1_000_000_000),
            kind: Some("step".into()),
            ..none()
        }),
        [5]
    );
    assert_eq!(
        found(Filter {
            costlier: Some(0.004),
            kind: Some("prompt".into()),
            ..none()
        }),
        [6]
    );
    assert_eq!(
        found(Filter {
            costlier: Some(0.005),
            ..none()
        }),
        [0; 0]
    );
}

#[test]
fn two_runs_differ_by_what_their_nodes_are() {
    let mut other = Story::new();
    other
        .attach(1, 0, "workflow", "main", 0)
        .attach(2, 1, "step", "new first", 0)
        .attach(9, 1, "step", "list", 0)
        .wait(400)
        .end(9, "step_end", "list", "failed")
        .end(1, "workflow_end", "main", "failed");
    let (before, after) = (review().read(), other.read());
    let diff = gsw_trace::diff::diff(&before.runs[0], &after.runs[0]);
    assert_eq!(
        diff.text(),
        "\
- main > parallel (and 3 below)
+ main > new first
~ main
    duration  2.00 s → 400 ms
    cost      $0.0042 → $0
~ main > list
    status    completed → failed
    outcome   {\"of\":2}
            → Failed: no
    duration  2 ms → 400 ms
1 added · 1 removed · 2 changed · 0 alike
"
    );
    let same = gsw_trace::diff::diff(&before.runs[0], &review().read().runs[0]);
    assert_eq!(
        (
            same.alike,
            same.changed.len() + same.added.len() + same.removed.len()
        ),
        (6, 0)
    );
}

#[test]
fn a_chain_ten_thousand_deep_works() {
    // G4
    let mut story = Story::new();
    for node in 1..=10_000 {
        story.attach(node, node - 1, "step", "down", 0);
    }
    let trace = story.read();
    let tree = &trace.runs[0];
    assert_eq!(tree.ancestors(NodeId(10_000)).count(), 10_000);
    assert_eq!(gsw_trace::tree_text(tree).lines().count(), 10_000);
    assert!(serde_json::json!(gsw_trace::json::run(tree))["nodes"][9_999].is_object());
    assert_eq!(gsw_trace::diff::diff(tree, tree).alike, 10_000);
    assert!(gsw_trace::page("deep", &trace).len() > 1_000_000);
}

#[test]
fn what_is_forgotten_is_still_counted() {
    let trace = review().read();
    let mut shape = Tree::new("run-1".into(), Keep::Shape);
    for node in std::iter::once(trace.runs[0].root()).chain(trace.runs[0].walk()) {
        for recorded in &node.recorded {
            if let gsw_trace::What::Known(event) = &recorded.what {
                shape.apply(event);
            }
        }
    }
    assert_eq!(shape.walk().count(), 0, "nothing was attached");
    let mut whole = trace.runs[0].clone();
    let spent = whole.spent_below()[&NodeId(3)];
    whole.forget_below(NodeId(3), 0);
    assert_eq!(whole.spent_below()[&NodeId(3)], spent);
    assert_eq!(whole.get(NodeId(3)).map(|it| it.forgotten), Some(3));
    assert_eq!(whole.totals().nodes, 6);
}

#[test]
fn a_page_holds_names_that_look_like_markup() {
    let mut story = Story::new();
    let name = "</script><script>alert(1)</script><!-- \" ' ` ${x}\n";
    story
        .attach(1, 0, "workflow", name, 0)
        .tell(1, "emit", json!({ "value": name }));
    let page = gsw_trace::page(name, &story.read());
    assert_eq!(
        page.matches("</script>").count(),
        2,
        "one ends the data, one the script"
    );
    assert!(!page.contains("<!--"), "data cannot open a comment");
    assert!(page.contains("<title>&lt;/script&gt;"));
}
