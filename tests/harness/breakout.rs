//! Programs that try to get at what their `permissions` do not list: each way is a test, and each is refused.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::{Said, scratch, text};

/// Runs a program in its folder, with `variables` in its environment.
fn run(folder: &Path, source: &str, words: &[&str], variables: &[(&str, &str)]) -> Said {
    let file = folder.join("main.gsw");
    std::fs::write(&file, source).expect("scratch can be written");
    Command::new(env!("CARGO_BIN_EXE_gswc"))
        .args(["run", "main.gsw", "--"])
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .envs(variables.iter().copied())
        .output()
        .expect("gswc can be started")
        .into()
}

fn fresh(name: &str) -> PathBuf {
    let folder = scratch("breakout").join(name);
    // Of an earlier run.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("scratch can be written");
    folder
}

fn script(path: &Path, says: &str) {
    std::fs::write(path, format!("#!/bin/sh\necho {says}\n")).expect("scratch can be written");
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, permissions).expect("it was just written");
}

#[test]
fn no_link_and_no_path_leads_out_of_a_folder() {
    let folder = fresh("files");
    std::fs::create_dir_all(folder.join("in")).expect("scratch can be written");
    std::fs::create_dir_all(folder.join("out/deep")).expect("scratch can be written");
    std::fs::write(folder.join("out/key.txt"), "secret").expect("scratch can be written");
    std::fs::write(folder.join("in/own.txt"), "own").expect("scratch can be written");
    symlink("../out", folder.join("in/link")).expect("a link can be made");
    symlink("../out/key.txt", folder.join("in/key.txt")).expect("a link can be made");
    symlink("../out/new.txt", folder.join("in/dangling")).expect("a link can be made");
    symlink("/proc/self/root", folder.join("in/root")).expect("a link can be made");
    let source = r#"
import std/fs
permissions { fs.read: ["./in"], fs.write: ["./in"] }
fn tried(of: fn() -> string) -> string { of() catch { PermissionDenied(_) => "denied", e => e.message() } }
fn bare(f: fn()) -> string { f(); "done" }
workflow main(path: string) -> [string] {
  [
    tried(() => fs.read(path)),
    tried(() => "${fs.read_bytes(path).len()}"),
    tried(() => bare(() => fs.write(path, "x"))),
    tried(() => bare(() => fs.append(path, "x"))),
    tried(() => "${fs.exists(path)}"),
    tried(() => fs.list("${path}/..").join(" ")),
    tried(() => bare(() => fs.make_dir("${path}/made"))),
    tried(() => "${image.file(path) == image.file(path)}"),
  ]
}
"#;
    let absolute = folder.join("out/key.txt");
    let rooted = format!("in/root{}", absolute.display());
    let ways = [
        "in/../out/key.txt",
        "in/link/key.txt",
        "in/key.txt",
        "in/dangling",
        "in/link/deep/../key.txt",
        "./in/./../out/key.txt",
        &rooted,
        text(&absolute),
        "/etc/passwd",
        "",
    ];
    for way in ways {
        let said = run(&folder, source, &["--path", way], &[]);
        assert_eq!(said.code, Some(0), "{way}: {said:?}");
        let denied = said.out.matches("\"denied\"").count();
        // `x/..` may be a permitted folder again.
        assert!(denied >= 7, "{way}: {}", said.out);
    }
    assert!(!folder.join("out/new.txt").exists() && !folder.join("out/made").exists());
    let key = std::fs::read_to_string(folder.join("out/key.txt"));
    assert_eq!(key.expect("it is still there"), "secret");
    let said = run(&folder, source, &["--path", "in/own.txt"], &[]);
    assert!(
        said.out
            .starts_with("[\"own\",\"3\",\"done\",\"done\",\"true\""),
        "{}",
        said.out
    );
}

#[test]
fn a_pattern_finds_nothing_outside_and_a_link_is_removed_itself() {
    let folder = fresh("patterns");
    std::fs::create_dir_all(folder.join("in")).expect("scratch can be written");
    std::fs::create_dir_all(folder.join("out")).expect("scratch can be written");
    std::fs::write(folder.join("out/key.txt"), "secret").expect("scratch can be written");
    std::fs::write(folder.join("in/own.txt"), "own").expect("scratch can be written");
    symlink("../out", folder.join("in/link")).expect("a link can be made");
    let source = r#"
import std/fs
permissions { fs.read: ["in"], fs.write: ["in"] }
workflow main(dots: string = "..") -> [string] {
  let found = fs.glob("in/**/*.txt") + fs.glob("in/*/*")
  let out = fs.glob("${dots}/*") catch { PermissionDenied(_) => ["denied"] }
  let climbed = fs.glob("in/*/${dots}/${dots}/out/*") catch { PermissionDenied(_) => ["denied"] }
  let through = do { fs.remove("in/link/key.txt"); ["removed"] } catch { PermissionDenied(_) => ["denied"] }
  fs.remove("in/link")
  found + out + climbed + through
}
"#;
    let said = run(&folder, source, &[], &[]);
    assert_eq!(
        said.out, "[\"in/own.txt\",\"denied\",\"denied\",\"denied\"]\n",
        "{said:?}"
    );
    assert!(folder.join("out/key.txt").exists() && !folder.join("in/link").exists());
}

