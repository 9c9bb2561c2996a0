//! What the `permissions` block of a program and `gsw.toml` let it do; without either it may do what its user may.
//!
//! With both, each must permit it: that the block asks for no more than the project grants is checked when the program is
//! compiled, by names alone, and a link may lead out of the one and not of the other.
//! Paths are resolved link by link before they are compared with the permitted roots, which were resolved and opened when the
//! engine started, and the operation is performed beneath the open root.

use std::ffi::OsString;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_abi::permission::{Permission, Permitted};
use gsw_abi::program::Program;
use gsw_abi::provider::Provider;
use gsw_engine::media::{Media, MediaSource};
use gsw_engine::operation::{Failure, Outcome, PlaceOfServer, Request, Rights};
use gsw_engine::secret::Template;

use crate::allowance::Allowance;
use crate::files::{Access, Action, FileWork, Target, Trouble, Wanted};
use crate::glob::{Glob, Unfit};
use crate::root::Root;
use crate::web::Reach;
use crate::work::Work;
use crate::{address, files, path};

/// Variables that make a permitted program run other code, by the beginnings of their names; nothing grants them.
const LOADERS: &[&str] = &[
    "PATH",
    "LD_",
    "DYLD_",
    "GCONV_PATH",
    "BASH_ENV",
    "BASH_FUNC_",
];

/// Variables that every program gets: where it looks for others, which user runs it, and how text is written.
const HARMLESS: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_", "TZ", "TERM", "TMPDIR",
];

/// What a program may do: what all of these let it do.
#[derive(Debug, Default)]
pub(crate) struct Permissions(Vec<Arc<Rules>>);

#[derive(Debug, Default)]
struct Rules {
    read: Vec<Root>,
    write: Vec<Root>,
    net: Vec<String>,
    exec: Vec<String>,
    env: Vec<String>,
    /// The providers of models, where not all are granted that are named: to what a model has written.
    providers: Option<Vec<String>>,
}

impl Permissions {
    /// The permissions that a program declares and those of its project, where they exist.
    pub(crate) fn of(program: &Program) -> Self {
        let lists = [&program.permissions, &program.ceiling];
        Self(
            lists
                .into_iter()
                .flatten()
                .map(|it| Arc::new(Rules::of(it)))
                .collect(),
        )
    }

    /// What of it a program may do that a model has written.
    pub(crate) fn within(&self, rights: &Rights) -> Self {
        let mut all = self.0.clone();
        all.push(Arc::new(Rules {
            providers: Some(rights.providers.clone()),
            ..Rules::of(&rights.around)
        }));
        all.extend(rights.own.iter().map(|it| Arc::new(Rules::of(it))));
        Self(all)
    }

