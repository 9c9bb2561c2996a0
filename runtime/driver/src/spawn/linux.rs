//! Starts a process in the memory of this one, so that it can ask to be killed when the calling thread ends.
//!
//! That (`PR_SET_PDEATHSIG`) has to be asked for by the new process itself before it becomes another program. `fork` would
//! copy the tables of this process's memory for it, a quarter of a second for some gigabytes; so the new process
//! borrows the memory until then, as in `posix_spawn`, which cannot ask.

use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStringExt;

use rustix::process::{Pid, Signal};

use super::Start;

/// The stack on which a process prepares itself; a few calls deep.
const STACK: usize = 64 << 10;

/// What the new process needs, allocated before it exists: it must not allocate.
struct Plan<'a> {
    program: &'a CStr,
    arguments: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    folder: Option<&'a CStr>,
    streams: [RawFd; 3],
    parent: Pid,
    /// Why it could not become the program.
    error: Option<rustix::io::Errno>,
}

impl Start {
    /// Starts it as the leader of a process group of its own.
    pub(crate) fn start(self) -> io::Result<Pid> {
        let program = text(self.program.into_os_string())?;
        let arguments = texts(self.arguments.into_iter().map(OsString::from))?;
        let variables = self.environment.into_iter().map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            name
        });
        let environment = texts(variables)?;
        let folder = self.folder.map(|it| text(it.into())).transpose()?;
        // Beyond the three numbers that they get, so that none is overwritten before it is used.
        let mut streams = Vec::new();
        for stream in &self.streams {
            streams.push(rustix::io::fcntl_dupfd_cloexec(stream, 3)?);
        }
        let mut plan = Plan {
            program: &program,
            arguments: pointers(&arguments),
            environment: pointers(&environment),
            folder: folder.as_deref(),
            streams: [0, 1, 2].map(|it: usize| streams[it].as_raw_fd()),
            parent: rustix::process::getpid(),
            error: None,
        };
        let child = split(&mut plan)?;
        match plan.error {
            None => Ok(child),
            Some(error) => {
                // It has ended already.
                let _ =
                    rustix::process::waitpid(Some(child), rustix::process::WaitOptions::empty());
                Err(error.into())
            }
        }
    }
}

/// Starts a process that executes a plan; returns when it has become the program, or has failed.
fn split(plan: &mut Plan<'_>) -> io::Result<Pid> {
    let mut stack = vec![0_u128; STACK / size_of::<u128>()];
    let top = stack.as_mut_ptr_range().end.cast::<c_void>();
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let plan = std::ptr::from_mut(plan).cast::<c_void>();
    // A handler would run in the new process on borrowed memory.
    let blocked = block_signals();
    // SAFETY: this thread sleeps until the new process has left this memory, so the plan, the stack, which grows down from an
    // aligned end, and this thread's own storage are the new process's alone. No handler of this process can run in it.
    let child = unsafe { libc::clone(carry_out, top, flags, plan) };
    let error = io::Error::last_os_error();
    set_signals(&blocked);
    Pid::from_raw(child.max(0)).ok_or(error)
}

/// The new process: becomes the program, or says why it cannot. It makes system calls only.
extern "C" fn carry_out(plan: *mut c_void) -> c_int {
    // SAFETY: it is the plan that `split` was given, and nothing else uses it now.
    let plan = unsafe { &mut *plan.cast::<Plan<'_>>() };
    plan.error = become_program(plan).err();
    // SAFETY: nothing of the process whose memory this is may run at the end of this one.
    unsafe { libc::_exit(127) }
}

fn become_program(plan: &Plan<'_>) -> Result<std::convert::Infallible, rustix::io::Errno> {
    use rustix::process::{chdir, getppid, set_parent_process_death_signal, setpgid};
    reset_signals();
    // A group of its own before it becomes the program, so that killing the group meets all that it starts.
    setpgid(None, None)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // A parent that ended before this was asked for is not heard of any more.
    if getppid() != Some(plan.parent) {
        return Err(rustix::io::Errno::SRCH);
    }
    for (number, stream) in (0..).zip(plan.streams) {
        // SAFETY: no memory is involved; the numbers below 3 are this process's own.
        if unsafe { libc::dup2(stream, number) } < 0 {
            return Err(last_error());
        }
    }
    if let Some(folder) = plan.folder {
        chdir(folder)?;
    }
    // SAFETY: a set of signals is plain data, and empty once it was emptied.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        set_signals(&none);
    }
    let (arguments, environment) = (plan.arguments.as_ptr(), plan.environment.as_ptr());
    // SAFETY: both are lists of texts that end with a null, as `pointers` makes them.
    unsafe { libc::execve(plan.program.as_ptr(), arguments, environment) };
    Err(last_error())
}

/// The new process is to find no signal handled or ignored for this one's reasons.
fn reset_signals() {
    for signal in 1..=libc::SIGRTMAX() {
        // SAFETY: actions are plain data; which numbers are signals the calls say by themselves.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let is_known = libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0;
            // The Rust runtime ignores these two, so that a write returns an error instead.
            let is_ours = matches!(signal, libc::SIGPIPE | libc::SIGXFSZ);
            let is_ignored = action.sa_sigaction == libc::SIG_IGN && !is_ours;
            if is_known && !is_ignored && action.sa_sigaction != libc::SIG_DFL {
                action.sa_sigaction = libc::SIG_DFL;
                action.sa_flags = 0;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    }
}

/// Blocks all signals for this thread and returns those that were blocked before.
fn block_signals() -> libc::sigset_t {
    // SAFETY: sets of signals are plain data.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        before
    }
}

fn set_signals(blocked: &libc::sigset_t) {
    // SAFETY: it is a whole set.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, blocked, std::ptr::null_mut()) };
}

fn last_error() -> rustix::io::Errno {
    rustix::io::Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(rustix::io::Errno::IO)
}

fn text(text: OsString) -> io::Result<CString> {
    CString::new(text.into_vec())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "it holds a null character"))
}

fn texts(texts: impl Iterator<Item = OsString>) -> io::Result<Vec<CString>> {
    texts.map(text).collect()
}

/// A list as C has it, which ends with a null.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    let pointers = texts.iter().map(|it| it.as_ptr());
    pointers.chain([std::ptr::null()]).collect()
}
