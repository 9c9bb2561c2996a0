//! The items of the standard library that the compiler knows by name.

use gsw_source::{Db, ItemId};

use crate::module::{PRELUDE, prelude_file, std_file};
use crate::scope::module_scope;

/// An item of the library that has a meaning of its own to the compiler; built-in errors are in the table of
/// [`gsw_abi::builtin::BuiltinError`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownItem {
    /// What `prompt.detail(…)` gives.
    Response,
    /// What each iteration of `parallel for … errors settle` gives.
    Result,
    /// What a judge after `reflect … with` gives.
    Reflection,
    /// The judge of a `reflect` that names none.
    ReflectOnFailure,
    /// What does not fit in an answer.
    Issue,
    /// The calls that a mock has answered.
    Calls,
    /// `trust(x, why)`, which vouches for a value.
    Trust,
    /// `Set<T>` of the library, which is no record to anybody outside of it.
    Set,
    /// `regex.new(pattern)`, whose pattern is known before it is called as a rule.
    RegexNew,
    /// The body of an HTTP request, to which many types convert.
    HttpBody,
    /// `fs.exists`, which a permission to write covers too.
    FsExists,
    FsIsFolder,
    /// `s.result()`, which raises what the prompt of the stream raises.
    StreamResult,
    /// What a declaration of an MCP server is.
    McpServer,
    /// `stdio(…)` in such a declaration.
    McpStdio,
    /// `http(…)` in it.
    McpHttp,
    /// `oauth(…)` in that.
    McpOAuth,
}

impl KnownItem {
    pub const ALL: &'static [Self] = &[
        Self::Response,
        Self::Result,
        Self::Reflection,
        Self::ReflectOnFailure,
        Self::Issue,
        Self::Calls,
        Self::Trust,
        Self::Set,
        Self::RegexNew,
        Self::HttpBody,
        Self::FsExists,
        Self::FsIsFolder,
        Self::StreamResult,
        Self::McpServer,
        Self::McpStdio,
        Self::McpHttp,
        Self::McpOAuth,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Response => "Response",
            Self::Result => "Result",
            Self::Reflection => "Reflection",
            Self::ReflectOnFailure => "reflect_on_failure",
            Self::Issue => "Issue",
            Self::Calls => "Calls",
            Self::Trust => "trust",
            Self::Set => "Set",
            Self::RegexNew => "new",
            Self::HttpBody => "Body",
            Self::FsExists => "exists",
            Self::FsIsFolder => "is_folder",
            Self::StreamResult => "result",
            Self::McpServer => "Server",
            Self::McpStdio => "stdio",
            Self::McpHttp => "http",
            Self::McpOAuth => "oauth",
        }
    }

    /// The module that declares it.
    const fn module(self) -> &'static str {
        match self {
            Self::Response
            | Self::Result
            | Self::Reflection
            | Self::ReflectOnFailure
            | Self::Issue
            | Self::Calls
            | Self::Trust => PRELUDE,
            Self::Set => "std/set",
            Self::RegexNew => "std/regex",
            Self::HttpBody => "std/http",
            Self::FsExists | Self::FsIsFolder => "std/fs",
            Self::StreamResult => "std/stream",
            Self::McpServer | Self::McpStdio | Self::McpHttp | Self::McpOAuth => "std/mcp",
        }
    }

    /// Its declaration; `None` only while the library itself is broken.
    #[must_use]
    pub fn item(self, db: &dyn Db) -> Option<ItemId> {
        let module = std_file(db, self.module())?;
        module_scope(db, module).items.get(self.name()).copied()
    }

    /// What `name` means in the declaration of an MCP server.
    #[must_use]
    pub fn transport(db: &dyn Db, name: &str) -> Option<ItemId> {
        let known = [Self::McpStdio, Self::McpHttp, Self::McpOAuth];
        known.into_iter().find(|it| it.name() == name)?.item(db)
    }

    #[must_use]
    pub fn is(self, db: &dyn Db, item: ItemId) -> bool {
        item.name(db) == self.name() && std_file(db, self.module()) == Some(item.file(db))
    }
}

/// The item of the prelude called `name`.
pub(crate) fn prelude_item(db: &dyn Db, name: &str) -> Option<ItemId> {
    module_scope(db, prelude_file(db)?).items.get(name).copied()
}
