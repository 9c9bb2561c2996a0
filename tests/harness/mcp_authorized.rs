//! MCP servers that a person authorizes the use of: a server and its authorization server are here, and a person who opens what
//! the program shows.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::{GSWC, Said, scratch};

/// What the servers do that they should not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Trick {
    None,
    /// The answer comes from somebody else.
    WrongIssuer,
    /// The answer does not say from whom it comes, against what was announced.
    NoIssuer,
    /// The answer is to another question.
    WrongState,
    /// The authorization server is another one than it was called.
    WrongMetadata,
    /// The authorization is for another server.
    WrongResource,
    NoProof,
    /// No token is ever good enough.
    NeverEnough,
    /// Its authorization server is in the clear, and not on this machine.
    InTheClear,
    /// Tokens end at once.
    ShortLived,
    /// Nobody can register.
    NoRegistration,
    /// The person does not want it.
    Declined,
}

/// A server, and what happens to it.
#[derive(Clone)]
struct Servers {
    port: u16,
    trick: Trick,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// What was asked, in order.
    seen: Vec<String>,
    /// The scopes of each token.
    tokens: BTreeMap<String, String>,
    /// What the last question was for.
    scope: String,
}

struct Request {
    method: String,
    target: String,
    head: Vec<String>,
    body: String,
}

struct Reply {
    status: &'static str,
    header: String,
    body: Value,
}

fn ok(body: Value) -> Reply {
    Reply {
        status: "200 OK",
        header: String::new(),
        body,
    }
}

