//! Many requests at once.

use std::sync::Arc;

use gsw_agents::{Environment, Providers};
use gsw_driver::call::Call;
use gsw_driver::models::Models;
use gsw_engine::model::Content;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::stage::{QUICK, gpt};

/// More than may look for a connection at once.
const MANY: usize = 200;

const ANSWER: &str = r#"{"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}"#;

/// Answers when every request is here.
async fn answer(mut socket: TcpStream, all_are_here: Arc<Barrier>) {
    let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
    while !read.ends_with(b"}") {
        let count = socket.read(&mut buffer).await.expect("a request");
        assert!(count > 0, "the connection ended inside of a request");
        read.extend_from_slice(&buffer[..count]);
    }
    let head = String::from_utf8_lossy(&read).to_lowercase();
    assert!(head.contains("content-length: ") && !head.contains("transfer-encoding"));
    all_are_here.wait().await;
    let length = ANSWER.len();
    let text = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{ANSWER}"
    );
    socket.write_all(text.as_bytes()).await.expect("it listens");
}

#[tokio::test]
async fn how_many_requests_are_under_way_is_not_bounded() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("bound"));
    tokio::spawn(async move {
        let all_are_here = Arc::new(Barrier::new(MANY));
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(answer(socket, Arc::clone(&all_are_here)));
        }
    });
    let environment = Environment::of(&[("OPENAI_API_KEY", "x"), ("OPENAI_BASE_URL", &url)]);
    let providers = Arc::new(Providers::with_policy(environment, QUICK));
    let mut asked = JoinSet::new();
    for _ in 0..MANY {
        let providers = Arc::clone(&providers);
        asked.spawn(async move { providers.ask(Arc::new(gpt()), &Call::alone()).await });
    }
    while let Some(answer) = asked.join_next().await {
        let answer = answer.expect("no panic").expect("an answer");
        assert!(matches!(&answer.content[..], [Content::Text { text }] if text == "hi"));
    }
}
