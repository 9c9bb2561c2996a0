//! Connections as no scripted reply can make them: what they offer, how they break, in which pieces they speak.

use std::io::{Cursor, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use gsw_agents::{Environment, Providers};
use gsw_driver::call::Call;
use gsw_driver::models::Models;
use gsw_engine::model::{Again, FailureKind, ModelAnswer, ModelFailure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::stage::{QUICK, claude, text};

const BODY: &str = r#"{"type":"message","model":"m","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}"#;

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound").to_string();
    (listener, address)
}

fn providers(url: &str) -> Providers {
    let variables = [("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_BASE_URL", url)];
    Providers::with_policy(Environment::of(&variables), QUICK)
}

async fn ask(providers: &Providers) -> Result<ModelAnswer, ModelFailure> {
    providers.ask(Arc::new(claude()), &Call::alone()).await
}

fn answer() -> String {
    let length = BODY.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{BODY}"
    )
}

/// Reads a request up to the end of its body.
async fn read_request(socket: &mut TcpStream) -> String {
    let mut read = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let count = socket.read(&mut piece).await.expect("a request");
        assert!(count > 0, "the request is cut");
        read.extend_from_slice(&piece[..count]);
        let said = String::from_utf8_lossy(&read).to_ascii_lowercase();
        let Some((head, body)) = said.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|it| it.strip_prefix("content-length: "));
        let length: usize = length.expect("a length").parse().expect("a number");
        if body.len() >= length {
            return head.to_owned();
        }
    }
}

#[tokio::test]
async fn a_secure_server_is_offered_http_2_and_1_1() {
    let (listener, address) = listener().await;
    let greeted = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.expect("a client");
        let mut acceptor = rustls::server::Acceptor::default();
        let mut piece = [0; 4096];
        loop {
            let count = socket.read(&mut piece).await.expect("a greeting");
            assert!(count > 0, "the greeting is cut");
            let mut bytes = Cursor::new(&piece[..count]);
            acceptor.read_tls(&mut bytes).expect("TLS");
            if let Some(accepted) = acceptor.accept().map_err(|it| it.0).expect("a greeting") {
                let offered = accepted.client_hello().alpn();
                let names = offered.map(|it| it.map(<[u8]>::to_vec).collect::<Vec<_>>());
                return names.unwrap_or_default();
            }
        }
    });
    let failure = ask(&providers(&format!("https://{address}"))).await;
    assert_eq!(failure.expect_err("no answer").kind, FailureKind::Provider);
    let offered = greeted.await.expect("no panic");
    assert_eq!(offered, [b"h2".to_vec(), b"http/1.1".to_vec()]);
}

#[tokio::test]
async fn a_connection_that_is_reset_is_broken() {
    let (listener, address) = listener().await;
    let resetting = tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            read_request(&mut socket).await;
            let half = answer();
            socket
                .write_all(&half.as_bytes()[..half.len() - 20])
                .await
                .expect("a client");
            // Closed with data of the client unread, or with no linger, a socket says that it was reset.
            socket.set_zero_linger().expect("a socket");
        }
    });
    let failure = ask(&providers(&format!("http://{address}"))).await;
    resetting.abort();
    let failure = failure.expect_err("half an answer");
    assert!(
        failure
            .message
            .contains(&format!("the connection to {address} failed")),
        "{}",
        failure.message
    );
    assert!(
        matches!(failure.again, Some(Again::After(_))),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_response_may_be_cut_anywhere_even_in_its_headers() {
    let (listener, address) = listener().await;
    let dripping = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.expect("a client");
        socket.set_nodelay(true).expect("a socket");
        let head = read_request(&mut socket).await;
        for byte in answer().bytes() {
            socket.write_all(&[byte]).await.expect("a client");
            tokio::task::yield_now().await;
        }
        head
    });
    let answer = ask(&providers(&format!("http://{address}")))
        .await
        .expect("an answer");
    assert_eq!(text(&answer), "hi");
    let head = dripping.await.expect("no panic");
    assert!(head.starts_with("post /v1/messages http/1.1"), "{head}");
    // What is not asked for need not be unpacked.
    assert!(!head.contains("accept-encoding"), "{head}");
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_no_error() {
    let (listener, address) = listener().await;
    let closing = tokio::spawn(async move {
        let mut count = 0;
        while count < 5 {
            let (mut socket, _) = listener.accept().await.expect("a client");
            read_request(&mut socket).await;
            socket
                .write_all(answer().as_bytes())
                .await
                .expect("a client");
            // No `connection: close`: the client keeps the connection, and we close it all the same.
            let ended = socket.shutdown().await;
            assert!(ended.is_ok() || ended.is_err_and(|it| it.kind() == ErrorKind::NotConnected));
            count += 1;
        }
    });
    let providers = providers(&format!("http://{address}"));
    for _ in 0..5 {
        let answer = ask(&providers).await.expect("an answer");
        assert_eq!(text(&answer), "hi");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    closing.await.expect("no panic");
}
