//! Programs are run, fed, read, ended and given up.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use gsw_engine::operation::{ExecOutput, ExecRequest, Failure, Outcome};

use super::{Command, CommandHandle, Commands, Shared};
use crate::allowance::Allowance;
use crate::process::Surroundings;
use crate::work::{Abandoned, Completion};

fn shell(script: &str, stdin: Option<&str>, timeout_nanoseconds: Option<i64>) -> ExecRequest {
    ExecRequest {
        argv: ["sh", "-c", script].map(str::to_owned).into(),
        stdin: stdin.map(str::to_owned),
        cwd: None,
        timeout_nanoseconds,
        env: Vec::new(),
    }
}

fn perform(request: ExecRequest) -> Outcome {
    Commands::default().run_to_end(request, Surroundings::default())
}

fn begin(
    commands: &Commands,
    request: ExecRequest,
    allowance: Allowance,
) -> (CommandHandle, Receiver<Outcome>) {
    let (sender, outcome) = channel();
    let handle = commands.handle();
    let command = Command {
        request,
        around: Surroundings::default(),
        allowance,
        completion: Completion::new(move |it| drop(sender.send(it))),
    };
    commands.run(command, &handle);
    (handle, outcome)
}

#[test]
fn a_program_gets_its_input_and_gives_both_outputs() {
    let request = shell("cat; echo $WORD >&2; exit 3", Some("text"), None);
    let around = Surroundings {
        inherited: None,
        added: vec![("WORD".to_owned(), "problem".to_owned())],
    };
    let expected = ExecOutput {
        code: 3,
        stdout: "text".into(),
        stderr: "problem\n".into(),
    };
    let outcome = Commands::default().run_to_end(request, around);
    assert_eq!(outcome, Outcome::Exec(expected));
}

#[test]
fn input_and_output_larger_than_any_pipe_pass_and_input_need_not_be_read() {
    let long = "0123456789".repeat(500_000);
    let Outcome::Exec(output) = perform(shell("cat", Some(&long), None)) else {
        panic!("it gives what it is given");
    };
    assert!(output.stdout == long && output.code == 0);
    let unread = perform(shell("exit 4", Some(&long), None));
    assert!(matches!(unread, Outcome::Exec(it) if it.code == 4));
}

#[test]
fn a_late_program_ends_with_all_that_it_started() {
    let began = Instant::now();
    let outcome = perform(shell(
        "sleep 60 & echo started; wait",
        None,
        Some(100_000_000),
    ));
    let failure = Failure::Timeout {
        nanoseconds: 100_000_000,
    };
    assert_eq!(outcome, Outcome::Failed(failure));
    assert!(began.elapsed() < Duration::from_secs(30));
}

/// Whether a process is gone, which it may need a moment for after it was killed; one that nobody has waited for is.
fn is_gone(process: &str) -> bool {
    let state = || std::fs::read_to_string(format!("/proc/{process}/stat"));
    (0..500).any(|_| {
        let is_over = state().map_or(true, |it| it.contains(") Z "));
        if !is_over {
            std::thread::sleep(Duration::from_millis(10));
        }
        is_over
    })
}

#[test]
fn what_a_program_leaves_behind_ends_with_it() {
    for left in [
        "sleep 1000",
        "sleep 1000 > /dev/null 2>&1",
        "nohup sleep 1000",
    ] {
        let began = Instant::now();
        let Outcome::Exec(output) = perform(shell(&format!("{left} & echo $!"), None, None)) else {
            panic!("it has ended by itself: {left}");
        };
        assert!(began.elapsed() < Duration::from_secs(60), "{left}");
        assert_eq!(output.code, 0);
        let process = output.stdout.trim();
        assert!(!process.is_empty() && is_gone(process), "{left}: {process}");
    }
}

