//! What a file says of servers: their declarations, and those of their tools.

use gsw_names::{Presence, item_signature, source_text};
use gsw_source::{Database, Db, File, ItemId, ItemKind, Span};
use gsw_syntax::ast::{ItemBody, Parameter, RepeatClass, Signature};
use gsw_syntax::{file_item_ids, item_ast};

/// With what the comment begins that holds what a server says of a tool for people.
pub(super) const SAYS: &str = "// The server says, and nothing relies on it: ";

pub(super) struct Declared {
    pub(super) servers: Vec<Server>,
    pub(super) tools: Vec<Tool>,
    /// Names of the file's declarations that are not made anew.
    pub(super) taken: Vec<String>,
    /// What a program needs of the file that asks its servers, as text.
    pub(super) needed: String,
}

pub(super) struct Server {
    pub(super) name: String,
    /// As written in the source.
    pub(super) transport: String,
}

pub(super) struct Tool {
    pub(super) server: String,
    pub(super) name: String,
    /// Its name at the server.
    pub(super) known_as: String,
    /// How it may be repeated, as it is written.
    pub(super) class: Option<String>,
    pub(super) digest: Option<String>,
    /// Its parameters, as another declaration has them.
    pub(super) parameters: String,
    /// With which it is called where those are in scope.
    pub(super) arguments: String,
    /// What the server says of it for people, if the file holds that.
    pub(super) said: Option<String>,
    /// The names of the parameters that are `trusted`.
    trusted: Vec<String>,
    gives: Presence,
}

impl Tool {
    /// ` trusted`, where it is written after a parameter.
    pub(super) fn trust_of(&self, parameter: &str) -> &'static str {
        match self.trusted.iter().any(|it| it == parameter) {
            true => TRUSTED,
            false => "",
        }
    }

    /// The parameters that are `trusted` here and not there: the server has none of that name any more.
    pub(super) fn trusts_more_than<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a str> {
        let trusted = self.trusted.iter().filter(|it| !other.trusted.contains(it));
        trusted.map(String::as_str)
    }

    /// The same for the result.
    pub(super) const fn trust_of_result(&self) -> &'static str {
        match self.gives {
            Presence::Present => TRUSTED,
            Presence::Absent => "",
        }
    }
}

const TRUSTED: &str = " trusted";

impl Declared {
    /// Of a file whose text before `made` is its author's.
    pub(super) fn of(db: &Database, file: File, made: usize) -> Self {
        let mut found = Self {
            servers: Vec::new(),
            tools: Vec::new(),
            taken: Vec::new(),
            needed: String::new(),
        };
        for &item in file_item_ids(db, file) {
            found.add(db, item);
            let start = gsw_syntax::item_offset(db, item);
            if (start as usize) < made {
                found.taken.push(item.name(db).to_string());
            }
        }
        found
    }

    /// The tool that a server knows by a name.
    pub(super) fn tool(&self, server: &str, known_as: &str) -> Option<&Tool> {
        let mut tools = self.tools.iter();
        tools.find(|it| it.server == server && it.known_as == known_as)
    }

    /// The tool of that name whose declaration was made, not written by hand.
    pub(super) fn locked(&self, server: &str, known_as: &str) -> Option<&Tool> {
        let mut tools = self.tools.iter().filter(|it| it.digest.is_some());
        tools.find(|it| it.server == server && it.known_as == known_as)
    }

    /// What is declared of a tool: where its server was given another name, by the one that is not declared any more.
    pub(super) fn kept(&self, server: &str, known_as: &str) -> Option<&Tool> {
        let is_declared = |name: &str| self.servers.iter().any(|it| it.name == name);
        let orphans = self.tools.iter().filter(|it| !is_declared(&it.server));
        let mut alike = orphans.filter(|it| it.known_as == known_as);
        self.tool(server, known_as)
            .or_else(|| match (alike.next(), alike.next()) {
                (Some(only), None) => Some(only),
                (Some(_) | None, _) => None,
            })
    }