    /// Whether a request may be performed, as far as that is known without looking at files or addresses.
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
            let is_listed = |rules: &Arc<Rules>| rules.env.iter().any(|it| it == name);
            self.0.iter().all(is_listed) || HARMLESS.iter().any(|it| is_named(it, name))
        };
        Some(std::env::vars_os().filter(|it| is_passed(&it.0)).collect())
    }

    /// Where a host may lead: what every list grants.
    pub(crate) fn reach(&self, host: &str, port: u16) -> Reach {
        let reaches = self.0.iter().map(|rules| rules.reach(host, port));
        reaches.min().unwrap_or(Reach::Anywhere)
    }

    /// Whether the provider of a model may be sent to the address of a medium.
    pub(crate) fn admit_media(&self, media: Media) -> Outcome {
        if let MediaSource::Url { url } = &media.source {
            match address::host_and_port(url) {
                Ok((host, port)) if self.reach(&host, port) != Reach::Nowhere => {}
                Ok((host, _)) => return Outcome::Failed(refusal(Permission::Net, &host)),
                Err(failure) => return Outcome::Failed(failure),
            }
        }
        Outcome::Media(media)
    }

    /// Performs an operation on files where they are permitted.
    pub(crate) fn perform_on_files(&self, request: &Request, work: &FileWork<'_>) -> Outcome {
        match Wanted::of(request) {
            Some(Wanted::At { path, action }) => match self.target(path, action) {
                Some(target) => files::perform(path, action, &target, work),
                None => denied(action.access(), path),
            },
            Some(Wanted::Search { pattern }) => self.search(pattern, work),
            None => Outcome::Failed(Failure::Other {
                message: "this is no operation on files".into(),
            }),
        }
    }

    /// As [`Self::perform_alone`], of what is permitted.
    pub(crate) fn perform_admitted(&self, request: &Request) -> Outcome {
        match self.admit(request) {
            Ok(()) => self.perform_alone(request),
            Err(failure) => Outcome::Failed(failure),
        }
    }

    /// Performs a request that is never given up and has no limits.
    pub(crate) fn perform_alone(&self, request: &Request) -> Outcome {
        let (work, allowance) = (Work::default(), Allowance::default());
        let work = FileWork {
            work: &work,
            allowance: &allowance,
            pool: None,
        };
        self.perform_on_files(request, &work)
    }

    /// The absolute path of a folder that a server is told to work in, which the program itself must be permitted to list or to
    /// write.
    pub(crate) fn folder(&self, path: &str) -> Result<PathBuf, Failure> {
        let resolved = path::resolve(Path::new(path)).map_err(|error| Failure::Io {
            path: Some(path.to_owned()),
            message: error.to_string(),
        })?;
        let is_open = self.0.iter().all(|rules| {
            let mut ways = [Access::Read, Access::Write].into_iter();
            ways.any(|it| rules.root(it, &resolved).is_some())
        });
        if !is_open {
            return Err(refusal(Permission::FsRead, path));
        }
        Ok(resolved)
    }

    fn search(&self, pattern: &str, work: &FileWork<'_>) -> Outcome {
        let glob = match Glob::parse(pattern) {
            Ok(glob) => glob,
            Err(Unfit::Climbs) if !self.0.is_empty() => return denied(Access::Read, pattern),
            Err(unfit) => return files::outcome_of(pattern, unfit.into()),
        };
        let start = glob.start();
        match self.target(&start, Action::List) {
            Some(target) => {
                // What a link leads elsewhere is nothing that the program could use.
                let admits = |link: &str| self.target(link, Action::List).is_some();
                files::search(pattern, &glob, &target, &admits, work)
            }
            None => denied(Access::Read, pattern),
        }
    }

    /// Where an operation works; `None` when it is not permitted there.
    fn target<'a>(&'a self, path: &'a str, action: Action<'_>) -> Option<Target<'a>> {
        if self.0.is_empty() {
            return Some(Target::Anywhere(path));
        }
        let resolved = match action {
            Action::Remove => path::resolve_parent(Path::new(path)),
            Action::Read
            | Action::ReadBytes
            | Action::Write(_)
            | Action::Append(_)
            | Action::Exists
            | Action::List
            | Action::MakeFolder => path::resolve(Path::new(path)),
        };
        let resolved = resolved.ok()?;
        let mut nearest: Option<&Root> = None;
        for rules in &self.0 {
            // Permission to write somewhere includes asking what is there.
            let root = rules
                .root(action.access(), &resolved)
                .or_else(|| match action {
                    Action::Exists => rules.root(Access::Write, &resolved),
                    Action::Read
                    | Action::ReadBytes
                    | Action::Write(_)
                    | Action::Append(_)
                    | Action::List
                    | Action::Remove
                    | Action::MakeFolder => None,
                })?;
            if nearest.is_none_or(|it| it.depth() < root.depth()) {
                nearest = Some(root);
            }
        }
        Some(Target::Beneath {
            root: nearest?,
            path: resolved,
            is_folder: path.ends_with('/') || path.ends_with("/."),
        })
    }
}

impl From<Unfit> for Trouble {
    fn from(unfit: Unfit) -> Self {
        Self::System(io::Error::other(match unfit {
            Unfit::Syntax(error) => error.to_string(),
            Unfit::Climbs => {
                "`..` after a wildcard is unsupported; begin the pattern with a more specific folder"
                    .into()
            }
            Unfit::SlashInBraces => {
                "the choices in braces are parts of one name, so none of them has a `/`: search once for each folder".into()
            }
            Unfit::TooManyInBraces => "its braces stand for too many names".into(),
        }))
    }
}

impl Rules {
    /// What is listed, by names.
    fn of(lists: &Permitted) -> Self {
        let listed = |it: Permission| lists.get(&it).cloned().unwrap_or_default();
        // Where nothing can be opened, nothing is permitted.
        let pinned = |it| listed(it).iter().flat_map(|it| Root::pin(it)).collect();
        Self {
            read: pinned(Permission::FsRead),
            write: pinned(Permission::FsWrite),
            net: listed(Permission::Net),
            exec: listed(Permission::Exec),
            env: listed(Permission::Env),
            providers: None,
        }
    }