/// As `make > >(tee log)` does in a shell: the words of whom nobody waits for are not lost.
#[test]
fn what_a_program_leaves_behind_may_write_what_it_was_given() {
    let script =
        "mkfifo $FOLDER/pipe; (cat $FOLDER/pipe; sleep 0.1; echo last) & echo first > $FOLDER/pipe";
    let folder = std::env::temp_dir().join(format!("gsw-commands-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("temporary files can be written");
    let around = Surroundings {
        inherited: None,
        added: vec![("FOLDER".to_owned(), folder.display().to_string())],
    };
    let outcome = Commands::default().run_to_end(shell(script, None, None), around);
    std::fs::remove_dir_all(&folder).expect("it is there");
    let Outcome::Exec(output) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((output.code, &*output.stdout), (0, "first\nlast\n"));
}

#[test]
fn a_program_that_has_ended_is_not_late_for_what_it_has_left_behind() {
    let outcome = perform(shell("sleep 60 & echo done", None, Some(500_000_000)));
    assert!(
        matches!(&outcome, Outcome::Exec(it) if it.stdout == "done\n"),
        "{outcome:?}"
    );
}

/// What has left the group with the pipes of the program stays, and is not waited for.
#[test]
fn a_program_is_not_waited_for_by_what_left_its_group_with_its_pipes() {
    let began = Instant::now();
    let script =
        "setsid sleep 120 & while [ $(ps -o pgid= -p $!) = $$ ]; do sleep 0.01; done; echo $!";
    let outcome = perform(shell(script, None, None));
    assert!(
        matches!(&outcome, Outcome::Exec(it) if it.code == 0),
        "{outcome:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(60));
    if let Outcome::Exec(output) = outcome {
        // By `exec`, it has kept its number.
        let stayed = perform(shell(
            &format!("kill -9 {}", output.stdout.trim()),
            None,
            None,
        ));
        assert!(matches!(stayed, Outcome::Exec(it) if it.code == 0));
    }
}

#[test]
fn a_program_that_writes_without_end_is_ended() {
    let outcome = perform(shell("yes", None, None));
    assert!(
        matches!(outcome, Outcome::Failed(Failure::Io { message, .. }) if message.contains("more than"))
    );
    let allowance = Allowance::default();
    allowance.set(Some(1 << 20));
    let (_, outcome) = begin(&Commands::default(), shell("yes", None, None), allowance);
    assert_eq!(outcome.recv(), Ok(Outcome::Failed(Failure::TooLarge)));
}

#[test]
fn a_program_that_is_given_up_is_gone_and_one_that_has_ended_is_finished() {
    let commands = Commands::default();
    let (handle, outcome) = begin(
        &commands,
        shell("sleep 60", None, None),
        Allowance::default(),
    );
    assert_eq!(handle.abandon(), Abandoned::Stopped);
    // It was killed, or never started.
    assert!(matches!(
        outcome.recv(),
        Ok(Outcome::Failed(Failure::Other { .. } | Failure::Stopped))
    ));
    let (handle, outcome) = begin(&commands, shell("exit 0", None, None), Allowance::default());
    assert!(matches!(outcome.recv(), Ok(Outcome::Exec(_))));
    assert_eq!(handle.abandon(), Abandoned::Finished);
}

#[test]
fn a_command_that_waits_for_a_place_can_be_given_up() {
    let commands = Commands(Arc::new(Shared {
        most: 2,
        ..Shared::default()
    }));
    let long = || {
        begin(
            &commands,
            shell("sleep 60", None, None),
            Allowance::default(),
        )
    };
    let running = [long(), long()];
    let (waiting, outcome) = long();
    // It waits for them when they have started.
    for (handle, _) in &running {
        while !handle.group.is_running() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    assert_eq!(waiting.abandon(), Abandoned::Stopped);
    let given_up = outcome.recv_timeout(Duration::from_secs(20));
    assert!(matches!(given_up, Ok(Outcome::Failed(_))), "{given_up:?}");
    for (handle, outcome) in running {
        assert_eq!(handle.abandon(), Abandoned::Stopped);
        assert!(matches!(outcome.recv(), Ok(Outcome::Failed(_))));
    }
}

#[test]
fn a_late_program_is_not_waited_for_by_what_left_its_group_with_its_pipes() {
    let began = Instant::now();
    let outcome = perform(shell(
        "setsid sleep 120 & sleep 60",
        None,
        Some(300_000_000),
    ));
    assert!(matches!(outcome, Outcome::Failed(Failure::Timeout { .. })));
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[test]
fn hundreds_of_programs_run_at_once_on_one_thread() {
    let commands = Commands::default();
    let many: Vec<_> = (0..100)
        .map(|_| {
            begin(
                &commands,
                shell("sleep 60", None, None),
                Allowance::default(),
            )
        })
        .collect();
    let quick = commands.run_to_end(shell("exit 5", None, None), Surroundings::default());
    assert!(matches!(quick, Outcome::Exec(it) if it.code == 5));
    for (handle, outcome) in many {
        assert_eq!(handle.abandon(), Abandoned::Stopped);
        assert!(matches!(outcome.recv(), Ok(Outcome::Failed(_))));
    }
}

/// What this process does with signals, files and its folder is no concern of another program.
#[test]
fn a_program_begins_as_from_a_shell() {
    let script = "pwd; grep -E 'SigBlk|SigIgn' /proc/self/status | tr -d '\\n\\t'; echo; ls /proc/self/fd | wc -l; \
        ps -o pgid= -p $$ | tr -d ' '; echo $$; yes | head -1";
    let mut request = shell(script, Some("x"), None);
    request.cwd = Some("/usr".into());
    let Outcome::Exec(output) = perform(request) else {
        panic!("it runs");
    };
    let lines: Vec<&str> = output.stdout.lines().collect();
    let [folder, signals, files, group, process, last] = &lines[..] else {
        panic!("{output:?}");
    };
    assert_eq!((*folder, *last), ("/usr", "y"));
    let (blocked, ignored) = signals.split_once("SigIgn:").expect("both are there");
    assert_eq!(blocked, "SigBlk:0000000000000000");
    let ignored = u64::from_str_radix(ignored, 16).expect("it is a number");
    assert_eq!(ignored >> (libc::SIGPIPE - 1) & 1, 0);
    // What this process was given open it may pass on, but nothing that is its own.
    let expected = std::process::Command::new("sh")
        .args(["-c", "ls /proc/self/fd | wc -l"])
        .output();
    let expected = expected.expect("there is a shell").stdout;
    assert_eq!(*files, String::from_utf8_lossy(&expected).trim());
    assert_eq!(group, process);
}

#[test]
fn a_folder_that_is_not_there_and_a_file_that_is_no_program_are_errors() {
    let nowhere = ExecRequest {
        cwd: Some("/no/such/folder".into()),
        ..shell("true", None, None)
    };
    let Outcome::Failed(Failure::Io { message, .. }) = perform(nowhere) else {
        panic!("it cannot run there");
    };
    assert!(message.contains("in `/no/such/folder`"), "{message}");
    let request = ExecRequest {
        argv: vec!["/etc/passwd".into()],
        ..shell("", None, None)
    };
    assert!(matches!(
        perform(request),
        Outcome::Failed(Failure::Io { .. })
    ));
}

#[test]
fn a_missing_program_is_an_error() {
    let request = ExecRequest {
        argv: vec!["no-such-program-here".into()],
        ..shell("", None, None)
    };
    assert!(matches!(
        perform(request),
        Outcome::Failed(Failure::Io { .. })
    ));
}