    /// The name of a tool at its server, by that or by the one that it is declared by.
    pub(super) fn at_server<'a>(&'a self, server: &str, name: &'a str) -> &'a str {
        let mut tools = self.tools.iter();
        let declared = tools.find(|it| it.server == server && it.name == name);
        match (self.tool(server, name), declared) {
            (None, Some(declared)) => &declared.known_as,
            (Some(_), _) | (None, None) => name,
        }
    }

    fn add(&mut self, db: &dyn Db, item: ItemId) {
        let Some(tree) = item_ast(db, item) else {
            return;
        };
        let text = |span: Span| source_text(db, item, span).to_string();
        if let ItemBody::Mcp { name, transport } = &tree.body {
            self.servers.push(Server {
                name: name.name.to_string(),
                transport: text(transport.span),
            });
        }
        let is_needed = matches!(
            item.kind(db),
            ItemKind::Import | ItemKind::Mcp | ItemKind::Const | ItemKind::Permissions
        );
        if is_needed {
            self.needed.push_str(&text(tree.span));
            self.needed.push('\n');
        }
        let ItemBody::Tool { signature, .. } = &tree.body else {
            return;
        };
        let head = &item_signature(db, item).signature;
        // A renamed tool keeps its earlier name.
        let server = match (head.server, &signature.by) {
            (Some(server), _) => server.name(db).to_string(),
            (None, Some(by)) => text(by.span),
            (None, None) => return,
        };
        let class = signature.repeat.as_ref().map(|it| match it {
            RepeatClass::Pure(_) => "pure".to_owned(),
            RepeatClass::Reads(_) => "reads".to_owned(),
            RepeatClass::Once(_) => "once".to_owned(),
            RepeatClass::Idempotent(key) => format!("idempotent by {}", text(key.span)),
        });
        let locked = head.locked.as_ref();
        self.tools.push(Tool {
            server,
            name: item.name(db).to_string(),
            known_as: locked.map_or(item.name(db), |it| &it.name).to_string(),
            class,
            digest: locked.map(|it| it.digest.to_string()),
            parameters: parameters(signature, &text),
            arguments: arguments(signature),
            said: said_before(db, item),
            trusted: head
                .parameters
                .iter()
                .filter(|it| it.trusted == Presence::Present)
                .map(|it| it.name.to_string())
                .collect(),
            gives: head.trusted,
        });
    }
}

/// The parameters of a tool as text. Who calls it by hand answers for what is `trusted`.
fn parameters(signature: &Signature, text: &impl Fn(Span) -> String) -> String {
    let parameter = |it: &Parameter| {
        let attributes: Vec<String> = it.attributes.iter().map(|it| text(it.span)).collect();
        let ty = it.ty.as_ref().map_or_else(String::new, |it| text(it.span));
        let default = it.default.as_ref();
        let default = default.map_or_else(String::new, |it| format!(" = {}", text(it.span)));
        let attributes = attributes.join(" ");
        format!("{attributes} {}: {ty}{default}", it.name.name)
    };
    let all: Vec<String> = signature.parameters.iter().map(parameter).collect();
    all.join(", ")
}

fn arguments(signature: &Signature) -> String {
    let argument = |it: &Parameter| match &it.default {
        Some(_) => format!("{0}: {0}", it.name.name),
        None => it.name.name.to_string(),
    };
    let all: Vec<String> = signature.parameters.iter().map(argument).collect();
    all.join(", ")
}

/// What the comment before a declaration says that the server says.
fn said_before(db: &dyn Db, item: ItemId) -> Option<String> {
    let whole = item.file(db).text(db);
    let before = whole.get(..gsw_syntax::item_offset(db, item) as usize)?;
    let line = before.trim_end().lines().next_back()?;
    line.strip_prefix(SAYS).map(str::to_owned)
}