/// Each file of the program says what it finds at `in/key.txt` before and after the folder is replaced.
#[test]
fn a_folder_that_is_replaced_during_a_run_leads_nowhere_else() {
    let folder = fresh("replaced");
    std::fs::create_dir_all(folder.join("in")).expect("scratch can be written");
    std::fs::create_dir_all(folder.join("private")).expect("scratch can be written");
    std::fs::write(folder.join("in/key.txt"), "own").expect("scratch can be written");
    std::fs::write(folder.join("private/key.txt"), "secret").expect("scratch can be written");
    let source = r#"
import std/exec
import std/fs
permissions { fs.read: ["./in"], fs.write: ["./in"], exec: ["sh"] }
fn tried(of: fn() -> string) -> string { of() catch { PermissionDenied(_) => "denied", e => e.message() } }
fn write(path: string) -> string { fs.write(path, "written"); "done" }
workflow main() -> [string] {
  let before = tried(() => fs.read("in/key.txt"))
  exec.check(["sh", "-c", "mv in old; ln -s private in"])
  let linked = [tried(() => fs.read("in/key.txt")), tried(() => write("in/new.txt")), tried(() => fs.glob("in/*").join(" "))]
  exec.check(["sh", "-c", "rm in; mv private in"])
  [before] + linked + [tried(() => fs.read("in/key.txt")), tried(() => write("in/new.txt"))]
}
"#;
    let said = run(&folder, source, &[], &[]);
    assert_eq!(
        said.out, "[\"own\",\"denied\",\"denied\",\"denied\",\"own\",\"done\"]\n",
        "{said:?}"
    );
    assert!(!folder.join("in/new.txt").exists() && folder.join("old/new.txt").exists());
}

#[test]
fn a_permitted_name_is_not_looked_up_where_the_program_runs() {
    let folder = fresh("commands");
    std::fs::create_dir_all(folder.join("evil")).expect("scratch can be written");
    script(&folder.join("evil/uname"), "evil");
    script(&folder.join("evil/tool"), "evil");
    script(&folder.join("tool"), "good");
    let source = r#"
import std/exec
permissions { exec: ["uname", "./tool"] }
fn tried(argv: [string], cwd: string?) -> string {
  exec.run(argv, cwd: cwd).stdout.trim() catch { PermissionDenied(_) => "denied", e => "error" }
}
workflow main(other: string) -> [string] {
  [tried(["uname"], "evil"), tried(["./tool"], "evil"), tried(["evil/../tool"], none), tried(["tool"], none), tried([other], none)]
}
"#;
    let path = format!(".:evil::{}", std::env::var("PATH").unwrap_or_default());
    let other = folder.join("tool");
    let said = run(
        &folder,
        source,
        &["--other", text(&other)],
        &[("PATH", &path)],
    );
    let system = Command::new("uname").output().expect("there is a system");
    let system = String::from_utf8_lossy(&system.stdout).trim().to_owned();
    let expected = format!("[\"{system}\",\"good\",\"denied\",\"denied\",\"denied\"]\n");
    assert_eq!(said.out, expected, "{said:?}");
}

#[test]
fn a_program_of_the_system_gets_no_variable_that_is_not_listed() {
    let folder = fresh("variables");
    let source = r#"
import std/exec
permissions { exec: ["env"], env: ["SHOWN", "OWN"] }
fn tried(of: fn() -> string) -> string { of() catch { PermissionDenied(what) => what, e => e.message() } }
fn named(variable: string) -> string { variable }
workflow main(hidden: string) -> [string] {
  let names = exec.run(["env"], env: { "OWN": "mine" }).stdout.lines().map(line => (line.split_once("=") ?? (line, "")).0)
  let wanted = ["SHOWN", "OWN", "PATH", "ANTHROPIC_API_KEY", "HIDDEN", "LD_PRELOAD"]
  wanted.map(name => "${name} ${name in names}") + [
    tried(() => exec.run(["env"], env: { (named("LD_PRELOAD")): "x.so" }).stdout),
    tried(() => exec.run(["env"], env: { (named("LD_ANYTHING")): "x" }).stdout),
    tried(() => exec.run(["env"], env: { (named("BASH_ENV")): "x" }).stdout),
    tried(() => exec.run(["env"], env: { (named("GIT_SSH_COMMAND")): "sh" }).stdout),
    tried(() => exec.run(["env"], env: { "OWN": secret(hidden) }).stdout),
  ]
}
"#;
    let variables = [("SHOWN", "1"), ("HIDDEN", "2"), ("ANTHROPIC_API_KEY", "3")];
    // The compiler refuses a name that it knows.
    let said = run(&folder, source, &["--hidden", "HIDDEN"], &variables);
    let expected = "[\"SHOWN true\",\"OWN true\",\"PATH true\",\"ANTHROPIC_API_KEY false\",\"HIDDEN false\",\"LD_PRELOAD false\",\
        \"`LD_PRELOAD` in the environment of `env`\",\"`LD_ANYTHING` in the environment of `env`\",\
        \"`BASH_ENV` in the environment of `env`\",\"`GIT_SSH_COMMAND` in the environment of `env`\",\"`env` of `HIDDEN`\"]\n";
    assert_eq!(said.out, expected, "{said:?}");
}

