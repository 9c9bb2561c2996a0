//! A run on a real terminal: what is on the screen while it runs, and what is left behind.

use std::io::Read;
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use fake_provider::{Body, Reply, Script};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::program::{root, run, scratch, text};
use crate::wire::with_provider;

/// Works on some items at once, writes to the log, and takes a while.
const WORKER: &str = r#"
workflow main(pause: duration = 1s, items: int = 6) -> string {
  step "prepare" { log.info("ready to\u{1b}[2J go") }
  defer { log.warn("cleaned up") }
  parallel for i in 1..=items limit 2 {
    step "item ${i} ${"日本".repeat(60)}" { sleep(pause) }
  }
  log.info("over")
  "done"
}
"#;

/// What precedes each drawing.
const FRAME_BEGIN: &[u8] = b"\x1b[?2026h";
/// What follows each drawing.
const FRAME_END: &[u8] = b"\x1b[?2026l";

fn cells(number: u16) -> NonZero<u16> {
    NonZero::new(number).expect("terminals of tests have cells")
}

/// A program on a terminal of its own.
pub struct Session {
    pub master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    keyboard: Option<Box<dyn std::io::Write + Send>>,
    screen: vt100::Parser,
    /// All that came, as it came.
    pub raw: Vec<u8>,
    /// How much of it is on the screen.
    drawn: usize,
}

impl Session {
    fn start(size: (u16, u16), words: &[&str], variables: &[(&str, &str)]) -> Self {
        let file = scratch("terminal").join("worker.gsw");
        std::fs::write(&file, WORKER).expect("the target folder can be written");
        Self::of(&file, size, words, variables)
    }

    pub fn of(file: &Path, size: (u16, u16), words: &[&str], variables: &[(&str, &str)]) -> Self {
        let run = ["run", text(file), "--"];
        Self::gswc(size, &[&run, words].concat(), variables)
    }

    /// Runs a command of `gswc`.
    pub fn gswc(size: (u16, u16), words: &[&str], variables: &[(&str, &str)]) -> Self {
        let (rows, cols) = size;
        let pair = native_pty_system()
            .openpty(PtySize {
                rows,
                cols,
                pixel_width: 0,
                pixel_height: 0,
            })
            .expect("a terminal can be made");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_gswc"));
        command.args(words);
        command.cwd(root());
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair
            .slave
            .spawn_command(command)
            .expect("gswc can be started");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("it can be read");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4_096];
            // A terminal whose program has ended is an error on some systems and an end on others.
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            master: pair.master,
            child,
            output,
            keyboard: None,
            screen: vt100::Parser::new(cells(rows), cells(cols), 1_000),
            raw: Vec::new(),
            drawn: 0,
        }
    }

    /// Reads until the screen shows what is wanted.
    pub fn wait_for(&mut self, wanted: &str) {
        self.wait_until(wanted, |shown| shown.contains(wanted));
    }

    /// Reads until the last line on the screen, which waits for keys, shows what is wanted.
    pub fn wait_for_prompt(&mut self, wanted: &str) {
        self.wait_until(wanted, |shown| {
            let last = shown.lines().rfind(|it| !it.trim().is_empty());
            last.is_some_and(|it| it.contains(wanted) && it.trim_end().ends_with(':'))
        });
    }

    fn wait_until(&mut self, wanted: &str, is_there: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_there(&self.shown()) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(why) => panic!("{wanted:?} never came ({why}); there is\n{}", self.shown()),
            }
        }
    }

    /// Reads to the end and gives the exit code.
    pub fn finish(&mut self) -> u32 {
        loop {
            match self.output.recv_timeout(Duration::from_secs(60)) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end:\n{}", self.shown()),
            }
        }
        self.screen.process(&self.raw[self.drawn..]);
        self.drawn = self.raw.len();
        self.child.wait().expect("it has ended").exit_code()
    }

    /// Shows what came up to the end of the last whole frame; the rest waits for its own end.
    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        let rest = &self.raw[self.drawn..];
        let end = rest
            .windows(FRAME_END.len())
            .rposition(|it| it == FRAME_END)
            .map(|it| it + FRAME_END.len());
        // What follows the last frame and begins none is no part of a drawing.
        let is_frame = |from: usize| {
            let rest = &rest[from..];
            rest.windows(FRAME_BEGIN.len()).any(|it| it == FRAME_BEGIN) || rest.contains(&0x1b)
        };
        let end = match end.unwrap_or(0) {
            from if is_frame(from) => from,
            _ => rest.len(),
        };
        let end = self.drawn + end;
        self.screen.process(&self.raw[self.drawn..end]);
        self.drawn = end;
    }

    pub fn type_in(&mut self, keys: &str) {
        if self.keyboard.is_none() {
            let keyboard = self.master.take_writer();
            self.keyboard = Some(keyboard.expect("it can be written"));
        }
        if let Some(keyboard) = &mut self.keyboard {
            std::io::Write::write_all(keyboard, keys.as_bytes()).expect("keys can be pressed");
        }
    }

    pub fn shown(&self) -> String {
        self.screen.screen().contents()
    }
}

