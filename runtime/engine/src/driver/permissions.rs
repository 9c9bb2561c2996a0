//! What the `permissions` block of a program and `gsw.toml` let it do; without either it may do what its user may.
//!
//! With both, each must permit it: that the block asks for no more than the project grants is checked when the program is
//! compiled, by names alone, and a link may lead out of the one and not of the other.
//! Paths are resolved link by link before they are compared with the permitted roots, which are resolved as well, and the
//! operation is performed on the resolved path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gsw_abi::program::Program;

use crate::driver::{address, beneath, files, path};
use crate::model::{Media, MediaSource};
use crate::operation::{ExecRequest, Failure, Outcome, Request};

/// Variables that make a permitted program run other code, by the beginnings of their names; nothing grants them.
const LOADERS: &[&str] = &[
    "PATH",
    "LD_",
    "DYLD_",
    "GCONV_PATH",
    "BASH_ENV",
    "BASH_FUNC_",
];

/// Variables that every program gets: where it looks for others, who runs it, and how text is written.
const HARMLESS: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_", "TZ", "TERM", "TMPDIR",
];

/// What a program may do: what all of these let it do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permissions(Vec<Rules>);

#[derive(Clone, Debug, Default)]
struct Rules {
    read: Vec<String>,
    write: Vec<String>,
    net: Vec<String>,
    exec: Vec<String>,
    env: Vec<String>,
}

/// What is done with a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Permissions {
    /// What a program lists and what its project does, where either is there.
    pub(crate) fn of(program: &Program) -> Self {
        let lists = [&program.permissions, &program.ceiling];
        Self(
            lists
                .into_iter()
                .flatten()
                .map(|it| Rules::of(it))
                .collect(),
        )
    }

    /// Whether a request may be performed, as far as that can be told without looking at files or addresses.
    pub(crate) fn admit(&self, request: &Request) -> Result<(), Failure> {
        self.0.iter().try_for_each(|rules| rules.admit(request))
    }

    /// Which of this process's variables a program of the system gets; `None` for all.
    pub(crate) fn inherited(&self) -> Option<Vec<(OsString, OsString)>> {
        if self.0.is_empty() {
            return None;
        }
        let is_passed = |name: &OsString| {
            let Some(name) = name.to_str() else {
                return false;
            };
            let is_listed = |rules: &Rules| rules.env.iter().any(|it| it == name);
            self.0.iter().all(is_listed) || HARMLESS.iter().any(|it| is_named(it, name))
        };
        Some(std::env::vars_os().filter(|it| is_passed(&it.0)).collect())
    }

    /// Whether a host may be asked.
    pub(crate) fn admits_host(&self, host: &str, port: u16) -> bool {
        let admits = |rules: &Rules| rules.net.iter().any(|it| is_host(it, host, port));
        self.0.iter().all(admits)
    }

    /// Whether the provider of a model may be sent to the address of a medium.
    pub(crate) fn admit_media(&self, media: Media) -> Outcome {
        if let MediaSource::Url { url } = &media.source {
            match address::host_and_port(url) {
                Ok((host, port)) if self.admits_host(&host, port) => {}
                Ok((host, _)) => return Outcome::Failed(refusal(format!("`net` of `{host}`"))),
                Err(failure) => return Outcome::Failed(failure),
            }
        }
        Outcome::Media(media)
    }

    /// Performs an operation on files where they are permitted.
    pub(crate) fn perform_on_files(&self, mut request: Request) -> Outcome {
        if self.0.is_empty() {
            return files::perform(&request);
        }
        let access = match &request {
            Request::FsWrite { .. }
            | Request::FsWriteBytes { .. }
            | Request::FsAppend { .. }
            | Request::FsRemove { .. }
            | Request::FsMakeDir { .. } => Access::Write,
            _ => Access::Read,
        };
        let roots: Vec<Vec<PathBuf>> = self.0.iter().map(|it| it.roots(access)).collect();
        let is_removal = matches!(request, Request::FsRemove { .. });
        let (given, resolved) = match &mut request {
            Request::FsGlob { pattern } => {
                return glob(&roots, pattern);
            }
            Request::FsRead { path }
            | Request::FsReadBytes { path }
            | Request::FsWrite { path, .. }
            | Request::FsWriteBytes { path, .. }
            | Request::FsAppend { path, .. }
            | Request::FsExists { path }
            | Request::FsList { path }
            | Request::FsRemove { path }
            | Request::FsMakeDir { path } => {
                let resolved = if is_removal {
                    path::resolve_parent(Path::new(&*path))
                } else {
                    path::resolve(Path::new(&*path))
                };
                let resolved = resolved.ok().filter(|it| is_beneath_all(&roots, it));
                let Some(resolved) = resolved.and_then(|it| it.into_os_string().into_string().ok())
                else {
                    return denied(access, path);
                };
                (std::mem::replace(path, resolved.clone()), resolved)
            }
            _ => return files::perform(&request),
        };
        as_given(beneath::perform(&request), &resolved, &given)
    }
}

