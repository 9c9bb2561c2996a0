//! MCP servers that a person authorizes the use of: a server and its authorization server are here, and a person who opens what
//! the program shows.

mod servers;

use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::mcp_authorized::servers::{Servers, Trick, header, read};
use crate::program::{GSWC, Said, scratch};

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

    /// Without a person who could consent.
    fn alone(&self, words: &[&str]) -> Said {
        let output = self.command(words).output();
        output.expect("it can be started").into()
    }

    /// With a person who opens what is shown, and follows where that leads.
    fn with_person(&self, words: &[&str]) -> Said {
        let opened = self.0.join("opened");
        self.with_slow_person(words, |address| {
            let _ = std::fs::remove_file(&opened);
            let back = get(address).expect("the authorization server sends the person back");
            get(&back);
        })
    }

    /// With a person who is shown an address, in a file that lasts until it is removed.
    fn with_slow_person(&self, words: &[&str], mut shown: impl FnMut(&str)) -> Said {
        let mut command = self.command(words);
        command.env("GSW_BROWSER", self.0.join("browser"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it can be started");
        let opened = self.0.join("opened");
        while child.try_wait().expect("it is ours").is_none() {
            if let Ok(address) = std::fs::read_to_string(&opened) {
                shown(&address);
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

    /// The files that hold a text.
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

const RUN: &[&str] = &[
    "run",
    "main.gsw",
    "--",
    "--store",
    "runs.db",
    "--events",
    "events.jsonl",
];

// G27
#[test]
fn a_person_authorizes_a_server_once() {
    let (servers, home) = (Servers::start(Trick::None), Home::new("once"));
    home.program(&servers, "oauth()", "read");
    let said = home.with_person(RUN);
    assert_eq!(
        (said.out.trim(), said.code),
        ("\"read done\"", Some(0)),
        "{said:?}"
    );
    assert_eq!(
        servers.seen(),
        [
            "register native",
            "authorize made for read",
            "token by authorization_code made"
        ]
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
    home.program(&servers, "oauth()", "read");
    assert_eq!(home.with_person(RUN).code, Some(0));
    home.program(&servers, "oauth()", "write");
    let said = home.alone(RUN);
    assert!(said.err.contains("/mcp --scope write"), "{said:?}");
    servers.seen();
    let said = home.with_person(RUN);
    assert_eq!(
        (said.out.trim(), said.code),
        ("\"write done\"", Some(0)),
        "{said:?}"
    );
    let seen = servers.seen();
    let asked: Vec<&String> = seen
        .iter()
        .filter(|it| it.starts_with("authorize"))
        .collect();
    assert_eq!(asked, ["authorize made for write read"]);
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
    servers.revoke();
    assert_eq!(home.alone(RUN).code, Some(0));
}

/// Where refresh tokens count once, two who use the same one would lose the authorization of both.
#[test]
fn processes_that_renew_a_token_at_once_renew_it_one_after_the_other() {
    let (servers, home) = (Servers::start(Trick::Rotating), Home::new("rotating"));
    home.program(&servers, "oauth()", "read");
    assert_eq!(home.with_person(RUN).code, Some(0));
    let run = ["run", "main.gsw", "--", "--store", "off"];
    for _ in 0..3 {
        let running: Vec<_> = (0..4)
            .map(|_| {
                let mut command = home.command(&run);
                command.stdout(Stdio::piped()).stderr(Stdio::piped());
                command.spawn().expect("it can be started")
            })
            .collect();
        for child in running {
            let said: Said = child.wait_with_output().expect("it has ended").into();
            assert_eq!(said.out.trim(), "\"read done\"", "{said:?}");
        }
    }
}

/// One that lasts uses what another process has renewed meanwhile.
#[test]
fn a_token_that_another_process_has_renewed_is_not_renewed_with_the_one_before() {
    let (servers, home) = (Servers::start(Trick::Rotating), Home::new("lasting"));
    home.program(&servers, "oauth()", "read");
    assert_eq!(home.with_person(RUN).code, Some(0));
    let program = format!(
        r#"
import std/fs
mcp kept = http("{}", auth: oauth())
workflow main() -> [json] {{
  let first = kept.call("read")
  fs.write("begun", "")
  while not fs.exists("go_on") {{ sleep(10ms) }}
  [first, kept.call("read")]
}}
"#,
        servers.url()
    );
    std::fs::write(home.0.join("lasting.gsw"), program).expect("the folder can be written");
    let mut lasting = home.command(&["run", "lasting.gsw", "--", "--store", "off"]);
    lasting.stdout(Stdio::piped()).stderr(Stdio::piped());
    let lasting = lasting.spawn().expect("it can be started");
    while !home.0.join("begun").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(home.alone(RUN).code, Some(0));
    std::fs::write(home.0.join("go_on"), "").expect("the folder can be written");
    let said: Said = lasting.wait_with_output().expect("it has ended").into();
    assert_eq!(said.out.trim(), r#"["read done","read done"]"#, "{said:?}");
}

#[test]
fn a_person_is_not_asked_while_the_authorization_server_is_down() {
    let (servers, home) = (Servers::start(Trick::Down), Home::new("down"));
    home.program(&servers, "oauth()", "read");
    assert_eq!(home.with_person(RUN).code, Some(0));
    servers.revoke();
    servers.seen();
    let said = home.with_person(RUN);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("gives no token (HTTP 503)"), "{said:?}");
    let seen = servers.seen();
    assert!(
        !seen.iter().any(|it| it.starts_with("authorize")),
        "{seen:?}"
    );
}

/// A caller that gives up while the token is renewed does not lose the one that comes.
#[test]
fn a_token_is_renewed_also_where_nobody_waits_for_it_any_more() {
    let (servers, home) = (Servers::start(Trick::Rotating), Home::new("given_up"));
    home.program(&servers, "oauth()", "read");
    assert_eq!(home.with_person(RUN).code, Some(0));
    let program = format!(
        r#"
mcp kept = http("{}", auth: oauth())
tool read() -> json reads {{ kept.call("read") }}
workflow main() -> [json] {{
  let first = timeout 50ms {{ read() }} catch {{ Timeout(_) => "late" }}
  sleep(1s)
  [first, read()]
}}
"#,
        servers.url()
    );
    std::fs::write(home.0.join("given_up.gsw"), program).expect("the folder can be written");
    let said = home.alone(&["run", "given_up.gsw", "--", "--store", "off"]);
    assert_eq!(said.out.trim(), r#"["late","read done"]"#, "{said:?}");
}

/// Whoever can write the file chooses whose account the program works in, and whoever can read it uses that of its user.
#[test]
fn what_is_kept_is_used_where_it_is_whole_and_the_users_alone() {
    let (servers, home) = (Servers::start(Trick::None), Home::new("kept"));
    home.program(&servers, "oauth()", "read");
    assert_eq!(home.with_person(RUN).code, Some(0));
    let file = home.holding("tOkEn").pop().expect("it is kept");
    let rights = |mode| {
        let rights = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&file, rights).expect("it is ours");
    };
    for mode in [0o640, 0o602] {
        rights(mode);
        let said = home.alone(RUN);
        assert_eq!(said.code, Some(1));
        assert!(said.err.contains("`chmod 600`"), "{said:?}");
    }
    rights(0o600);
    assert_eq!(home.alone(RUN).code, Some(0));
    let whole = std::fs::read(&file).expect("it is there");
    std::fs::write(&file, &whole[..whole.len() / 2]).expect("it is ours");
    let said = home.alone(RUN);
    assert!(said.err.contains("it is damaged"), "{said:?}");
    assert!(!said.err.contains("tOkEn"), "{said:?}");
    // A person makes it whole again.
    assert_eq!(home.with_person(RUN).code, Some(0));
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
        [
            "authorize made for read",
            "token by authorization_code made"
        ]
    );
    let said = home.alone(&["run", "main.gsw", "--", "mcp", "logout", &url]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(home.alone(RUN).code, Some(1));
    assert!(home.holding("tOkEn").is_empty());
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
    let (servers, home) = (
        Servers::start(Trick::NoRegistration),
        Home::new("registered"),
    );
    home.program(&servers, "oauth()", "read");
    let said = home.with_person(RUN);
    assert!(
        said.err.contains("registers no programs by itself"),
        "{said:?}"
    );
    let secret = "client: \"shop\", secret: secret(\"CLIENT_SECRET\")";
    home.program(&servers, &format!("oauth({secret})"), "read");
    let said = home.with_person(RUN);
    assert!(said.err.contains("needs the `issuer`"), "{said:?}");
    let elsewhere = format!("oauth({secret}, issuer: \"https://other.example\")");
    home.program(&servers, &elsewhere, "read");
    let said = home.with_person(RUN);
    assert!(
        said.err.contains("registered at `https://other.example`"),
        "{said:?}"
    );
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
        (
            Trick::WrongResource,
            "its authorization is for `https://other.example/mcp`",
        ),
        (Trick::NoProof, "does not support PKCE"),
        (
            Trick::NeverEnough,
            "it refuses what a person has consented to",
        ),
        (Trick::InTheClear, "which is not `https`"),
        (Trick::Declined, "consent was not given: access_denied"),
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

const MEANWHILE: &str = r#"
import std/fs

mcp kept = http("URL", auth: oauth())

workflow main() -> [json] {
  let first = kept.call("read")
  let wants = spawn kept.call("write")
  while not fs.exists("opened") { sleep(10ms) }
  let meanwhile = kept.call("read")
  fs.write("meanwhile", "done")
  [first, meanwhile, await wants]
}
"#;

#[test]
fn calls_that_need_no_new_consent_do_not_wait_for_it() {
    let (servers, home) = (Servers::start(Trick::None), Home::new("meanwhile"));
    let program = MEANWHILE.replace("URL", &servers.url());
    std::fs::write(home.0.join("main.gsw"), program).expect("the folder can be written");
    let (opened, meanwhile) = (home.0.join("opened"), home.0.join("meanwhile"));
    let mut asked = 0;
    let mut was_done = false;
    let said = home.with_slow_person(RUN, |address| {
        asked += 1;
        let patience = if asked == 1 { 0 } else { 1_000 };
        for _ in 0..patience {
            if meanwhile.exists() {
                was_done = true;
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = std::fs::remove_file(&opened);
        let back = get(address).expect("the authorization server sends the person back");
        get(&back);
    });
    assert_eq!(
        said.out.trim(),
        "[\"read done\",\"read done\",\"write done\"]",
        "{said:?}"
    );
    assert!(was_done, "the second call waited for the person");
}
