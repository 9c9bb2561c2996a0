//! A server and its authorization server, which do what they should or one thing that they should not.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What the servers do that they should not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trick {
    None,
    /// The answer comes from another issuer.
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
    /// Tokens end at once, a refresh token counts once, and one that comes again takes all tokens back.
    Rotating,
    /// Tokens end at once, and the authorization server fails when one is to be renewed.
    Down,
    /// Registration is not possible.
    NoRegistration,
    /// The person does not want it.
    Declined,
}

/// A server, and what happens to it.
#[derive(Clone)]
pub(super) struct Servers {
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
    /// How many tokens it has given.
    given: usize,
    /// The refresh token that counts.
    refresh: String,
    /// What the last question was for.
    scope: String,
}

pub(super) struct Request {
    method: String,
    target: String,
    pub head: Vec<String>,
    body: String,
}

struct Reply {
    status: &'static str,
    header: String,
    body: Value,
}

fn refused(status: &'static str, error: &str) -> Reply {
    Reply {
        status,
        header: String::new(),
        body: json!({ "error": error }),
    }
}

fn ok(body: Value) -> Reply {
    Reply {
        status: "200 OK",
        header: String::new(),
        body,
    }
}

impl Servers {
    pub fn start(trick: Trick) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let servers = Self {
            port: listener.local_addr().expect("it listens").port(),
            trick,
            state: Arc::default(),
        };
        servers.state.lock().expect("nobody panics").refresh = "rEnEw".into();
        let these = servers.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let these = these.clone();
                std::thread::spawn(move || these.serve(stream));
            }
        });
        servers
    }

    pub fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn url(&self) -> String {
        format!("{}/mcp", self.base())
    }

    pub fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().expect("nobody panics").seen)
    }

    /// No token counts any more.
    pub fn revoke(&self) {
        self.state.lock().expect("nobody panics").tokens.clear();
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
        let (path, query) = request
            .target
            .split_once('?')
            .unwrap_or((&request.target, ""));
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
        self.see(format!(
            "register {}",
            asked["application_type"].as_str().unwrap_or_default()
        ));
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
        self.see(format!(
            "token by {} {}{basic}",
            of("grant_type"),
            of("client_id")
        ));
        let is_renewal = of("grant_type") == "refresh_token";
        if is_renewal && self.trick == Trick::Down {
            return refused("503 Service Unavailable", "temporarily_unavailable");
        }
        if self.trick == Trick::Rotating {
            // Others that use the same token meanwhile are to come too late.
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        let mut state = self.state.lock().expect("nobody panics");
        if self.trick == Trick::Rotating && is_renewal && of("refresh_token") != state.refresh {
            state.tokens.clear();
            state.refresh = String::new();
            return refused("400 Bad Request", "invalid_grant");
        }
        state.given += 1;
        let token = format!("tOkEn-{}", state.given);
        let scope = state.scope.clone();
        state.tokens.insert(token.clone(), scope.clone());
        if self.trick == Trick::Rotating {
            state.refresh = format!("rEnEw-{}", state.given);
        }
        let ends = match self.trick {
            Trick::ShortLived | Trick::Rotating | Trick::Down => 1,
            _ => 3600,
        };
        ok(json!({
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": ends,
            "refresh_token": state.refresh,
            "scope": scope,
        }))
    }

    /// The answer of the server itself, to an authorized client.
    fn answer(&self, request: &Request) -> Reply {
        let asked: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let tool = asked["params"]["name"].as_str().unwrap_or("read");
        let shown = header(&request.head, "authorization").unwrap_or_default();
        let token = shown.strip_prefix("Bearer ").unwrap_or_default();
        let scopes = self
            .state
            .lock()
            .expect("nobody panics")
            .tokens
            .get(token)
            .cloned();
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
            Some("tools/call") => {
                json!({ "content": [{ "type": "text", "text": format!("{tool} done") }] })
            }
            _ => {
                let error = json!({ "code": -32601, "message": "no such method" });
                return ok(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
        };
        ok(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }
}

/// The next request; none when the client has gone.
pub(super) fn read(reader: &mut impl BufRead) -> Option<Request> {
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

pub(super) fn header(head: &[String], name: &str) -> Option<String> {
    let mut lines = head.iter().filter_map(|it| it.split_once(':'));
    let found = lines.find(|it| it.0.eq_ignore_ascii_case(name));
    found.map(|it| it.1.trim().to_owned())
}

/// The fields of a query or a form.
fn fields(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').filter_map(|it| it.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), decoded(value)))
        .collect()
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