impl Servers {
    fn start(trick: Trick) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let servers = Self {
            port: listener.local_addr().expect("it listens").port(),
            trick,
            state: Arc::default(),
        };
        let these = servers.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let these = these.clone();
                std::thread::spawn(move || these.serve(stream));
            }
        });
        servers
    }

    fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn url(&self) -> String {
        format!("{}/mcp", self.base())
    }

    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().expect("nobody panics").seen)
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
        while let Some(request) = read(&mut reader) {
            let Reply {
                status,
                header,
                body,
            } = self.reply(&request);
            let body = match body {
                Value::Null => String::new(),
                body => body.to_string(),
            };
            let reply = format!(
                "HTTP/1.1 {status}\r\n{header}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            if stream.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    }

    fn reply(&self, request: &Request) -> Reply {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        match (request.method.as_str(), path) {
            ("POST", "/mcp") => self.answer(request),
            ("GET", "/.well-known/oauth-protected-resource/mcp") => ok(self.resource()),
            ("GET", "/.well-known/oauth-authorization-server") => ok(self.metadata()),
            ("POST", "/register") => self.register(&request.body),
            ("GET", "/authorize") => self.authorize(&fields(query)),
            ("POST", "/token") => self.token(request),
            _ => Reply {
                status: "404 Not Found",
                header: String::new(),
                body: Value::Null,
            },
        }
    }

    fn see(&self, what: String) {
        self.state.lock().expect("nobody panics").seen.push(what);
    }

    fn resource(&self) -> Value {
        let resource = match self.trick {
            Trick::WrongResource => "https://other.example/mcp".to_owned(),
            _ => self.url(),
        };
        let issuer = match self.trick {
            Trick::InTheClear => "http://other.example".to_owned(),
            _ => self.base(),
        };
        json!({ "resource": resource, "authorization_servers": [issuer] })
    }

    fn metadata(&self) -> Value {
        let base = self.base();
        let issuer = match self.trick {
            Trick::WrongMetadata => format!("{base}/"),
            _ => base.clone(),
        };
        let mut metadata = json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
            "authorization_response_iss_parameter_supported": true,
            "code_challenge_methods_supported": ["S256"],
        });
        let missing = match self.trick {
            Trick::NoProof => "code_challenge_methods_supported",
            Trick::NoRegistration => "registration_endpoint",
            _ => "",
        };
        metadata.as_object_mut().expect("it is one").remove(missing);
        metadata
    }

    fn register(&self, body: &str) -> Reply {
        let asked: Value = serde_json::from_str(body).unwrap_or_default();
        self.see(format!("register {}", asked["application_type"].as_str().unwrap_or_default()));
        ok(json!({ "client_id": "made", "redirect_uris": asked["redirect_uris"] }))
    }

    fn authorize(&self, asked: &BTreeMap<String, String>) -> Reply {
        let of = |name: &str| asked.get(name).cloned().unwrap_or_default();
        assert_eq!(of("code_challenge_method"), "S256");
        assert_eq!(of("resource"), self.url());
        self.see(format!("authorize {} for {}", of("client_id"), of("scope")));
        self.state.lock().expect("nobody panics").scope = of("scope");
        let state = match self.trick {
            Trick::WrongState => "other".to_owned(),
            _ => of("state"),
        };
        let issuer = match self.trick {
            Trick::WrongIssuer => "&iss=https://other.example".to_owned(),
            Trick::NoIssuer => String::new(),
            _ => format!("&iss={}", self.base()),
        };
        let answer = match self.trick {
            Trick::Declined => "error=access_denied",
            _ => "code=once",
        };
        let back = of("redirect_uri");
        Reply {
            status: "302 Found",
            header: format!("location: {back}?{answer}&state={state}{issuer}\r\n"),
            body: Value::Null,
        }
    }

    fn token(&self, request: &Request) -> Reply {
        let asked = fields(&request.body);
        let of = |name: &str| asked.get(name).cloned().unwrap_or_default();
        let basic = header(&request.head, "authorization").unwrap_or_default();
        self.see(format!("token by {} {}{basic}", of("grant_type"), of("client_id")));
        let mut state = self.state.lock().expect("nobody panics");
        let token = format!("tOkEn-{}", state.tokens.len());
        let scope = state.scope.clone();
        state.tokens.insert(token.clone(), scope.clone());
        let ends = match self.trick {
            Trick::ShortLived => 1,
            _ => 3600,
        };
        ok(json!({
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": ends,
            "refresh_token": "rEnEw",
            "scope": scope,
        }))
    }

    /// What the server itself says, to who may hear it.
    fn answer(&self, request: &Request) -> Reply {
        let asked: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let tool = asked["params"]["name"].as_str().unwrap_or("read");
        let shown = header(&request.head, "authorization").unwrap_or_default();
        let token = shown.strip_prefix("Bearer ").unwrap_or_default();
        let scopes = self.state.lock().expect("nobody panics").tokens.get(token).cloned();
        let refusal = match scopes {
            None => Some(("401 Unauthorized", "invalid_token", "read")),
            Some(_) if self.trick == Trick::NeverEnough => {
                Some(("403 Forbidden", "insufficient_scope", "read"))
            }
            Some(scopes) if !scopes.split(' ').any(|it| it == tool) => {
                Some(("403 Forbidden", "insufficient_scope", tool))
            }
            Some(_) => None,
        };
        if let Some((status, error, scope)) = refusal {
            let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", self.base());
            return Reply {
                status,
                header: format!(
                    "www-authenticate: Bearer error=\"{error}\", scope=\"{scope}\", resource_metadata=\"{metadata}\"\r\n"
                ),
                body: json!({ "error": error }),
            };
        }
        let Some(id) = asked.get("id") else {
            return Reply {
                status: "202 Accepted",
                header: String::new(),
                body: Value::Null,
            };
        };
        let result = match asked["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "kept", "version": "1" },
            }),
            Some("tools/list") => json!({ "tools": [] }),
            Some("tools/call") => json!({ "content": [{ "type": "text", "text": format!("{tool} done") }] }),
            _ => {
                let error = json!({ "code": -32601, "message": "no such method" });
                return ok(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
        };
        ok(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }
}

/// The next request; none when the client has gone.
fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let length = header(&head, "content-length").and_then(|it| it.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let mut words = head.first()?.split(' ').map(str::to_owned);
    Some(Request {
        method: words.next()?,
        target: words.next()?,
        body: String::from_utf8_lossy(&body).into_owned(),
        head,
    })
}

fn header(head: &[String], name: &str) -> Option<String> {
    let mut lines = head.iter().filter_map(|it| it.split_once(':'));
    let found = lines.find(|it| it.0.eq_ignore_ascii_case(name));
    found.map(|it| it.1.trim().to_owned())
}

/// The fields of a query or a form.
fn fields(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').filter_map(|it| it.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let hex = |it: Option<u8>| it.and_then(|it| char::from(it).to_digit(16)).unwrap_or(0);
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (high, low) = (hex(rest.next()), hex(rest.next()));
                bytes.push(u8::try_from(high * 16 + low).expect("two digits"));
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).expect("addresses are UTF-8")
}