    fn admit(&self, request: &Request) -> Result<(), Failure> {
        match request {
            Request::EnvGet { name } => self.admit_variable(name),
            Request::Exec { request } => self.admit_program(&request.argv, &request.env),
            // The server does what it does as a program does.
            Request::Mcp { request } => match &request.at {
                PlaceOfServer::Program { argv, env } => self.admit_program(argv, env),
                PlaceOfServer::Address {
                    url,
                    headers,
                    oauth,
                } => {
                    self.admit_headers(headers)?;
                    self.admit_headers(oauth)?;
                    self.admit_consent(url, oauth)
                }
            },
            Request::Http { request } => self.admit_headers(&request.headers),
            // `fs.read` and `fs.write`: whether a path may be used is known once it is resolved, where the work is done.
            Request::FsRead { .. }
            | Request::FsReadBytes { .. }
            | Request::FsWrite { .. }
            | Request::FsWriteBytes { .. }
            | Request::FsAppend { .. }
            | Request::FsExists { .. }
            | Request::FsList { .. }
            | Request::FsGlob { .. }
            | Request::FsRemove { .. }
            | Request::FsMakeDir { .. } => Ok(()),
            // `net`: its address is looked at by `admit_media`.
            Request::MediaUrl { .. } => Ok(()),
            Request::Model { request, .. } => self.admit_model(&request.model),
            // What the host, a person or another system does is not the program's doing.
            Request::Host { .. } | Request::Human { .. } | Request::External { .. } => Ok(()),
            // What is mocked needs no permission.
            Request::Mocked { .. } => Ok(()),
            // A workflow has what the program has.
            Request::StartRun { .. } | Request::OtherRun { .. } => Ok(()),
            // Nothing outside is reached.
            Request::Sleep { .. }
            | Request::Now
            | Request::Random
            | Request::RandomInt { .. }
            | Request::Uuid
            | Request::Piece { .. }
            | Request::Scripted { .. }
            | Request::Compile { .. }
            | Request::LookUp { .. }
            | Request::Keep { .. } => Ok(()),
        }
    }

    /// The nearest root above a resolved path.
    fn root(&self, access: Access, path: &Path) -> Option<&Root> {
        let roots = match access {
            Access::Read => &self.read,
            Access::Write => &self.write,
        };
        let covering = roots.iter().filter(|it| it.covers(path));
        covering.max_by_key(|it| it.depth())
    }

    fn reach(&self, host: &str, port: u16) -> Reach {
        let reaches = self.net.iter().map(|it| entry_reach(it, host, port));
        reaches.max().unwrap_or(Reach::Nowhere)
    }

    fn admit_variable(&self, name: &str) -> Result<(), Failure> {
        if self.env.iter().any(|it| it == name) {
            return Ok(());
        }
        Err(refusal(Permission::Env, name))
    }

    /// The secrets in headers; where they are sent is checked by the code that sends them.
    fn admit_headers(&self, headers: &[(String, Template)]) -> Result<(), Failure> {
        let mut names = headers.iter().flat_map(|it| it.1.names());
        names.try_for_each(|it| self.admit_variable(&it))
    }

    /// A model that a program names is granted by that, and not one that a model names in what it writes.
    fn admit_model(&self, model: &str) -> Result<(), Failure> {
        let (Some(granted), Some((provider, _))) = (&self.providers, Provider::of(model)) else {
            return Ok(());
        };
        if provider.is_granted(granted) {
            return Ok(());
        }
        Err(refused(format!("models of `{}`", provider.name())))
    }

    /// A person consents to what a program of theirs does, and not to what a model writes.
    fn admit_consent(&self, url: &str, oauth: &[(String, Template)]) -> Result<(), Failure> {
        if self.providers.is_none() || oauth.is_empty() {
            return Ok(());
        }
        Err(refused(format!("a person's authorization at `{url}`")))
    }

    fn admit_program(&self, argv: &[String], env: &[(String, Template)]) -> Result<(), Failure> {
        let program = argv.first().map_or("", String::as_str);
        if !self.exec.iter().any(|it| it == program) {
            return Err(refusal(Permission::Exec, program));
        }
        for (name, value) in env {
            let is_loader = LOADERS.iter().any(|it| name.starts_with(it));
            if is_loader || !self.env.contains(name) {
                return Err(refused(format!(
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

/// Where an entry of `net` lets a host lead: `api.example.org`, `api.example.org:8443`, `*.example.org` or `*`.
fn entry_reach(entry: &str, host: &str, port: u16) -> Reach {
    let entry = entry.to_ascii_lowercase();
    let host = host.to_ascii_lowercase();
    let with_port = format!("{host}:{port}");
    if entry == host || entry == with_port {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_address = bare.parse::<IpAddr>().is_ok();
        return if is_address {
            Reach::Anywhere
        } else {
            Reach::Listed
        };
    }
    let is_below = |ending: &str| {
        ending.starts_with('.') && (host.ends_with(ending) || with_port.ends_with(ending))
    };
    match entry.strip_prefix('*') {
        Some(ending) if ending.is_empty() || is_below(ending) => Reach::Public,
        _ => Reach::Nowhere,
    }
}

fn denied(access: Access, path: &str) -> Outcome {
    let permission = match access {
        Access::Read => Permission::FsRead,
        Access::Write => Permission::FsWrite,
    };
    Outcome::Failed(refusal(permission, path))
}

fn refusal(permission: Permission, target: &str) -> Failure {
    refused(format!("`{permission}` of `{target}`"))
}

fn refused(what: String) -> Failure {
    Failure::Denied { what }
}

#[cfg(test)]
mod tests;