/// A server on this machine that redirects a request for `/away` to `localhost`, and says `here` to others.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let mut asked = [0; 4096];
            let length = socket.read(&mut asked).unwrap_or(0);
            let answer = if asked[..length].starts_with(b"GET /away") {
                format!(
                    "HTTP/1.1 302 Found\r\nlocation: http://localhost:{port}/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                )
            } else {
                "HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nhere".into()
            };
            // Whether the client still listens does not matter.
            let _ = socket.write_all(answer.as_bytes());
        }
    });
    port
}

/// What is granted, what is asked for, with which `Host` header, and what comes of it; `PORT` is the server's.
const ADDRESSES: &[(&str, &str, &str, &str)] = &[
    ("127.0.0.1", "http://127.0.0.1:PORT/", "", "here"),
    (
        "127.0.0.1",
        "http://127.0.0.1:PORT/away",
        "",
        "`net` of `localhost`",
    ),
    (
        "127.0.0.1",
        "http://127.0.0.1@localhost:PORT/",
        "",
        "`net` of `localhost`",
    ),
    (
        "127.0.0.1",
        "http://127.0.0.1:PORT@localhost:PORT/",
        "",
        "`net` of `localhost`",
    ),
    (
        "127.0.0.1",
        "http://localhost:PORT\\@127.0.0.1/",
        "",
        "`net` of `localhost`",
    ),
    (
        "127.0.0.1",
        "http://localhost:PORT#@127.0.0.1/",
        "",
        "`net` of `localhost`",
    ),
    (
        "127.0.0.1",
        "http://LOCALHOST:PORT/",
        "",
        "`net` of `localhost`",
    ),
    (
        "LOCALHOST",
        "http://127.0.0.1:PORT/",
        "",
        "`net` of `127.0.0.1`",
    ),
    (
        "example.org",
        "http://2130706433:PORT/",
        "",
        "`net` of `127.0.0.1`",
    ),
    (
        "example.org",
        "http://0x7f.1:PORT/",
        "",
        "`net` of `127.0.0.1`",
    ),
    (
        "127.0.0.1:1",
        "http://127.0.0.1:PORT/",
        "",
        "`net` of `127.0.0.1`",
    ),
    (
        "*.0.0.1",
        "http://localhost:PORT/",
        "",
        "`net` of `localhost`",
    ),
    ("127.0.0.1", "http://[::1]:PORT/", "", "`net` of `[::1]`"),
    ("[::1]:1", "http://[::1]:PORT/", "", "`net` of `[::1]`"),
    (
        "127.0.0.1",
        "http://[::ffff:127.0.0.1]:PORT/",
        "",
        "`net` of `[::ffff:7f00:1]`",
    ),
    // There is no listener, but it may be asked.
    ("[::1]:PORT", "http://[0:0::1]:PORT/", "", "error"),
    (
        "127.0.0.1",
        "http://127.0.0.1:PORT/",
        "evil.org",
        "`net` of `evil.org`",
    ),
    (
        "127.0.0.1",
        "http://127.0.0.1:PORT/",
        "127.0.0.1:80",
        "here",
    ),
    ("127.0.0.1", "file:///etc/passwd", "", "error"),
    // A wildcard is for what everybody reaches.
    ("*", "http://127.0.0.1:PORT/", "", "`net` of `127.0.0.1`"),
    (
        "*",
        "http://[::ffff:127.0.0.1]:PORT/",
        "",
        "`net` of `[::ffff:7f00:1]`",
    ),
    (
        "*",
        "http://169.254.169.254/",
        "",
        "`net` of `169.254.169.254`",
    ),
    ("localhost", "http://localhost:PORT/", "", "here"),
];

#[test]
fn no_address_leads_to_a_host_that_is_not_listed() {
    let port = server();
    let folder = fresh("hosts");
    let ask = |granted: &str, url: &str, header: &str| {
        let source = format!(
            r#"
import std/http
permissions {{ net: ["{granted}"] }}
workflow main(url: string, header: string) -> string {{
  let headers: {{string: secret}} = if header == "" {{ {{}} }} else {{ ({{ "Host": header }}) }}
  http.get(url, headers: headers).body catch {{ PermissionDenied(what) => what, e => "error" }}
}}
"#
        );
        let said = run(&folder, &source, &["--url", url, "--header", header], &[]);
        assert_eq!(said.code, Some(0), "{said:?}");
        said.out.trim().trim_matches('"').to_owned()
    };
    for (granted, url, header, expected) in ADDRESSES {
        let [granted, url] = [granted, url].map(|it| it.replace("PORT", &port.to_string()));
        assert_eq!(
            &ask(&granted, &url, header),
            expected,
            "{granted}: {url} {header}"
        );
    }
}
