//! Faults at the boundary of a service: a bank counts what was committed while programs that pay are killed, interrupted and cut
//! off at every point of a payment. Nothing is paid twice, nothing is lost, and what is not known is reported.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Child;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::killed::{Kept, kill, signal};
use crate::program::Said;

/// By what the bank knows that two requests are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Knows {
    Nothing,
    /// `PUT /pay/7` is the payment 7, however often it comes.
    Path,
    /// The header that every request which changes something carries.
    IdempotencyKey,
}

/// Where a payment is held until the program is gone, or what becomes of it otherwise. It happens once; then all goes well.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fault {
    /// Before the payment is asked for.
    BeforeItStarts,
    /// The connection is there, and nothing was read.
    Connected,
    /// Half of the request was read.
    HalfRead,
    /// It is committed, and nothing was answered.
    AnswerLost,
    /// It is committed, and half of the answer was sent.
    HalfAnswered,
    /// It is committed and answered: the program may have written that down or not.
    Answered,
    /// It is committed, and answered two seconds later.
    Slow,
    /// All of it is over; the program does something else.
    Afterwards,
    /// It is committed, and the connection breaks; the program continues.
    Broken,
    /// It is committed long after the program has given it up.
    LateSuccess,
}

const ALL: [Fault; 9] = [
    Fault::BeforeItStarts,
    Fault::Connected,
    Fault::HalfRead,
    Fault::AnswerLost,
    Fault::HalfAnswered,
    Fault::Answered,
    Fault::Afterwards,
    Fault::Broken,
    Fault::LateSuccess,
];

/// A bank at a port of this machine.
struct Bank {
    url: String,
    state: Arc<Mutex<State>>,
    /// Hears when a program is where the fault is.
    reached: Receiver<()>,
}

struct State {
    knows: Knows,
    fault: Option<Fault>,
    /// The paths that were committed, each as often as it was.
    committed: Vec<String>,
    /// What a request was answered, by what it is known by.
    known: BTreeMap<String, String>,
    reached: Sender<()>,
}

fn locked(state: &Arc<Mutex<State>>) -> MutexGuard<'_, State> {
    state.lock().expect("nobody panics with it")
}

impl Bank {
    fn new(knows: Knows, fault: Option<Fault>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it has one"));
        let (sender, reached) = channel();
        let state = Arc::new(Mutex::new(State {
            knows,
            fault,
            committed: Vec::new(),
            known: BTreeMap::new(),
            reached: sender,
        }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // A program that is killed breaks its connections.
                std::thread::spawn(move || drop(serve(stream, &state)));
            }
        });
        Self {
            url,
            state,
            reached,
        }
    }

    fn await_fault(&self) {
        let reached = self.reached.recv_timeout(Duration::from_secs(400));
        reached.expect("the fault is reached");
    }

    fn count(&self, part: &str) -> usize {
        let committed = &locked(&self.state).committed;
        committed.iter().filter(|it| it.contains(part)).count()
    }
}

/// A request as far as the bank reads it.
struct Asked {
    path: String,
    key: Option<String>,
}

