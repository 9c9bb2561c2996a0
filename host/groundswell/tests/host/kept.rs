//! Runs that outlive the process of their host.

use groundswell::{Address, Error, Host, HostError, RunStatus};
use serde_json::json;

use crate::program;

const SOURCE: &str = r#"
external payment(order: string) -> int by "order:${order}" timeout 2d
workflow main(order: string) -> int { payment(order) * 2 }
"#;

fn host(path: &std::path::Path) -> Host {
    let builder = program("kept", SOURCE).store(path);
    builder.build().expect("it needs no tools")
}

#[tokio::test]
async fn a_run_that_is_left_goes_on_in_another_host_with_its_answer() {
    let folder = std::env::temp_dir().join(format!("gsw-host-kept-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let path = folder.join("runs.db");
    let first = host(&path);
    assert_eq!(first.kept_runs().expect("no store is no error"), []);
    let run = first
        .start::<i64>("main", &json!({ "order": "17" }))
        .expect("it starts");
    let id = run.id().to_owned();
    while first.kept_runs().expect("a store").is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(run.leave());
    let left = run.await;
    assert!(matches!(left, Err(Error::Left(_))), "{left:?}");

    let second = host(&path);
    let kept = second.kept_runs().expect("a store");
    assert_eq!((kept.len(), &*kept[0].id), (1, &*id));
    assert!(
        matches!(kept[0].status, RunStatus::Parked | RunStatus::Interrupted),
        "{kept:?}"
    );
    let key = Address::Key("order:17".into());
    second.answer(key, &21).await.expect("it is open or early");
    let run = second.resume::<i64>(&id).expect("nobody carries it");
    assert_eq!(run.await.expect("it ends"), 42);
    assert_eq!(
        second.kept_runs().expect("a store")[0].status,
        RunStatus::Completed
    );
    let over = second.resume::<i64>(&id).map(drop);
    assert!(
        matches!(&over, Err(HostError::Store(why)) if why.contains("has ended: completed")),
        "{over:?}"
    );
    drop((first, second));
    std::fs::remove_dir_all(&folder).expect("it is ours");
}
