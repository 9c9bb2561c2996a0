//! The requests of programs against a scripted server: what is sent, what comes back, where redirects lead.

use std::sync::Arc;
use std::time::Duration;

use fake_provider::{Body, Reply, Script, Server};
use gsw_agents::WebClient;
use gsw_driver::call::Call;
use gsw_driver::web::{Reach, ReachOf, Web, WebRequest};
use gsw_engine::operation::{Failure, HttpAnswer};

async fn server(replies: Vec<Reply>) -> Server {
    let server = Server::start(Script::in_turn(replies), 0).await;
    server.expect("a free port")
}

fn request(method: &str, url: String) -> WebRequest {
    let headers = [
        ("Authorization", "Bearer abc"),
        ("X-Key", "k"),
        ("X-Plain", "p"),
    ];
    WebRequest {
        method: method.into(),
        url,
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        confidential: vec!["X-Key".into()],
        body: Some("text".into()),
    }
}

async fn send(request: WebRequest) -> Result<HttpAnswer, Failure> {
    WebClient::default()
        .send(request, everywhere(), &Call::alone())
        .await
}

fn everywhere() -> ReachOf {
    Arc::new(|_, _| Reach::Anywhere)
}

fn redirect(status: u16, to: &str) -> Reply {
    Reply {
        status,
        ..Reply::text("")
    }
    .with_header("location", to)
}

#[tokio::test]
async fn any_status_is_an_answer() {
    let reply = Reply {
        status: 404,
        ..Reply::error(404, "not_found", "none")
    };
    let server = server(vec![reply.with_header("X-Note", "grün")]).await;
    let answer = send(request("patch", format!("{}/a?b=c", server.url())))
        .await
        .expect("an answer");
    assert_eq!(answer.status, 404);
    assert!(answer.headers.iter().any(|it| it.0 == "x-note"));
    let sent = &server.requests()[0];
    assert_eq!(
        (sent.method.as_str(), sent.path.as_str()),
        ("PATCH", "/a?b=c")
    );
    assert_eq!(
        (sent.body.as_str(), sent.header("x-plain")),
        ("text", Some("p"))
    );
}

#[tokio::test]
async fn another_host_gets_no_secret() {
    let other = server(vec![Reply::text("there")]).await;
    let first = server(vec![redirect(307, &format!("{}/next", other.url()))]).await;
    let answer = send(request("POST", first.url())).await.expect("an answer");
    assert_eq!(answer.status, 200);
    assert_eq!(first.requests()[0].header("x-key"), Some("k"));
    let sent = &other.requests()[0];
    assert_eq!((sent.method.as_str(), sent.body.as_str()), ("POST", "text"));
    let headers = ["authorization", "x-key", "x-plain"].map(|it| sent.header(it));
    assert_eq!(headers, [None, None, Some("p")]);
}

#[tokio::test]
async fn the_same_host_gets_all_again() {
    let server = server(vec![redirect(302, "/next"), Reply::text("there")]).await;
    let answer = send(request("POST", server.url()))
        .await
        .expect("an answer");
    assert_eq!(answer.status, 200);
    let sent = &server.requests()[1];
    assert_eq!((sent.method.as_str(), sent.body.as_str()), ("GET", ""));
    assert_eq!(sent.header("x-key"), Some("k"));
}

#[tokio::test]
async fn every_host_is_asked_for() {
    let other = server(vec![Reply::text("there")]).await;
    let first = server(vec![redirect(302, &other.url())]).await;
    let port = first.port();
    let reach_of: ReachOf = Arc::new(move |host, it| {
        if host == "127.0.0.1" && it == port {
            Reach::Anywhere
        } else {
            Reach::Nowhere
        }
    });
    let failure = WebClient::default()
        .send(request("GET", first.url()), reach_of, &Call::alone())
        .await;
    assert!(matches!(failure, Err(Failure::Denied { .. })));
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_name_that_a_wildcard_permits_does_not_lead_to_this_machine() {
    let server = server(vec![Reply::text("here"), Reply::text("here")]).await;
    let url = format!("http://localhost:{}", server.port());
    let send = async |reach: Reach| {
        let reach_of: ReachOf = Arc::new(move |_, _| reach);
        let request = request("GET", url.clone());
        WebClient::default()
            .send(request, reach_of, &Call::alone())
            .await
    };
    let failure = send(Reach::Public).await;
    let Err(Failure::Denied { what }) = failure else {
        panic!("{failure:?}")
    };
    assert!(
        what.starts_with("`net` of `localhost`, which leads to "),
        "{what}"
    );
    assert!(server.requests().is_empty());
    assert!(send(Reach::Listed).await.is_ok());
}

#[tokio::test]
async fn what_cannot_be_asked_is_an_error() {
    let circle = server(vec![redirect(302, "/")]).await;
    for url in [
        circle.url(),
        "http://127.0.0.1:1".into(),
        "ftp://a".into(),
        "no".into(),
    ] {
        let failure = send(request("GET", url)).await;
        assert!(matches!(failure, Err(Failure::Io { .. })), "{failure:?}");
    }
    let failure = send(request("GE T", circle.url())).await;
    assert!(matches!(failure, Err(Failure::Io { .. })));
}

#[tokio::test]
async fn an_exchange_has_a_time_limit_of_its_own() {
    let hanging = Reply {
        hang: true,
        ..Reply::text("a part")
    };
    let server = server(vec![hanging]).await;
    let client = WebClient::with_time_limit(Duration::from_millis(300));
    let request = request("get", server.url());
    let failure = client
        .send(request, everywhere(), &Call::alone())
        .await
        .expect_err("no end");
    let Failure::Io { message, .. } = failure else {
        panic!("{failure:?}")
    };
    assert!(
        message.contains("no complete answer within 0.3 s"),
        "{message}"
    );
}

#[tokio::test]
async fn an_address_that_cannot_be_read_is_shown_without_its_password() {
    let request = request("get", "http://user:pass@host:port/a?key=pass".into());
    let failure = send(request).await.expect_err("no address");
    let Failure::Io { message, .. } = failure else {
        panic!("{failure:?}")
    };
    assert!(
        message.contains("`http://host:port/a`") && !message.contains("pass"),
        "{message}"
    );
}

/// How much is read at once is bounded far above what slow servers send, see `web/room.rs`.
#[tokio::test]
async fn slow_servers_hold_up_no_other_answer() {
    const LARGE: usize = 400_000;
    let held = || Reply {
        hang: true,
        ..Reply::of(Body::Garbage(LARGE))
    };
    let mut replies: Vec<Reply> = (0..20).map(|_| held()).collect();
    replies.extend([Reply::text("small"), Reply::of(Body::Garbage(LARGE))]);
    let server = server(replies).await;
    let get = |limit: Duration| {
        let client = WebClient::with_time_limit(limit);
        let request = request("GET", server.url());
        async move {
            let sent = client.send(request, everywhere(), &Call::alone());
            sent.await
        }
    };
    let holding: Vec<_> = (0..20)
        .map(|_| tokio::spawn(get(Duration::from_secs(4))))
        .collect();
    while server.requests().len() < 20 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let small = get(Duration::from_secs(2)).await;
    assert!(small.is_ok(), "{small:?}");
    let large = get(Duration::from_secs(2)).await;
    assert!(large.is_ok(), "it is read beside them: {large:?}");
    for held in holding {
        let held = held.await.expect("it does not panic");
        assert!(held.is_err(), "it never ends");
    }
}