/// What a model says, and then nothing more.
const HALF: &str = r#"event: message_start
data: {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "An old line\nThe rose\u001b[2J is "}}

"#;

/// G31: the end of an answer is below its prompt while it arrives.
#[test]
fn an_answer_is_drawn_while_it_arrives() {
    let file = scratch("terminal").join("arriving.gsw");
    let source = r#"
agent clerk { model: "anthropic/claude-sonnet-5-5" retry: 0 }
prompt tell(of: string) -> string by clerk { user "Of ${of}." }
workflow main() -> string {
  let answer = tell.stream("roses")
  for part in answer { }
  answer.result()
}
"#;
    std::fs::write(&file, source).expect("the target folder can be written");
    let reply = Reply {
        hang: true,
        ..Reply::of(Body::Stream(HALF.into()))
    };
    with_provider(Script::in_turn(vec![reply]), |url| {
        let variables = [
            ("ANTHROPIC_API_KEY", "key-of-tests"),
            ("ANTHROPIC_BASE_URL", url),
        ];
        let mut session = Session::of(&file, (24, 80), &[], &variables);
        session.wait_for("▸ The rose␛[2J is");
        let shown = session.shown();
        assert!(!shown.contains("An old line"), "{shown}");
        session.type_in("\u{3}");
        assert_eq!(session.finish(), 130);
        assert!(!session.shown().contains('▸'), "{}", session.shown());
    });
}

#[test]
fn a_run_is_drawn_while_it_goes_on() {
    let mut session = Session::start((24, 80), &[], &[]);
    session.wait_for("parallel 2/6");
    let shown = session.shown();
    assert!(
        shown.starts_with("info: ready to␛[2J go\n"),
        "the log is above:\n{shown}"
    );
    assert!(shown.contains("  ✓ prepare "), "{shown}");
    assert!(shown.contains("▕████        ▏"), "{shown}");
    assert!(
        shown.contains("item 3 日本") && shown.contains("item 4 日本"),
        "{shown}"
    );
    assert!(
        shown.lines().any(|it| it.ends_with('…')),
        "long rows are cut:\n{shown}"
    );
    assert_eq!(session.finish(), 0);
    let shown = session.shown();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines[..3],
        ["info: ready to␛[2J go", "info: over", "warn: cleaned up"],
        "{shown}"
    );
    assert!(lines[3].starts_with("✓ main  3.0"), "{shown}");
    assert!(
        lines.iter().any(|it| it.starts_with("  ✓ prepare ")),
        "{shown}"
    );
    assert!(
        lines
            .iter()
            .any(|it| it.starts_with("  ✓ parallel 6/6 ▕████████████▏")),
        "{shown}"
    );
    assert_eq!(lines.last(), Some(&"done"), "{shown}");
    let raw = String::from_utf8_lossy(&session.raw).into_owned();
    let frames = raw.matches("\u{1b}[?2026h").count();
    assert!(
        (5..45).contains(&frames),
        "{frames} frames in some three seconds"
    );
    assert!(!raw.contains("\u{1b}[?25l"), "the cursor is never hidden");
}

#[test]
fn items_of_a_parallel_that_failed_are_named_while_it_runs_and_at_the_end() {
    let source = "workflow main() -> [int] {
  parallel for n in 0..40 limit 4 errors merge {
    step \"work ${n}\" {
      sleep(if n < 39 { 10ms } else { 2s })
      if n == 3 { fail Failed(\"no 3\") }
      n
    }
  }
}
";
    let file = scratch("terminal").join("failing.gsw");
    std::fs::write(&file, source).expect("the target folder can be written");
    let mut session = Session::of(&file, (24, 80), &[], &[]);
    session.wait_for("✗ work 3");
    let shown = session.shown();
    assert!(shown.contains("Failed: no 3"), "{shown}");
    assert!(!shown.contains("✓ work"), "{shown}");
    assert_eq!(session.finish(), 1);
    let shown = session.shown();
    let tree: Vec<&str> = shown.lines().take(3).map(str::trim_start).collect();
    assert!(tree[1].starts_with("✗ parallel "), "{shown}");
    assert!(tree[2].starts_with("✗ work 3 "), "{shown}");
}

#[test]
fn helps_have_colours_on_a_terminal_that_shows_them() {
    let raw = |variables: &[(&str, &str)]| {
        let mut session = Session::gswc((40, 80), &["check", "--help"], variables);
        assert_eq!(session.finish(), 0);
        String::from_utf8_lossy(&session.raw).into_owned()
    };
    let coloured = raw(&[]);
    assert!(
        coloured.contains("\u{1b}[1mOptions:\u{1b}[0m"),
        "{coloured}"
    );
    assert!(
        coloured.contains("\u{1b}[36m--format <FORMAT>\u{1b}[0m"),
        "{coloured}"
    );
    assert!(!raw(&[("NO_COLOR", "1")]).contains('\u{1b}'));
}