/// The user's folder, and what opens addresses in it.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let folder = scratch("mcp_authorized").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the target folder can be written");
        let browser = folder.join("browser");
        let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\" && printf %s \"$1\" >opening && mv opening opened\n";
        std::fs::write(&browser, script).expect("the folder can be written");
        let rights = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&browser, rights).expect("it is ours");
        Self(folder)
    }

    /// Without anybody who could consent.
    fn alone(&self, words: &[&str]) -> Said {
        let output = self.command(words).output();
        output.expect("it can be started").into()
    }

    /// With a person who opens what is shown, and follows where that leads.
    fn with_person(&self, words: &[&str]) -> Said {
        let mut command = self.command(words);
        command.env("GSW_BROWSER", self.0.join("browser"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it can be started");
        let opened = self.0.join("opened");
        while child.try_wait().expect("it is ours").is_none() {
            if let Ok(address) = std::fs::read_to_string(&opened) {
                let _ = std::fs::remove_file(&opened);
                let back = get(&address).expect("the authorization server sends the person back");
                get(&back);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        child.wait_with_output().expect("it has ended").into()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(GSWC);
        command
            .args(words)
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .env("XDG_STATE_HOME", self.0.join("state"))
            .env("CLIENT_SECRET", "sEcReT")
            .env("GSW_CACHE", "off")
            .env_remove("GSW_BROWSER");
        command
    }

    fn program(&self, servers: &Servers, auth: &str, tool: &str) {
        let url = servers.url();
        let program = format!(
            "mcp kept = http(\"{url}\", auth: {auth})\nworkflow main() -> json {{ kept.call(\"{tool}\") }}\n"
        );
        std::fs::write(self.0.join("main.gsw"), program).expect("the folder can be written");
    }

    /// The files in which a text stands.
    fn holding(&self, text: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("it is there").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if holds(&path, text) {
                    found.push(path);
                }
            }
        }
        found
    }
}

fn holds(path: &Path, text: &str) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}

/// Gets an address, and gives where it leads.
fn get(address: &str) -> Option<String> {
    let rest = address.strip_prefix("http://")?;
    let (host, target) = rest.split_at(rest.find('/')?);
    let mut stream = TcpStream::connect(host).expect("it listens");
    let request = format!("GET {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let answer = read(&mut BufReader::new(stream))?;
    header(&answer.head, "location")
}

const RUN: &[&str] = &["run", "main.gsw", "--", "--store", "runs.db", "--events", "events.jsonl"];

// G27
#[test]
fn a_person_authorizes_a_server_once() {
    let (servers, home) = (Servers::start(Trick::None), Home::new("once"));
    home.program(&servers, "oauth()", "read");
    let said = home.with_person(RUN);
    assert_eq!((said.out.trim(), said.code), ("\"read done\"", Some(0)), "{said:?}");
    assert_eq!(
        servers.seen(),
        ["register native", "authorize made for read", "token by authorization_code made"]
    );
    let said = home.alone(RUN);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(servers.seen(), [""; 0]);
    let kept = home.holding("tOkEn");
    let [file] = kept.as_slice() else {
        panic!("a token stands elsewhere: {kept:?}");
    };
    let rights = std::fs::metadata(file).expect("it is there").permissions();
    assert_eq!(rights.mode() & 0o777, 0o600);
    let folder = std::fs::metadata(file.parent().expect("it has one")).expect("it is there");
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);
}

#[test]
fn what_needs_more_is_asked_for_with_what_there_was() {
    let (servers, home) = (Servers::start(Trick::None), Home::new("more"));
    home.program(&servers, "oauth()", "write");
    let said = home.with_person(RUN);
    assert_eq!((said.out.trim(), said.code), ("\"write done\"", Some(0)), "{said:?}");
    let seen = servers.seen();
    let asked: Vec<&String> = seen.iter().filter(|it| it.starts_with("authorize")).collect();
    assert_eq!(asked, ["authorize made for read", "authorize made for write read"]);
}

#[test]
fn a_token_that_has_ended_is_renewed_without_a_person() {
    let (servers, home) = (Servers::start(Trick::ShortLived), Home::new("renewed"));
    home.program(&servers, "oauth()", "read");
    assert_eq!(home.with_person(RUN).code, Some(0));
    servers.seen();
    let said = home.alone(RUN);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(servers.seen(), ["token by refresh_token made"]);
    // One that the server does not take any more, as well.
    servers.state.lock().expect("nobody panics").tokens.clear();
    assert_eq!(home.alone(RUN).code, Some(0));
}

