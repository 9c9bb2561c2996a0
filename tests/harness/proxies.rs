//! Models behind a proxy of the environment: what the proxy is asked, and what it gets to see.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use fake_provider::{AUTHORITY, Answer, Body, Reply, Request, Script, Server, Transport};

use crate::program::{Said, scratch, text};
use crate::wire::program;

const ASK: &str = r#"
agent speaker { model: "openai/gpt-5" retry: 0 }
prompt say(n: int) -> string by speaker { user "Say ${n}." }
workflow main(n: int) -> int {
  let said = parallel for i in 0..n { say(i) }
  said.filter(it => it == "yes").len()
}
"#;

/// A proxy, and the heads of the requests that it was sent.
struct Proxy {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// Passes connections on to this port; where there is none, it wants a password.
    fn to(server: Option<u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&heads);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let seen = Arc::clone(&seen);
                // A client may leave at any time.
                thread::spawn(move || serve(client, server, &seen).ok());
            }
        });
        Self { port, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("no panic").clone()
    }
}

fn serve(
    mut client: TcpStream,
    server: Option<u16>,
    seen: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    seen.lock().expect("no panic").push(head.clone());
    let Some(server) = server else {
        return client.write_all(b"HTTP/1.1 407 Who are you?\r\n\r\n");
    };
    let mut server = TcpStream::connect(("127.0.0.1", server))?;
    match head.starts_with("CONNECT ") {
        true => client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n")?,
        false => server.write_all(head.as_bytes())?,
    }
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        to.shutdown(Shutdown::Write)
    });
    std::io::copy(&mut server, &mut client)?;
    client.shutdown(Shutdown::Write)
}

/// What a program says that asks `count` times at once with this environment, and what the server was asked.
fn asked(
    name: &str,
    transport: Transport,
    count: usize,
    environment: impl FnOnce(u16) -> Vec<(&'static str, String)>,
) -> (Said, Vec<Request>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime can be made");
    let text_of_all = "yes".into();
    let replies = vec![Reply {
        times: 0,
        ..Reply::of(Body::Answer(Answer { text: text_of_all }))
    }];
    let server = Server::start_with(Script { replies }, 0, transport);
    let server = runtime.block_on(server).expect("a port is free");
    let authority = scratch("proxies").join(format!("{name}.pem"));
    std::fs::write(&authority, AUTHORITY).expect("the target folder can be written");
    let file = program(&format!("proxies_{name}"), ASK);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gswc"));
    command
        .args(["run", text(&file), "--", "--quiet", "--n"])
        .arg(count.to_string())
        .stdin(Stdio::null())
        .env_remove("GSW_MODEL");
    for name in ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    let said = command
        .env("GSW_CACHE", "off")
        .env("SSL_CERT_FILE", &authority)
        .env("OPENAI_API_KEY", "key-of-tests")
        .env("OPENAI_BASE_URL", format!("{}/v1", server.url()))
        .envs(environment(server.port()))
        .output()
        .expect("gswc can be started");
    (said.into(), server.requests())
}

#[test]
fn a_secure_host_is_asked_through_a_tunnel_in_which_the_proxy_reads_nothing() {
    let mut proxy = None;
    let (said, asked) = asked("tunnel", Transport::TlsHttp2, 5, |server| {
        let made = proxy.insert(Proxy::to(Some(server)));
        vec![(
            "HTTPS_PROXY",
            format!("http://user:p%40ss@127.0.0.1:{}", made.port),
        )]
    });
    assert_eq!((said.code, said.out.trim()), (Some(0), "5"), "{said:?}");
    assert!(asked.iter().all(|it| it.version == 2));
    let heads = proxy.expect("it was made").heads();
    let [head] = &heads[..] else {
        panic!("one tunnel is enough: {heads:?}");
    };
    let head = head.to_lowercase();
    assert!(head.starts_with("connect 127.0.0.1:"), "{head}");
    // user:p@ss
    assert!(
        head.contains("proxy-authorization: basic dxnlcjpwqhnz\r\n"),
        "{head}"
    );
    assert!(head.contains("user-agent: groundswell/"), "{head}");
    assert!(!head.contains("key-of-tests"), "{head}");
    let told = |it: &Request| it.headers.iter().any(|it| it.0 == "proxy-authorization");
    assert!(!asked.iter().any(told), "the password is the proxy's");
}

#[test]
fn a_host_without_tls_is_asked_by_the_proxy() {
    let mut proxy = None;
    let (said, asked) = asked("plain", Transport::Plain, 1, |server| {
        let made = proxy.insert(Proxy::to(Some(server)));
        vec![(
            "HTTP_PROXY",
            format!("http://user:p%40ss@127.0.0.1:{}", made.port),
        )]
    });
    assert_eq!((said.code, said.out.trim()), (Some(0), "1"), "{said:?}");
    assert_eq!(asked.len(), 1);
    let heads = proxy.expect("it was made").heads();
    let [head] = &heads[..] else {
        panic!("there is one request: {heads:?}");
    };
    let head = head.to_lowercase();
    assert!(head.starts_with("post http://127.0.0.1:"), "{head}");
    assert!(
        head.contains("proxy-authorization: basic dxnlcjpwqhnz\r\n"),
        "{head}"
    );
}

#[test]
fn a_host_that_needs_no_proxy_is_asked_directly() {
    let (said, asked) = asked("direct", Transport::TlsHttp2, 2, |_| {
        vec![
            ("HTTPS_PROXY", "http://127.0.0.1:1".into()),
            ("NO_PROXY", "127.0.0.0/8".into()),
        ]
    });
    assert_eq!((said.code, said.out.trim()), (Some(0), "2"), "{said:?}");
    assert_eq!(asked.len(), 2);
}

#[test]
fn a_proxy_that_wants_a_password_is_told_of() {
    let proxy = Proxy::to(None);
    let (said, asked) = asked("refused", Transport::TlsHttp2, 1, |_| {
        let address = format!("http://127.0.0.1:{}", proxy.port);
        vec![("HTTPS_PROXY", address)]
    });
    assert_eq!((said.code, asked.len()), (Some(1), 0), "{said:?}");
    assert!(
        said.err
            .contains("cannot be reached: tunnel error: proxy authorization required"),
        "{said:?}"
    );
}