/// Reads a request to its end; half of it where the head says how much there is.
fn read(stream: &mut TcpStream) -> std::io::Result<Option<Asked>> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let header = |name: &str| {
                head.lines().find_map(|line| {
                    let (is, value) = line.split_once(':')?;
                    is.eq_ignore_ascii_case(name)
                        .then(|| value.trim().to_owned())
                })
            };
            let length = header("content-length").and_then(|it| it.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                return Ok(Some(Asked {
                    path,
                    key: header("idempotency-key"),
                }));
            }
        }
        match stream.read(&mut buffer)? {
            0 => return Ok(None),
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Until the other end is gone.
fn hold(stream: &mut TcpStream, state: &Arc<Mutex<State>>) {
    let _ = locked(state).reached.send(());
    let _ = stream.set_read_timeout(Some(Duration::from_secs(120)));
    while stream.read(&mut [0; 64]).is_ok_and(|it| it > 0) {}
}

fn serve(mut stream: TcpStream, state: &Arc<Mutex<State>>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    loop {
        let mut first = [0; 16];
        // The first bytes say what is asked for, and stay where they are.
        let seen = loop {
            let seen = stream.peek(&mut first)?;
            if seen == 0 || seen == first.len() {
                break seen;
            }
        };
        if seen == 0 {
            return Ok(());
        }
        let is_payment = !String::from_utf8_lossy(&first).starts_with("GET");
        let fault = locked(state).fault;
        if is_payment && fault == Some(Fault::Connected) {
            locked(state).fault = None;
            hold_unread(&stream, state);
            return Ok(());
        }
        if is_payment && fault == Some(Fault::HalfRead) {
            locked(state).fault = None;
            let _ = stream.read(&mut [0; 40])?;
            hold_unread(&stream, state);
            return Ok(());
        }
        let Some(asked) = read(&mut stream)? else {
            return Ok(());
        };
        answer(&mut stream, state, &asked)?;
    }
}

/// Waits for the program to be gone without reading what it sent.
fn hold_unread(stream: &TcpStream, state: &Arc<Mutex<State>>) {
    let _ = locked(state).reached.send(());
    // What was not read hides the end of the connection. It outlasts the program, which is killed meanwhile.
    std::thread::sleep(Duration::from_secs(120));
    let _ = stream.shutdown(std::net::Shutdown::Both);
}

fn answer(stream: &mut TcpStream, state: &Arc<Mutex<State>>, asked: &Asked) -> std::io::Result<()> {
    let fault = locked(state).fault;
    let holds = match (asked.path.as_str(), fault) {
        ("/before", Some(Fault::BeforeItStarts)) | ("/after", Some(Fault::Afterwards)) => true,
        ("/before" | "/after", _) => false,
        (_, Some(Fault::LateSuccess)) => {
            locked(state).fault = None;
            // The program has given it up when it is done.
            hold(stream, state);
            commit(state, asked);
            return Ok(());
        }
        (_, fault) => return pay(stream, state, asked, fault),
    };
    if holds {
        locked(state).fault = None;
        hold(stream, state);
        return Ok(());
    }
    stream.write_all(&response("ready"))
}

fn pay(
    stream: &mut TcpStream,
    state: &Arc<Mutex<State>>,
    asked: &Asked,
    fault: Option<Fault>,
) -> std::io::Result<()> {
    let receipt = commit(state, asked);
    let response = response(&receipt);
    let is_here = matches!(
        fault,
        Some(
            Fault::AnswerLost | Fault::HalfAnswered | Fault::Answered | Fault::Slow | Fault::Broken
        )
    );
    if is_here {
        locked(state).fault = None;
    }
    match fault {
        Some(Fault::AnswerLost) => hold(stream, state),
        Some(Fault::HalfAnswered) => {
            stream.write_all(&response[..response.len() / 2])?;
            hold(stream, state);
        }
        Some(Fault::Answered) => {
            stream.write_all(&response)?;
            let _ = locked(state).reached.send(());
        }
        Some(Fault::Slow) => {
            let _ = locked(state).reached.send(());
            std::thread::sleep(Duration::from_secs(2));
            stream.write_all(&response)?;
        }
        Some(Fault::Broken) => return Err(std::io::ErrorKind::BrokenPipe.into()),
        Some(
            Fault::BeforeItStarts
            | Fault::Connected
            | Fault::HalfRead
            | Fault::Afterwards
            | Fault::LateSuccess,
        )
        | None => stream.write_all(&response)?,
    }
    Ok(())
}

/// Books it, unless it is known; gives the receipt.
fn commit(state: &Arc<Mutex<State>>, asked: &Asked) -> String {
    let mut state = locked(state);
    let known_by = match state.knows {
        Knows::Nothing => None,
        Knows::Path => Some(asked.path.clone()),
        Knows::IdempotencyKey => Some(asked.key.clone().expect("the program sends a key")),
    };
    if let Some(receipt) = known_by.as_ref().and_then(|it| state.known.get(it)) {
        return receipt.clone();
    }
    state.committed.push(asked.path.clone());
    let receipt = format!("receipt {}", state.committed.len());
    if let Some(known_by) = known_by {
        state.known.insert(known_by, receipt.clone());
    }
    receipt
}

fn response(body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\ncontent-type: text/plain\r\n\r\n{body}")
        .into_bytes()
}

/// How a program says what its payment is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tool {
    Once,
    /// By its own key, in the path.
    Keyed,
    /// By the key that the runtime gives it.
    Header,
}