impl Rules {
    /// What is listed, by names.
    fn of(lists: &[(String, Vec<String>)]) -> Self {
        let listed = |name: &str| {
            let lists = lists.iter().filter(|it| it.0 == name);
            lists.flat_map(|it| it.1.clone()).collect()
        };
        Self {
            read: listed("fs.read"),
            write: listed("fs.write"),
            net: listed("net"),
            exec: listed("exec"),
            env: listed("env"),
        }
    }

    fn admit(&self, request: &Request) -> Result<(), Failure> {
        match request {
            Request::EnvGet { name } => self.admit_variable(name),
            Request::Exec { request } => self.admit_program(request),
            Request::Http { request } => {
                let names = request.headers.iter().flat_map(|it| it.1.names());
                names
                    .into_iter()
                    .try_for_each(|it| self.admit_variable(&it))
            }
            _ => Ok(()),
        }
    }

    fn roots(&self, access: Access) -> Vec<PathBuf> {
        let listed = match access {
            Access::Read => &self.read,
            Access::Write => &self.write,
        };
        let resolved = listed.iter().map(|it| path::resolve(Path::new(it)));
        resolved.flatten().collect()
    }

    fn admit_variable(&self, name: &str) -> Result<(), Failure> {
        if self.env.iter().any(|it| it == name) {
            return Ok(());
        }
        Err(refusal(format!("`env` of `{name}`")))
    }

    fn admit_program(&self, request: &ExecRequest) -> Result<(), Failure> {
        let program = request.argv.first().map_or("", String::as_str);
        if !self.exec.iter().any(|it| it == program) {
            return Err(refusal(format!("`exec` of `{program}`")));
        }
        for (name, value) in &request.env {
            let is_loader = LOADERS.iter().any(|it| name.starts_with(it));
            if is_loader || !self.env.contains(name) {
                return Err(refusal(format!(
                    "`{name}` in the environment of `{program}`"
                )));
            }
            for secret in value.names() {
                self.admit_variable(&secret)?;
            }
        }
        Ok(())
    }
}

/// Whether an entry that may end in `_` for all that begin so names a variable.
fn is_named(entry: &str, name: &str) -> bool {
    name == entry || (entry.ends_with('_') && name.starts_with(entry))
}

/// Whether an entry of `net` names a host: `api.example.org`, `api.example.org:8443`, `*.example.org` or `*`.
fn is_host(entry: &str, host: &str, port: u16) -> bool {
    let entry = entry.to_ascii_lowercase();
    let host = host.to_ascii_lowercase();
    let with_port = format!("{host}:{port}");
    if entry == "*" || entry == host || entry == with_port {
        return true;
    }
    let Some(ending) = entry.strip_prefix('*').filter(|it| it.starts_with('.')) else {
        return false;
    };
    host.ends_with(ending) || with_port.ends_with(ending)
}

/// Whether a resolved path is beneath what each lists.
fn is_beneath_all(roots: &[Vec<PathBuf>], path: &Path) -> bool {
    roots.iter().all(|it| path::is_beneath(it, path))
}

/// The paths that a pattern fits beneath the roots; what a link leads elsewhere is left out.
fn glob(roots: &[Vec<PathBuf>], pattern: &str) -> Outcome {
    let fixed: PathBuf = Path::new(pattern)
        .components()
        .take_while(|it| !it.as_os_str().to_string_lossy().contains(['*', '?', '[']))
        .collect();
    let start = path::resolve(&fixed);
    if !start.is_ok_and(|it| is_beneath_all(roots, &it)) {
        return denied(Access::Read, pattern);
    }
    let request = Request::FsGlob {
        pattern: pattern.to_owned(),
    };
    match files::perform(&request) {
        Outcome::Texts(mut paths) => {
            paths.retain(|it| {
                path::resolve(Path::new(it)).is_ok_and(|it| is_beneath_all(roots, &it))
            });
            Outcome::Texts(paths)
        }
        other => other,
    }
}

/// Names the path that the program gave, not what it stands for.
fn as_given(outcome: Outcome, resolved: &str, given: &str) -> Outcome {
    match outcome {
        Outcome::Failed(Failure::Io { message, .. }) => Outcome::Failed(Failure::Io {
            path: Some(given.to_owned()),
            message: message.replace(resolved, given),
        }),
        other => other,
    }
}

fn denied(access: Access, path: &str) -> Outcome {
    let name = match access {
        Access::Read => "fs.read",
        Access::Write => "fs.write",
    };
    Outcome::Failed(refusal(format!("`{name}` of `{path}`")))
}

