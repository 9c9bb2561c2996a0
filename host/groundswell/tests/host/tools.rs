//! Tools of the host.

use groundswell::{Error, HostError, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::program;

const SOURCE: &str = r#"
type Customer { name: string, age: int where it >= 0 }

/// Finds a customer.
@host tool customer(id: string, deep: bool = false) -> Customer reads

workflow name_of(id: string) -> string { customer(id).name }
workflow guarded(id: string) -> string { customer(id).name catch { ToolFailed(tool, message) => "${tool}: ${message}" } }
workflow all(ids: [string]) -> [string] { parallel for id in ids { customer(id, deep: true).name } }
"#;

#[derive(Deserialize)]
struct Wanted {
    id: String,
    deep: bool,
}

async fn find(wanted: Wanted) -> Result<Value, ToolError> {
    match wanted.id.as_str() {
        "gone" => Err(ToolError::new("no such customer")),
        "odd" => Ok(json!({ "name": "Odd", "age": -1 })),
        "panic" => panic!("expected by the test"),
        id if wanted.deep => {
            tokio::task::yield_now().await;
            Ok(json!({ "name": format!("deep {id}"), "age": 1 }))
        }
        id => Ok(json!({ "name": id, "age": 1 })),
    }
}

#[tokio::test]
async fn a_tool_of_the_host_is_an_async_closure() {
    let host = program("tool", SOURCE).tool("customer", find).build();
    let host = host.expect("it has the tool");
    let run = host.start("name_of", &json!({ "id": "Ada" }));
    let name: String = run.expect("it starts").await.expect("it ends");
    assert_eq!(name, "Ada");
    let run = host.start("all", &json!({ "ids": ["a", "b"] }));
    let names: Vec<String> = run.expect("it starts").await.expect("it ends");
    assert_eq!(names, ["deep a", "deep b"]);
}

#[tokio::test]
async fn what_goes_wrong_in_it_is_tool_failed() {
    let host = program("failing", SOURCE).tool("customer", find).build();
    let host = host.expect("it has the tool");
    for (id, part) in [
        ("gone", "customer: no such customer"),
        ("odd", "customer: its answer does not fit: $.age"),
        ("panic", "customer: the host's tool ended early"),
    ] {
        let run = host.start("guarded", &json!({ "id": id }));
        let said: String = run.expect("it starts").await.expect("it is caught");
        assert!(said.starts_with(part), "{said}");
    }
    let run = host.start::<String>("name_of", &json!({ "id": "gone" }));
    let Err(Error::Raised(raised)) = run.expect("it starts").await else {
        panic!("nobody catches it")
    };
    assert_eq!(raised.error, "ToolFailed");
    assert_eq!(
        raised.fields,
        json!({ "tool": "customer", "message": "no such customer" })
    );
    assert_eq!(raised.path, "name_of > customer");
}

#[test]
fn a_host_has_exactly_the_tools_that_are_declared() {
    let missing = program("missing", SOURCE).build();
    let Err(HostError::MissingTools(names)) = missing else {
        panic!("it has no tool")
    };
    assert_eq!(names, ["customer"]);
    let unknown = program("unknown", SOURCE)
        .tool("customer", find)
        .tool("custmer", find)
        .build();
    let Err(HostError::UnknownTools(names)) = unknown else {
        panic!("nothing is called so")
    };
    assert_eq!(names, ["custmer"]);
}

/// Without an executor around the host, tools run on the engine's, and a panic is an error there, too.
#[test]
fn a_tool_runs_without_an_executor_of_the_host() {
    let host = program("bare", SOURCE).tool("customer", find).build();
    let host = host.expect("it has the tool");
    let run = host.start::<String>("name_of", &json!({ "id": "Ada" }));
    let finished = run.expect("it starts").finish_blocking();
    assert_eq!(finished.result.expect("it ends"), "Ada");
    let run = host.start::<String>("name_of", &json!({ "id": "panic" }));
    let error = run.expect("it starts").finish_blocking().result;
    let message = error.expect_err("it panics").to_string();
    assert!(message.contains("expected by the test"), "{message}");
}

const PATIENT: &str = r#"
/// Asks a slow system, which is asked again.
@host tool slow(id: string) -> string reads timeout 200ms retry 1 backoff 1ms

workflow patient(id: string) -> string { slow(id) }
"#;

#[tokio::test]
async fn modifiers_of_the_head_stand_around_the_call() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let calls = std::sync::Arc::new(AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&calls);
    let slow = move |_: Value| {
        let attempt = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if attempt == 0 {
                tokio::time::sleep(std::time::Duration::from_secs(60)).await;
            }
            Ok(json!(format!("attempt {attempt}")))
        }
    };
    let host = program("modifiers", PATIENT).tool("slow", slow).build();
    let host = host.expect("it has the tools");
    let run = host.start("patient", &json!({ "id": "Ada" }));
    let said: String = run
        .expect("it starts")
        .await
        .expect("the second attempt ends");
    assert_eq!(said, "attempt 1");
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}
