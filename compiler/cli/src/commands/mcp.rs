//! `gswc mcp`: the MCP servers that a file declares, and the declarations of their tools; without a command the compiler as a server.

mod ask;
mod bounds;
mod declared;
mod schema;
mod serve;
mod source;

use std::path::{Path, PathBuf};

use gsw_codegen::{Access, replace};
use gsw_driver::servers::OAuth;
use gsw_service::{Act, Exit, Login};
use serde_json::{Map, Value};

use crate::commands::fmt::formatted;
use crate::commands::mcp::ask::{Offered, Servers};
use crate::commands::mcp::declared::{Declared, Tool};
use crate::commands::mcp::source::{Names, Shows};
use crate::{compile, report};

#[derive(clap::Args)]
pub struct Mcp {
    /// What to do about servers; without it the compiler is one, for coding agents.
    #[command(subcommand)]
    command: Option<Ask>,
}

#[derive(clap::Subcommand)]
enum Ask {
    /// Write a file that declares a server and its tools.
    Add {
        /// What the program calls the server; the file is `NAME.gsw`.
        name: String,
        /// Variables of the environment that the server is given as secrets; the server at an address is shown the first one as a bearer token.
        #[arg(long, value_name = "VARIABLE")]
        env: Vec<String>,
        /// A person authorizes the use of the server at an address, by OAuth.
        #[arg(long, conflicts_with = "env")]
        oauth: bool,
        /// The server's program and its arguments, or its address.
        #[arg(
            value_name = "PROGRAM",
            required = true,
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        program: Vec<String>,
    },
    /// Authorize the use of a server at an address, which is kept for all programs of the user.
    Login(At),
    /// Forget the authorization to use a server.
    Logout(At),
    /// List the servers and tools that a file declares.
    List {
        /// The file that declares them.
        file: PathBuf,
    },
    /// Call a tool of a server.
    Call {
        /// The file that declares the server.
        file: PathBuf,
        /// The tool, as the server calls it.
        tool: String,
        /// Its arguments, as a JSON object.
        #[arg(default_value = "{}")]
        arguments: String,
        /// The server, where the file declares several.
        #[arg(long, value_name = "NAME")]
        server: Option<String>,
    },
    /// Print the declarations of the tools that the servers have now.
    Types {
        /// The file that declares the servers.
        file: PathBuf,
    },
    /// Declare the tools that the servers have now, at the end of the file, and say what has changed.
    Lock {
        /// The file that declares the servers.
        file: PathBuf,
        /// Only say what has changed; exit with 1 if anything has.
        #[arg(long)]
        check: bool,
    },
}

/// A server, with what its declaration says in `oauth(…)`.
#[derive(clap::Args)]
struct At {
    /// The address of the server.
    #[arg(value_name = "ADDRESS")]
    url: String,
    /// The id under which the program was registered beforehand.
    #[arg(long, value_name = "ID")]
    client: Option<String>,
    /// The variable of the environment with the secret that goes with it.
    #[arg(long, value_name = "VARIABLE")]
    secret_from: Option<String>,
    /// The authorization server where it was registered.
    #[arg(long, value_name = "ADDRESS")]
    issuer: Option<String>,
    /// The document that describes the program.
    #[arg(long, value_name = "ADDRESS")]
    document: Option<String>,
    /// What to ask for; may be repeated.
    #[arg(long, value_name = "SCOPE")]
    scope: Vec<String>,
    /// The port of this machine to come back to.
    #[arg(long, value_name = "NUMBER")]
    port: Option<u16>,
}