#[test]
fn an_interrupt_leaves_a_whole_screen() {
    let mut session = Session::start((24, 80), &["--pause", "1h"], &[]);
    session.wait_for("parallel 0/6");
    let mut keyboard = session.master.take_writer().expect("it can be written");
    std::io::Write::write_all(&mut keyboard, &[3]).expect("a key can be pressed");
    assert_eq!(session.finish(), 130);
    let shown = session.shown();
    assert!(shown.contains("warn: cleaned up\n"), "{shown}");
    assert!(shown.contains("⊘ main"), "{shown}");
    assert!(shown.ends_with("cancelled"), "{shown}");
    assert!(!session.screen.screen().hide_cursor());
}

#[test]
fn a_small_terminal_that_changes_its_size_stays_whole() {
    let mut session = Session::start((8, 40), &["--items", "40", "--pause", "100ms"], &[]);
    // Which numbers are drawn depends on how busy the machine is.
    session.wait_for("/40");
    assert!(session.shown().lines().count() <= 8);
    let size = PtySize {
        rows: 8,
        cols: 24,
        pixel_width: 0,
        pixel_height: 0,
    };
    session
        .master
        .resize(size)
        .expect("a terminal can be resized");
    session.screen.screen_mut().set_size(cells(8), cells(24));
    assert_eq!(session.finish(), 0);
    let shown = session
        .screen
        .screen()
        .rows(0, 24)
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(shown.matches("✓ main").count(), 1, "{shown}");
    assert!(shown.contains("\ndone"), "{shown}");
}

#[test]
fn without_colours_or_cursor_there_are_none() {
    let mut session = Session::start((24, 80), &["--pause", "300ms"], &[("NO_COLOR", "1")]);
    assert_eq!(session.finish(), 0);
    let raw = String::from_utf8_lossy(&session.raw).into_owned();
    assert!(raw.contains("✓ main") && !raw.contains("\u{1b}[3"), "{raw}");
    let mut session = Session::start((24, 80), &["--pause", "1ms"], &[("TERM", "dumb")]);
    assert_eq!(session.finish(), 0);
    let raw = String::from_utf8_lossy(&session.raw).into_owned();
    assert!(raw.contains("✓ step prepare"), "{raw}");
    assert!(
        !raw.contains('\u{1b}') && raw.contains("ready to␛[2J go"),
        "{raw}"
    );
    let mut session = Session::start((24, 80), &["--pause", "1ms", "--quiet"], &[]);
    assert_eq!(session.finish(), 0);
    assert_eq!(String::from_utf8_lossy(&session.raw), "done\r\n");
}

#[test]
fn many_steps_are_few_lines_on_a_pipe_and_nothing_that_matters_is_left_out() {
    let source = "workflow main() -> int {
  for i in 0..3_000 {
    step \"review ${i}\" { i }
    if i % 1_000 == 0 { log.warn(\"look at ${i}\") }
    if i % 1_500 == 0 { step \"bad ${i}\" { fail Failed(\"no\") } catch { _ => 0 } }
  }
  1
}
";
    let file = scratch("terminal").join("steps.gsw");
    std::fs::write(&file, source).expect("the target folder can be written");
    let said = run(
        Path::new(env!("CARGO_BIN_EXE_gswc")),
        &["run", text(&file), "--"],
    );
    assert_eq!((said.code, said.out.as_str()), (Some(0), "1\n"), "{said:?}");
    let lines: Vec<&str> = said.err.lines().collect();
    let with = |part: &str| lines.iter().filter(|it| it.contains(part)).count();
    assert_eq!(
        (with("warn: look at"), with("✗ step bad")),
        (3, 2),
        "{said:?}"
    );
    let mut told = 0;
    for line in &lines {
        if let Some((_, rest)) = line.split_once("✓ step review … ") {
            let number = rest.split(' ').next().unwrap_or_default().replace(',', "");
            told += number.parse::<usize>().unwrap_or_default();
        } else if line.starts_with("✓ step review ") {
            told += 1;
        }
    }
    assert_eq!(told, 3_000, "{said:?}");
    assert!(lines.len() < 500, "{said:?}");
}

#[test]
fn on_a_pipe_there_are_plain_lines() {
    let file = scratch("terminal").join("worker.gsw");
    std::fs::write(&file, WORKER.replace("\\u{1b}[2J", ""))
        .expect("the target folder can be written");
    let said = run(
        Path::new(env!("CARGO_BIN_EXE_gswc")),
        &["run", text(&file), "--", "--pause", "1ms"],
    );
    assert_eq!(said.out, "\"done\"\n");
    assert!(
        said.err
            .starts_with("info: ready to go\n✓ step prepare (0 ms)\n"),
        "{}",
        said.err
    );
    assert!(!said.err.contains('\u{1b}'), "{}", said.err);
}