impl Tool {
    const ALL: [Self; 3] = [Self::Once, Self::Keyed, Self::Header];

    const fn knows(self) -> Knows {
        match self {
            Self::Once => Knows::Nothing,
            Self::Keyed => Knows::Path,
            Self::Header => Knows::IdempotencyKey,
        }
    }

    /// The number of records of a run that has paid: its beginning, its build, what it asked before, the intent of what must
    /// happen once, and the outcome.
    const fn records(self) -> u64 {
        match self {
            Self::Once => 5,
            Self::Keyed | Self::Header => 4,
        }
    }

    fn source(self) -> String {
        let (class, call) = match self {
            Self::Once => ("once", "http.post(\"${url}/pay/${n}\", \"money\")"),
            Self::Keyed => (
                "idempotent by \"${n}\"",
                "http.put(\"${url}/pay/${n}\", \"money\")",
            ),
            Self::Header => (
                "idempotent by \"${n}\"",
                "http.post(\"${url}/pay\", \"money for ${n}\")",
            ),
        };
        format!(
            r#"
import std/http
tool pay(url: string, n: int) -> string {class} {{
  let answer = {call}
  answer.ok().body
}}

workflow main(url: string) -> string {{
  let _ = http.get("${{url}}/before").ok()
  let paid = timeout 20s {{ pay(url, 7) }} catch {{
    OutcomeUnknown(_) => "unknown"
    Timeout(_) => "too late"
    IoError(..) => "failed"
  }}
  let _ = http.get("${{url}}/after").ok()
  paid
}}
"#
        )
    }
}

fn started(kept: &Kept, bank: &Bank) -> Child {
    kept.start(&["--resume", "--url", &bank.url])
}

fn said(child: Child) -> Said {
    child.wait_with_output().expect("it ends").into()
}

/// What a program may say at its end, after this fault.
fn allowed(tool: Tool, fault: Fault) -> &'static [&'static str] {
    match (tool, fault) {
        (_, Fault::BeforeItStarts | Fault::Slow | Fault::Afterwards) => &["receipt 1"],
        // Whether the end of the answer was written down before the program was killed is a matter of luck.
        (Tool::Once, Fault::Answered) => &["receipt 1", "unknown"],
        (
            Tool::Once,
            Fault::Connected | Fault::HalfRead | Fault::AnswerLost | Fault::HalfAnswered,
        ) => &["unknown"],
        (Tool::Keyed | Tool::Header, Fault::Connected | Fault::HalfRead) => &["receipt 1"],
        (Tool::Keyed | Tool::Header, Fault::AnswerLost | Fault::HalfAnswered | Fault::Answered) => {
            &["receipt 1"]
        }
        // What was sent and must not happen twice may have been done, though the program lives.
        (Tool::Once, Fault::Broken | Fault::LateSuccess) => &["unknown"],
        (Tool::Keyed | Tool::Header, Fault::Broken) => &["failed"],
        (Tool::Keyed | Tool::Header, Fault::LateSuccess) => &["too late"],
    }
}