#[test]
fn who_is_not_at_a_terminal_is_told_what_to_call() {
    let (servers, home) = (Servers::start(Trick::None), Home::new("login"));
    home.program(&servers, "oauth(scopes: [\"read\"])", "read");
    let url = servers.url();
    let said = home.alone(RUN);
    let command = format!("gswc run main.gsw -- mcp login {url} --scope read");
    assert!(said.err.contains(&command), "{said:?}");
    assert_eq!(said.code, Some(1));
    let login = ["mcp", "login", &url, "--scope", "read"];
    assert_eq!(home.alone(&login).code, Some(1));
    assert_eq!(servers.seen(), [""; 0]);
    let said = home.with_person(&login);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(home.alone(RUN).code, Some(0));
    // Once more is once more, as who was registered.
    servers.seen();
    assert_eq!(home.with_person(&login).code, Some(0));
    assert_eq!(
        servers.seen(),
        ["authorize made for read", "token by authorization_code made"]
    );
    let said = home.alone(&["run", "main.gsw", "--", "mcp", "logout", &url]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(home.alone(RUN).code, Some(1));
    assert_eq!(home.holding("tOkEn"), [PathBuf::new(); 0]);
}

#[test]
fn a_server_that_wants_it_is_added_with_it() {
    let (servers, home) = (Servers::start(Trick::None), Home::new("added"));
    let said = home.alone(&["mcp", "add", "kept", &servers.url()]);
    assert!(said.err.contains("`auth: oauth()`"), "{said:?}");
    let said = home.with_person(&["mcp", "add", "--oauth", "kept", &servers.url()]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let made = std::fs::read_to_string(home.0.join("kept.gsw")).expect("it is there");
    assert!(made.contains("auth: oauth())"), "{made}");
    let said = home.alone(&["mcp", "add", "--oauth", "other", "uvx", "server"]);
    assert_eq!(said.code, Some(2), "{said:?}");
}

#[test]
fn a_program_that_is_registered_shows_its_secret_to_nobody_else() {
    let (servers, home) = (Servers::start(Trick::NoRegistration), Home::new("registered"));
    home.program(&servers, "oauth()", "read");
    let said = home.with_person(RUN);
    assert!(said.err.contains("registers no programs by itself"), "{said:?}");
    let secret = "client: \"shop\", secret: secret(\"CLIENT_SECRET\")";
    home.program(&servers, &format!("oauth({secret})"), "read");
    let said = home.with_person(RUN);
    assert!(said.err.contains("needs the `issuer`"), "{said:?}");
    let elsewhere = format!("oauth({secret}, issuer: \"https://other.example\")");
    home.program(&servers, &elsewhere, "read");
    let said = home.with_person(RUN);
    assert!(said.err.contains("registered at `https://other.example`"), "{said:?}");
    assert_eq!(servers.seen(), [""; 0]);
    let here = format!("oauth({secret}, issuer: \"{}\")", servers.base());
    home.program(&servers, &here, "read");
    let said = home.with_person(RUN);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(
        servers.seen(),
        [
            "authorize shop for read",
            // `shop:sEcReT`
            "token by authorization_code Basic c2hvcDpzRWNSZVQ="
        ]
    );
}

#[test]
fn what_is_not_right_is_refused() {
    for (trick, why) in [
        (Trick::WrongIssuer, "(`iss`)"),
        (Trick::NoIssuer, "(`iss`)"),
        (Trick::WrongState, "(`state`)"),
        (Trick::WrongMetadata, "calls itself"),
        (Trick::WrongResource, "its authorization is for `https://other.example/mcp`"),
        (Trick::NoProof, "does not support PKCE"),
        (Trick::NeverEnough, "it refuses what a person has consented to"),
        (Trick::InTheClear, "which is not `https`"),
        (Trick::Declined, "nobody has consented: access_denied"),
    ] {
        let (servers, home) = (Servers::start(trick), Home::new(&format!("{trick:?}")));
        home.program(&servers, "oauth()", "read");
        let said = home.with_person(RUN);
        assert!(said.err.contains(why), "{trick:?}: {said:?}");
        let seen = servers.seen();
        let tokens = seen.iter().filter(|it| it.starts_with("token")).count();
        assert_eq!(tokens, usize::from(trick == Trick::NeverEnough), "{seen:?}");
    }
}

#[test]
fn authorization_has_the_rights_of_the_program() {
    let (servers, home) = (Servers::start(Trick::None), Home::new("rights"));
    home.program(&servers, "oauth()", "read");
    let main = home.0.join("main.gsw");
    let program = std::fs::read_to_string(&main).expect("it was written");
    let permitted = program + "permissions { net: [\"127.0.0.1\"] }\n";
    std::fs::write(&main, &permitted).expect("it was written");
    let said = home.with_person(RUN);
    assert_eq!(said.code, Some(0), "{said:?}");
}