/// Does what is asked about servers.
pub fn mcp(arguments: &Mcp) -> Exit {
    let Some(command) = &arguments.command else {
        return serve::serve();
    };
    let done = match command {
        Ask::Add {
            name,
            env,
            oauth,
            program,
        } => {
            let shows = match (oauth, env.as_slice()) {
                (true, _) => Shows::Authorization,
                (false, env) => Shows::Secrets(env),
            };
            add(name, shows, program)
        }
        Ask::Login(at) => Ok(log(Act::In, at)),
        Ask::Logout(at) => Ok(log(Act::Out, at)),
        Ask::List { file } => list(file),
        Ask::Call {
            file,
            tool,
            arguments,
            server,
        } => call(file, tool, arguments, server.as_deref()),
        Ask::Types { file } => types(file),
        Ask::Lock { file, check: false } => lock(file),
        Ask::Lock { file, check: true } => compare(file),
    };
    match done {
        Ok(exit) | Err(exit) => exit,
    }
}

fn log(act: Act, at: &At) -> Exit {
    let At {
        url,
        client,
        secret_from,
        issuer,
        document,
        scope,
        port,
    } = at;
    let login = Login {
        act,
        url: url.clone(),
        oauth: OAuth {
            client: client.clone(),
            secret: None,
            issuer: issuer.clone(),
            document: document.clone(),
            scopes: scope.clone(),
            port: *port,
        },
        secret_from: secret_from.clone(),
    };
    gsw_service::log(login, "gswc")
}

fn add(name: &str, shows: Shows<'_>, program: &[String]) -> Result<Exit, Exit> {
    if !source::is_function_name(name) {
        return Err(report::usage(&format!(
            "`{name}` cannot be the name of a server; it is a name as of a function"
        )));
    }
    if let (Shows::Authorization, None) = (shows, source::address(program)) {
        return Err(report::usage(
            &"`--oauth` is for a server at an address; one that is a program asks by itself",
        ));
    }
    let path = PathBuf::from(format!("{name}.gsw"));
    if path.exists() {
        return Err(report::failure(&format!(
            "`{}` already exists; `gswc mcp lock` renews the tools of its servers",
            path.display()
        )));
    }
    let text = source::server(name, shows, program);
    let servers = Servers::of(&path, &text)?;
    let whole = with_tools(&text, &servers)?;
    write(&path, &whole)?;
    compile::checked(&path)?;
    Ok(report::output(&format!(
        "{}: {}\n",
        path.display(),
        counted(&servers.declared)
    )))
}

fn counted(declared: &Declared) -> String {
    let names: Vec<&str> = declared.servers.iter().map(|it| it.name.as_str()).collect();
    format!(
        "`tools: [{0}.*]` gives a model the tools of `{0}`",
        names.join(", ")
    )
}

fn list(file: &Path) -> Result<Exit, Exit> {
    let servers = Servers::of(file, &read(file)?)?;
    let mut text = String::new();
    for server in &servers.declared.servers {
        text.push_str(&format!("{} = {}\n", server.name, server.transport));
        let tools = servers.declared.tools.iter();
        for tool in tools.filter(|it| it.server == server.name) {
            let lock = match tool.digest {
                Some(_) => "locked",
                None => "not locked",
            };
            let class = tool.class.as_deref().unwrap_or("once");
            let said = tool.said.as_deref();
            let said = said.map_or_else(String::new, |it| format!("  (the server says: {it})"));
            text.push_str(&format!("  {}  {class}  {lock}{said}\n", tool.name));
        }
    }
    Ok(report::output(&text))
}

fn call(file: &Path, tool: &str, arguments: &str, server: Option<&str>) -> Result<Exit, Exit> {
    let arguments: Map<String, Value> = gsw_notation::json::read(arguments)
        .map_err(|error| report::usage(&format!("the arguments are not a JSON object: {error}")))?;
    let text = read(file)?;
    let servers = Servers::of(file, &text)?;
    let name = match (server, servers.declared.servers.as_slice()) {
        (None, [only]) => only.name.clone(),
        (None, _) => {
            return Err(report::usage(
                &"several servers are declared; name one with `--server`",
            ));
        }
        (Some(name), all) if all.iter().any(|it| it.name == name) => name.to_owned(),
        (Some(name), _) => return Err(report::usage(&format!("no server `{name}` is declared"))),
    };
    let tool = servers.declared.at_server(&name, tool);
    let answer = match servers.declared.tool(&name, tool) {
        Some(declared) => servers.call_declared(&text, declared, arguments)?,
        None => servers.call(&name, tool, arguments)?,
    };
    Ok(report::output_json(&format!("{answer:#}\n")))
}