#[test]
fn a_payment_is_never_made_twice_nor_lost_wherever_its_program_dies() {
    let mut wrong = Vec::new();
    for tool in Tool::ALL {
        let source = tool.source();
        // The time limit is reached where the success is to be late.
        let quick = source.replace("timeout 20s", "timeout 1s");
        for fault in ALL {
            let source = if fault == Fault::LateSuccess {
                &quick
            } else {
                &source
            };
            let kept = Kept::new(&format!("fault-{tool:?}-{fault:?}"), source);
            let bank = Bank::new(tool.knows(), Some(fault));
            let child = started(&kept, &bank);
            let is_killed = !matches!(fault, Fault::Broken | Fault::LateSuccess);
            let end = if is_killed {
                bank.await_fault();
                if fault == Fault::Afterwards {
                    kept.await_records(tool.records());
                }
                let ended = kill(child);
                if allowed(tool, fault) == ["unknown"] {
                    // A doubt is resolved before the run resumes.
                    let shown = kept.run(&["runs", "show", &id(&kept)]);
                    assert!(shown.out.contains("it may have been done"), "{shown:?}");
                }
                ended.unwrap_or_else(|| said(started(&kept, &bank)))
            } else {
                said(child)
            };
            if fault == Fault::LateSuccess {
                // The bank hears that the program has gone, and commits.
                for _ in 0..1_000 {
                    if bank.count("/pay") > 0 {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
            let result = end.out.trim().trim_matches('"').to_owned();
            let count = bank.count("/pay");
            // A machine that is very busy may reach the time limit before the request is sent: then nothing is in doubt.
            let is_unsent = fault == Fault::LateSuccess && result == "too late" && count == 0;
            let is_allowed = is_unsent || allowed(tool, fault).contains(&&*result);
            let is_paid = result.starts_with("receipt");
            // A receipt is one payment; what is not known may be one; nothing is two.
            if end.code != Some(0) || !is_allowed || count > 1 || (is_paid && count != 1) {
                wrong.push(format!("{tool:?} {fault:?}: paid {count} times, {end:?}"));
            }
            let again = kept.run(&["runs", "resume"]);
            if again.err != "error: there is no run that was interrupted\n" {
                wrong.push(format!("{tool:?} {fault:?}: {again:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn id(kept: &Kept) -> String {
    kept.listed()["id"].as_str().expect("a text").to_owned()
}

/// A ctrl-c waits for what must not happen twice.
#[test]
fn a_payment_on_its_way_is_awaited_by_ctrl_c() {
    let kept = Kept::new("fault-interrupted", &Tool::Once.source());
    let bank = Bank::new(Knows::Nothing, Some(Fault::Slow));
    let child = started(&kept, &bank);
    bank.await_fault();
    signal(&child, "-INT");
    let first = said(child);
    assert_eq!(first.code, Some(130), "{first:?}");
    let second = said(started(&kept, &bank));
    assert_eq!(
        (second.code, &*second.out),
        (Some(0), "\"receipt 1\"\n"),
        "{second:?}"
    );
    assert_eq!(bank.count("/pay"), 1);
}

/// Killed, killed again while it is brought back, and then resumed by several at once.
#[test]
fn a_payment_is_made_once_by_a_run_that_is_killed_twice_and_resumed_by_many() {
    for tool in [Tool::Keyed, Tool::Header] {
        let kept = Kept::new(&format!("fault-again-{tool:?}"), &tool.source());
        let bank = Bank::new(tool.knows(), Some(Fault::AnswerLost));
        for fault in [Fault::AnswerLost, Fault::HalfAnswered, Fault::Afterwards] {
            locked(&bank.state).fault = Some(fault);
            let mut child = started(&kept, &bank);
            bank.await_fault();
            child.kill().expect("it can be killed");
            let _ = child.wait();
        }
        let id = id(&kept);
        let many: Vec<Child> = (0..4)
            .map(|_| kept.start(&["runs", "resume", &id]))
            .collect();
        let ends: Vec<Said> = many.into_iter().map(said).collect();
        let won = ends.iter().filter(|it| it.code == Some(0)).count();
        assert_eq!(won, 1, "{ends:?}");
        assert!(
            ends.iter().all(|it| match it.code {
                Some(0) => it.out == "\"receipt 1\"\n",
                code => code == Some(4),
            }),
            "{ends:?}"
        );
        assert_eq!(bank.count("/pay"), 1);
    }
}

/// A store that was copied before a payment and is used afterwards: the outside knows the payment by its key.
#[test]
fn a_restored_copy_of_a_store_pays_nothing_again() {
    for tool in [Tool::Keyed, Tool::Header] {
        let kept = Kept::new(&format!("fault-copy-{tool:?}"), &tool.source());
        let bank = Bank::new(tool.knows(), Some(Fault::AnswerLost));
        let mut child = started(&kept, &bank);
        bank.await_fault();
        child.kill().expect("it can be killed");
        let _ = child.wait();
        let copy = kept.folder.join("copy.db");
        for ending in ["", "-wal"] {
            let from = format!("{}{ending}", kept.store.display());
            if std::path::Path::new(&from).exists() {
                let to = format!("{}{ending}", copy.display());
                std::fs::copy(from, to).expect("it can be copied");
            }
        }
        let id = id(&kept);
        for store in [kept.store.clone(), copy] {
            let mut command = kept.command(&["runs", "resume", &id]);
            let output = command
                .env("GSW_STORE", &store)
                .output()
                .expect("it starts");
            let said: Said = output.into();
            assert_eq!(
                (said.code, &*said.out),
                (Some(0), "\"receipt 1\"\n"),
                "{said:?}"
            );
        }
        assert_eq!(bank.count("/pay"), 1);
    }
}

const UNDOES: &str = r#"
import std/http
tool pay(url: string) -> string once {
  http.post("${url}/pay/1", "money").ok().body
}
tool refund(url: string) -> string once {
  http.post("${url}/refund/1", "money").ok().body
}

workflow buy(url: string) -> string {
  let receipt = pay(url)
  undo { let _ = refund(url) }
  let _ = http.get("${url}/after").ok()
  if receipt != "" { fail Failed("out of stock") }
  receipt
}

workflow main(url: string) -> string {
  buy(url) catch { Failed(_) => "given back", OutcomeUnknown(_) => "unknown" }
}
"#;

/// The number of records of a run whose payment is recorded: its beginning, its build, the intent and the outcome.
const PAID: u64 = 4;

/// A run that dies while it takes something back takes it back at most once, and says what it does not know.
#[test]
fn what_is_taken_back_is_taken_back_once() {
    for fault in [
        Fault::Connected,
        Fault::AnswerLost,
        Fault::HalfAnswered,
        Fault::Answered,
    ] {
        let kept = Kept::new(&format!("fault-undo-{fault:?}"), UNDOES);
        let bank = Bank::new(Knows::Nothing, Some(Fault::Afterwards));
        let mut child = started(&kept, &bank);
        // It has paid; from here on the refund is in trouble.
        bank.await_fault();
        kept.await_records(PAID);
        child.kill().expect("it can be killed");
        let _ = child.wait();
        assert_eq!((bank.count("/pay"), bank.count("/refund")), (1, 0));
        locked(&bank.state).fault = Some(fault);
        let child = started(&kept, &bank);
        bank.await_fault();
        let end = kill(child).unwrap_or_else(|| said(started(&kept, &bank)));
        let refunds = bank.count("/refund");
        assert!(refunds <= 1, "{fault:?}: {refunds} refunds");
        assert_eq!(bank.count("/pay"), 1);
        let text = format!("{}{}", end.out, end.err);
        let knows = text.contains("OutcomeUnknown") || text.contains("unknown");
        assert!(
            knows || (refunds == 1 && text.contains("given back")),
            "{fault:?}: {refunds} refunds, {end:?}"
        );
    }
}
