//! Starts a process that the system kills when the calling thread ends, where the system can do that.

#[cfg(target_os = "linux")]
mod linux;

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

pub(crate) struct Start {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) folder: Option<String>,
    /// Standard input, output and error output.
    pub(super) streams: [OwnedFd; 3],
}

#[cfg(not(target_os = "linux"))]
impl Start {
    /// Starts it as the leader of a process group of its own.
    pub(crate) fn start(self) -> std::io::Result<rustix::process::Pid> {
        use std::os::unix::process::CommandExt;
        let mut command = std::process::Command::new(self.program);
        let mut arguments = self.arguments.into_iter();
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        let [input, output, errors] = self.streams;
        command.args(arguments).env_clear().envs(self.environment);
        command
            .stdin(input)
            .stdout(output)
            .stderr(errors)
            .process_group(0);
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        let number = i32::try_from(command.spawn()?.id()).unwrap_or_default();
        rustix::process::Pid::from_raw(number).ok_or_else(|| std::io::ErrorKind::Other.into())
    }
}
