//! What the tree says of nodes.

use gsw_abi::call::NodeKind;

use super::{NewNode, Node, NodeId, Status, Tree};

fn enter(tree: &mut Tree, parent: NodeId, kind: NodeKind, name: &str) -> NodeId {
    tree.enter(
        NewNode {
            parent,
            kind,
            name,
            index: None,
            status: Status::Running,
            input: None,
        },
        0,
    )
}

#[test]
fn a_node_is_small() {
    assert!(size_of::<Node>() <= 176, "{}", size_of::<Node>());
    assert!(size_of::<Node>() <= Node::CHARGE);
}

#[test]
fn identity_counts_names_under_one_parent() {
    let mut tree = Tree::default();
    let root = enter(&mut tree, NodeId::NONE, NodeKind::Region, "run");
    let main = enter(&mut tree, root, NodeKind::Workflow, "main");
    enter(&mut tree, main, NodeKind::Step, "a");
    let second = enter(&mut tree, main, NodeKind::Step, "a");
    let other = enter(&mut tree, main, NodeKind::Step, "b");
    assert_eq!(tree.path(second), "main > a#2");
    assert_eq!(tree.path(other), "main > b");
    let attempt = enter(&mut tree, second, NodeKind::Attempt, "");
    assert_eq!(tree.path(attempt), "main > a#2 > attempt 1");
    assert_eq!(tree.children(main).count(), 3);
    let renamed = NewNode {
        parent: main,
        kind: NodeKind::Step,
        name: "c",
        index: None,
        status: Status::Running,
        input: None,
    };
    let renamed = tree.enter_as(renamed, "a", 0);
    let third = enter(&mut tree, main, NodeKind::Step, "a");
    assert_eq!(
        (tree.path(renamed), tree.node(third).index),
        ("main > c#3".into(), 3)
    );
    assert!(tree.finish(second, Status::Completed, None, 5));
    assert!(!tree.finish(second, Status::Failed, None, 6));
}

#[test]
fn old_outputs_are_forgotten_beyond_the_cap() {
    let mut tree = Tree::default();
    let root = enter(&mut tree, NodeId::NONE, NodeKind::Region, "run");
    let text: std::sync::Arc<str> = "x".repeat(30 << 20).into();
    let steps: Vec<_> = (0..3)
        .map(|_| {
            let step = enter(&mut tree, root, NodeKind::Step, "s");
            tree.finish(step, Status::Completed, Some(text.clone()), 1);
            step
        })
        .collect();
    assert!(tree.node(steps[0]).is_evicted);
    assert!(tree.node(steps[2]).output.is_some());
}