fn refusal(what: String) -> Failure {
    Failure::Denied { what }
}

#[cfg(test)]
mod tests {
    use super::{Permissions, Rules, is_host};
    use crate::driver::beneath;
    use crate::operation::{Failure, Outcome, Request};

    fn is_denied(permissions: &Permissions, request: Request) -> bool {
        let outcome = permissions.perform_on_files(request);
        matches!(outcome, Outcome::Failed(Failure::Denied { .. }))
    }

    #[test]
    fn hosts_are_whole_names() {
        assert!(is_host("API.example.org", "api.example.org", 443));
        assert!(is_host("a.org:8443", "a.org", 8443) && !is_host("a.org:8443", "a.org", 443));
        assert!(is_host("*.a.org", "x.a.org", 443) && !is_host("*.a.org", "a.org", 443));
        assert!(!is_host("a.org", "evil-a.org", 443) && !is_host("a.org", "a.org.evil", 443));
    }

    #[test]
    fn a_link_that_was_put_there_after_the_check_is_not_followed() {
        let folder = std::env::temp_dir().join(format!("gsw-swapped-{}", std::process::id()));
        let folder = folder.canonicalize().unwrap_or(folder);
        std::fs::create_dir_all(folder.join("out")).expect("a folder for the test");
        std::fs::write(folder.join("out/key.txt"), "secret").expect("a file for the test");
        // What was a folder and a file when they were looked at are links now.
        std::os::unix::fs::symlink("out", folder.join("in")).expect("a link");
        std::os::unix::fs::symlink("out/key.txt", folder.join("file.txt")).expect("a link");
        for name in ["in/key.txt", "file.txt"] {
            let path = folder.join(name).display().to_string();
            let text = || "x".to_owned();
            for request in [
                Request::FsRead { path: path.clone() },
                Request::FsReadBytes { path: path.clone() },
                Request::FsAppend {
                    path: path.clone(),
                    text: text(),
                },
                Request::FsWrite {
                    path: path.clone(),
                    text: text(),
                },
                Request::FsList { path: path.clone() },
                Request::FsMakeDir {
                    path: format!("{path}/made"),
                },
            ] {
                let outcome = beneath::perform(&request);
                assert!(
                    matches!(outcome, Outcome::Failed(_)),
                    "{request:?}: {outcome:?}"
                );
            }
        }
        let key = std::fs::read_to_string(folder.join("out/key.txt")).expect("it is there");
        assert_eq!(key, "secret");
        std::fs::remove_dir_all(folder).expect("the test's folder can go");
    }

    #[test]
    fn paths_stay_beneath_their_roots() {
        let folder = std::env::temp_dir().join(format!("gsw-permissions-{}", std::process::id()));
        let inside = folder.join("in");
        std::fs::create_dir_all(&inside).expect("a folder for the test");
        std::fs::write(folder.join("out.txt"), "no").expect("a file for the test");
        std::fs::write(inside.join("a.txt"), "yes").expect("a file for the test");
        std::os::unix::fs::symlink("../out.txt", inside.join("link.txt")).expect("a link");
        std::os::unix::fs::symlink("../new.txt", inside.join("dangling")).expect("a link");
        let root = inside.display().to_string();
        let block = [("fs.read", &root), ("fs.write", &root)];
        let block = block.map(|(name, root)| (name.to_owned(), vec![root.clone()]));
        let permissions = Permissions(vec![Rules::of(&block)]);
        let read = |name: &str| Request::FsRead {
            path: format!("{root}/{name}"),
        };
        assert_eq!(
            permissions.perform_on_files(read("./x/../a.txt")),
            Outcome::Text("yes".into())
        );
        assert!(is_denied(&permissions, read("../out.txt")));
        assert!(is_denied(&permissions, read("link.txt")));
        let write = Request::FsWrite {
            path: format!("{root}/dangling"),
            text: String::new(),
        };
        assert!(is_denied(&permissions, write));
        let glob = permissions.perform_on_files(Request::FsGlob {
            pattern: format!("{root}/*.txt"),
        });
        assert_eq!(glob, Outcome::Texts(vec![format!("{root}/a.txt")]));
        // What the project grants as well is another folder, to which a link in this one leads.
        let other = [(
            "fs.read".to_owned(),
            vec![folder.join("out").display().to_string()],
        )];
        let both = Permissions(vec![Rules::of(&block), Rules::of(&other)]);
        assert!(is_denied(&both, read("a.txt")) && is_denied(&both, read("link.txt")));
        let remove = Request::FsRemove {
            path: format!("{root}/link.txt"),
        };
        assert_eq!(permissions.perform_on_files(remove), Outcome::Done);
        std::fs::remove_dir_all(folder).expect("the test's folder can go");
    }
}