fn types(file: &Path) -> Result<Exit, Exit> {
    let text = read(file)?;
    let servers = Servers::of(file, &text)?;
    Ok(report::output(source::made(&with_tools(&text, &servers)?)))
}

fn lock(file: &Path) -> Result<Exit, Exit> {
    let text = read(file)?;
    let servers = Servers::of(file, &text)?;
    let whole = with_tools(&text, &servers)?;
    let changes = changes(file, &servers.declared, &whole)?;
    if whole != text {
        write(file, &whole)?;
    }
    let said = report::output(&changes);
    compile::checked(file)?;
    Ok(said)
}

fn compare(file: &Path) -> Result<Exit, Exit> {
    let text = read(file)?;
    let servers = Servers::of(file, &text)?;
    let whole = with_tools(&text, &servers)?;
    let changes = changes(file, &servers.declared, &whole)?;
    let said = report::output(&changes);
    let has_changed = said == Exit::Done && !changes.is_empty();
    Ok(if has_changed { Exit::Raised } else { said })
}

/// The text with declarations of what its servers have now in the place of those that were made before.
fn with_tools(text: &str, servers: &Servers) -> Result<String, Exit> {
    let mut names = Names::of(servers.declared.taken.iter().cloned());
    let mut made = String::new();
    for server in &servers.declared.servers {
        let Offered { tools, left_out } = servers.tools(&server.name)?;
        for remark in left_out.iter().chain(&source::unseen(server, &tools)) {
            report::note(remark);
        }
        made.push_str(&source::tools(
            server,
            &tools,
            &servers.declared,
            &mut names,
        ));
    }
    formatted(servers.path.clone(), &source::joined(text, &made))
}

/// A line for each tool that is new, gone or another one than before.
fn changes(file: &Path, before: &Declared, whole: &str) -> Result<String, Exit> {
    let after = Servers::of(file, whole)?.declared;
    let mut lines = String::new();
    let line = |what, tool: &Tool| {
        let name = source::shown(&tool.known_as);
        format!("{what}: {}.{name}\n", tool.server)
    };
    let is_locked = |it: &&Tool| it.digest.is_some();
    for tool in after.tools.iter().filter(is_locked) {
        let what = match before.locked(&tool.server, &tool.known_as) {
            None => "new",
            Some(old) if old.digest != tool.digest => "changed",
            Some(_) => continue,
        };
        lines.push_str(&line(what, tool));
        let kept = before.kept(&tool.server, &tool.known_as);
        for parameter in kept.iter().flat_map(|it| it.trusts_more_than(tool)) {
            let name = source::shown(&tool.known_as);
            lines.push_str(&format!(
                "gone: {}.{name} `{parameter}` trusted\n",
                tool.server
            ));
        }
    }
    let is_gone = |it: &&Tool| after.locked(&it.server, &it.known_as).is_none();
    for tool in before.tools.iter().filter(is_locked).filter(is_gone) {
        lines.push_str(&line("gone", tool));
    }
    Ok(lines)
}

fn read(path: &Path) -> Result<String, Exit> {
    std::fs::read_to_string(path)
        .map_err(|error| report::failure(&format!("`{}` cannot be read: {error}", path.display())))
}

fn write(path: &Path, text: &str) -> Result<(), Exit> {
    replace(path, text.as_bytes(), Access::Usual).map_err(|error| {
        report::failure(&format!("`{}` cannot be written: {error}", path.display()))
    })
}
