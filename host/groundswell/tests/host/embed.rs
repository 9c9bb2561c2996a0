//! Values in and out, errors, settings.

use std::time::{Duration, Instant};

use groundswell::{Error, HostError, NodeId, Program, Span, Status};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{file, image, program};

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Order {
    item: String,
    count: i64,
    price: f64,
    wait: Span,
    note: Option<String>,
}

const SHOP: &str = r#"
type Order { item: string, count: int where it > 0, price: float, wait: duration, note: string? }
error TooMany(limit: int, order: Order)

workflow double(order: Order, limit: int = 10) -> Order {
  state tries: int = 0
  step "check" {
    tries += 1
    if order.count * 2 > limit { fail TooMany(limit, order) }
  }
  Order { count: order.count * 2, ..order }
}
workflow nothing() { }
"#;

fn order(count: i64) -> Order {
    Order {
        item: "pen".into(),
        count,
        price: 1.5,
        wait: Span(90_000_000_000),
        note: None,
    }
}

#[tokio::test]
async fn a_workflow_is_a_typed_async_function() {
    let host = program("typed", SHOP).build().expect("it needs nothing");
    let run = host.start("double", &json!({ "order": order(3) }));
    let doubled: Order = run.expect("it starts").await.expect("it ends");
    assert_eq!(doubled, order(6));
    let run = host.start("nothing", &()).expect("it starts");
    run.await.expect("no value is a value, too")
}

#[tokio::test]
async fn an_error_is_a_value_with_its_fields_and_its_node() {
    #[derive(Deserialize)]
    struct TooMany {
        limit: i64,
        order: Order,
    }
    let host = program("raised", SHOP).build().expect("it needs nothing");
    let input = json!({ "order": order(3), "limit": 5 });
    let run = host.start::<Order>("double", &input).expect("it starts");
    let finished = run.finish().await;
    let error = finished.result.expect_err("six are too many");
    let fields: TooMany = error.raised("TooMany").expect("its fields fit");
    assert_eq!((fields.limit, fields.order), (5, order(3)));
    let Error::Raised(raised) = &error else {
        panic!("{error}")
    };
    assert_eq!(raised.path, "double > check");
    assert_eq!(raised.trace[0].line, 9);
    assert_eq!(error.to_json()["fields"]["limit"], 5);
    // G5, G19: the tree is there afterwards.
    let tree = finished.tree;
    let double = tree.children(NodeId::ROOT).next().expect("it ran");
    assert_eq!(tree.node(double).status, Status::Failed);
    assert_eq!(&**tree.name(double), "double");
}

#[tokio::test]
async fn input_that_does_not_fit_is_reported_with_its_path() {
    let host = program("input", SHOP).build().expect("it needs nothing");
    let input = json!({ "order": order(0), "width": 1 });
    let run = host.start::<Order>("double", &input).expect("it starts");
    let Err(Error::InvalidInput(issues)) = run.await else {
        panic!("no pen can be ordered")
    };
    let paths: Vec<&str> = issues.iter().map(|it| it.path.as_str()).collect();
    assert!(paths.contains(&"$.width"), "{paths:?}");
    assert!(paths.contains(&"$.order.count"), "{paths:?}");
    let unknown = host.start::<Order>("duble", &input);
    assert!(matches!(unknown, Err(HostError::UnknownWorkflow { .. })));
    let list = host.start::<Order>("double", &[1]);
    assert!(matches!(list, Err(HostError::Input(_))));
    let nobody = program("nobody", SHOP).model("nobody/x").build();
    assert!(matches!(nobody, Err(HostError::UnknownModel(_))));
    let run = host.start::<i64>("double", &json!({ "order": order(1) }));
    let result = run.expect("it starts").await;
    assert!(matches!(result, Err(Error::Output { .. })), "{result:?}");
}

#[test]
fn a_run_can_be_waited_for_without_an_executor() {
    let host = program("blocking", SHOP).build().expect("it needs nothing");
    let run = host.start::<Order>("double", &json!({ "order": order(2) }));
    let finished = run.expect("it starts").finish_blocking();
    assert_eq!(finished.result.expect("it ends"), order(4));
}

#[tokio::test]
async fn variables_and_secrets_come_from_the_host() {
    let source = r#"
import std/env
workflow look(name: string) -> string? { env.get(name) }
"#;
    let host = program("variables", source).variable("PLACE", "here");
    let host = host.secret("TOKEN", "t0k3n").build().expect("no tools");
    for (name, value) in [("PLACE", Some("here")), ("TOKEN", None), ("PATH", None)] {
        let run = host.start("look", &json!({ "name": name }));
        let found: Option<String> = run.expect("it starts").await.expect("it ends");
        assert_eq!(found.as_deref(), value, "{name}");
    }
}

#[test]
fn a_damaged_image_is_refused() {
    let mut bytes = image("damaged", SHOP);
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    assert!(Program::from_image(&bytes).is_err());
    assert!(Program::from_file("no/such/file").is_err());
    let broken = file("broken", "workflow main() -> int { \"no\" }\n");
    let error = groundswell_build::compile(&broken).expect_err("a string is no int");
    assert!(error.to_string().contains("type-mismatch"), "{error}");
}

/// Different runs are on different cores: four busy ones take about as long as two where there are two cores.
#[tokio::test]
async fn many_runs_go_on_at_once() {
    let source = r#"
workflow spin(n: int) -> int {
  var total = 0
  for i in 0..n { total = (total * 31 + i) % 1000003 }
  sleep(1ms)
  total
}
"#;
    let host = program("many", source).build().expect("it needs nothing");
    let start = Instant::now();
    let runs: Vec<_> = (0..100)
        .map(|n| host.start::<i64>("spin", &json!({ "n": n })))
        .collect();
    for run in runs {
        run.expect("it starts").await.expect("it ends");
    }
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[cfg(feature = "compile")]
#[tokio::test]
async fn source_is_compiled_when_the_host_asks_for_a_compiler() {
    let program = Program::from_source(file("source", SHOP)).expect("it has no errors");
    assert_eq!(program.workflows(), ["double", "nothing"]);
    let host = groundswell::Host::builder(program).build();
    let run = host
        .expect("it needs nothing")
        .start("double", &json!({ "order": order(2) }));
    let doubled: Order = run.expect("it starts").await.expect("it ends");
    assert_eq!(doubled, order(4));
    let broken = Program::from_source(file("wrong", "workflow main() -> int { x }\n"));
    let error = broken.expect_err("there is no `x`").to_string();
    assert!(error.contains("unknown-name"), "{error}");
}
