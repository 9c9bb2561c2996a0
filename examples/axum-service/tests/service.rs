//! The service as its clients see it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum_service::support::{self, Customer, CustomerInput, Tools};
use groundswell::{Host, ToolError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Finds customer 7 at once, never answers about `slow`, and tells when that question is given up.
#[derive(Default)]
struct Database {
    asked: Arc<AtomicBool>,
    given_up: Arc<AtomicBool>,
}

struct Raised(Arc<AtomicBool>);

impl Drop for Raised {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Tools for Database {
    async fn customer(&self, input: CustomerInput) -> Result<Option<Customer>, ToolError> {
        if input.id == "slow" {
            let _raised = Raised(Arc::clone(&self.given_up));
            self.asked.store(true, Ordering::SeqCst);
            std::future::pending::<()>().await;
        }
        Ok((input.id == "7").then(|| Customer {
            name: "Ada".into(),
            open_invoices: 2,
        }))
    }
}

async fn started(database: Database) -> SocketAddr {
    let builder = Host::builder(support::program().expect("it was just built"));
    let builder = builder.model("sim/default").without_process_environment();
    let host = support::with_tools(builder, database).build();
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port is free");
    let address = listener.local_addr().expect("it listens");
    let service = axum_service::service(host.expect("it has all tools"));
    tokio::spawn(async move { axum::serve(listener, service).await });
    address
}

async fn post(address: SocketAddr, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request = format!(
        "POST /reply HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream
        .write_all(request.as_bytes())
        .await
        .expect("it reads");
    stream
}

async fn answer(address: SocketAddr, body: &str) -> String {
    let mut text = String::new();
    let mut stream = post(address, body).await;
    stream.read_to_string(&mut text).await.expect("it answers");
    text
}

async fn becomes_true(flag: &AtomicBool) -> bool {
    for _ in 0..500 {
        if flag.load(Ordering::SeqCst) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn a_mail_is_answered_with_events_and_a_reply() {
    let address = started(Database::default()).await;
    let text = answer(address, r#"{"customer": "7", "text": "Where is it?"}"#).await;
    let order: Vec<usize> = [
        "\"look up\"",
        "write_reply",
        "event: result\ndata: {\"mood\":",
    ]
    .iter()
    .map(|it| text.find(it).unwrap_or_else(|| panic!("no {it} in {text}")))
    .collect();
    assert!(order.is_sorted(), "{text}");
}

#[tokio::test]
async fn an_error_of_the_workflow_is_reported_as_json() {
    let address = started(Database::default()).await;
    let text = answer(address, r#"{"customer": "9", "text": ""}"#).await;
    assert!(text.contains("event: error"), "{text}");
    assert!(text.contains(r#""error":"UnknownCustomer""#), "{text}");
    assert!(text.contains(r#""fields":{"id":"9"}"#), "{text}");
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_its_run() {
    let database = Database::default();
    let (asked, given_up) = (Arc::clone(&database.asked), Arc::clone(&database.given_up));
    let address = started(database).await;
    let stream = post(address, r#"{"customer": "slow", "text": ""}"#).await;
    assert!(becomes_true(&asked).await, "the tool was never called");
    drop(stream);
    assert!(becomes_true(&given_up).await, "the run goes on");
}
