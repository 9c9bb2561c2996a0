//! How large operations are, and that they read back.

use gsw_abi::site::{NodePath, Site};
use gsw_tree::class::Class;

use super::{Failure, Operation, OperationId, Outcome, Passing, Request};
use crate::node::NodeId;

#[test]
fn an_operation_is_small() {
    // A turn may ask for thousands of them.
    assert!(size_of::<Operation>() <= 136, "{}", size_of::<Operation>());
}

#[test]
fn operations_and_outcomes_read_back() {
    let operation = Operation {
        id: OperationId(3),
        node: NodeId(1),
        site: Site {
            path: NodePath::ROOT,
            occurrence: 2,
        },
        class: Class::Pure,
        due: None,
        within: None,
        passing: Passing::Always,
        request: Request::RandomInt {
            low: i64::MIN,
            high: i64::MAX,
        },
    };
    let text = serde_json::to_string(&operation).expect("operations are JSON");
    assert_eq!(
        serde_json::from_str::<Operation>(&text).expect("it reads back"),
        operation
    );
    let failure = Failure::Io {
        path: None,
        message: "no".into(),
    };
    for outcome in [
        Outcome::Float(0.1),
        Outcome::Time(i64::MAX),
        Outcome::Failed(failure),
        Outcome::Done,
    ] {
        let text = serde_json::to_string(&outcome).expect("outcomes are JSON");
        assert_eq!(
            serde_json::from_str::<Outcome>(&text).expect("it reads back"),
            outcome
        );
    }
}
