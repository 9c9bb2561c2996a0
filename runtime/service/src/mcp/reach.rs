//! How clients reach a server, from the words after `mcp`: by its pipes, or by HTTP at an address.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::arguments::{BuiltinOptions, EventSink, UsageError};
use crate::runs::arguments::read_option;

/// Where it listens unless it is given another address.
const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8765);

/// How clients reach the server.
#[derive(Clone, PartialEq, Debug)]
pub enum Reach {
    /// The one that has started it, by its standard input and output.
    Pipes,
    /// Any client that can connect.
    Http(Http),
}

/// Where a server listens, and which clients it accepts.
#[derive(Clone, PartialEq, Debug)]
pub struct Http {
    pub address: SocketAddr,
    /// `--host`: further names under which clients know it.
    pub hosts: Vec<String>,
    /// `--token-from`: the variable with the token that clients must show.
    pub token: Option<String>,
}

/// A server that is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Serving {
    pub options: BuiltinOptions,
    pub reach: Reach,
}

/// How the options are written that `mcp` alone has, and what they do.
pub(crate) const OPTIONS: &[(&str, &str)] = &[
    (
        "--http [ADDRESS]",
        "Serve any client by HTTP, at a port or address; `127.0.0.1:8765` by default",
    ),
    (
        "--host <NAME>",
        "A further name by which clients reach it; may be given more than once",
    ),
    (
        "--token-from <VARIABLE>",
        "The variable with the token that clients must show",
    ),
];

/// Reads the words after `mcp`.
///
/// # Errors
/// When a word does not fit; the message says which.
pub fn parse(words: &[String]) -> Result<Serving, UsageError> {
    let mut options = BuiltinOptions::default();
    let (mut address, mut hosts, mut token) = (None, Vec::new(), None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, inline) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        let mut value = || {
            let value = inline.or_else(|| words.next().map(String::as_str));
            value.ok_or_else(|| UsageError(format!("`{name}` needs a value: write `{name} VALUE`")))
        };
        match name {
            "--http" => {
                let next = words.as_slice().first().map(String::as_str);
                let given = match inline {
                    Some(given) => Some(given),
                    None => next.filter(|it| !it.starts_with("--")),
                };
                if inline.is_none() && given.is_some() {
                    words.next();
                }
                address = Some(given.map_or(Ok(ADDRESS), read_address)?);
            }
            "--host" => hosts.push(read_host(value()?)?),
            "--token-from" => token = Some(value()?.to_owned()),
            _ => match word.strip_prefix("--") {
                Some(option) => read_option("mcp", option, &mut options, &mut words)?,
                None => {
                    let message =
                        format!("`mcp` takes no `{word}`: its client names the tool and its input");
                    return Err(UsageError(message));
                }
            },
        }
    }
    if options.events == Some(EventSink::Standard) && address.is_none() {
        let message = "standard output belongs to the client: write `--events FILE`";
        return Err(UsageError(message.into()));
    }
    let reach = match address {
        Some(address) => Reach::Http(checked(Http {
            address,
            hosts,
            token,
        })?),
        None if hosts.is_empty() && token.is_none() => Reach::Pipes,
        None => {
            let message = "`--host` and `--token-from` belong to `--http`";
            return Err(UsageError(message.into()));
        }
    };
    Ok(Serving { options, reach })
}

/// Clients from other machines are accepted only where two options allow it.
fn checked(http: Http) -> Result<Http, UsageError> {
    if http.address.ip().is_loopback() || (!http.hosts.is_empty() && http.token.is_some()) {
        return Ok(http);
    }
    Err(UsageError(format!(
        "others than this machine reach {}: give `--host NAME`, the name in their address, and `--token-from VARIABLE`, \
         which holds the token that they show",
        http.address
    )))
}

/// A port of this machine, an address of an interface, or both.
fn read_address(text: &str) -> Result<SocketAddr, UsageError> {
    let port = text.parse().map(|port| SocketAddr::new(ADDRESS.ip(), port));
    let ip = || Some(SocketAddr::new(text.parse().ok()?, ADDRESS.port()));
    let both = || {
        let local = text.strip_prefix("localhost:");
        match local {
            Some(port) => Some(SocketAddr::new(ADDRESS.ip(), port.parse().ok()?)),
            None => text.parse().ok(),
        }
    };
    port.ok().or_else(ip).or_else(both).ok_or_else(|| {
        UsageError(format!(
            "`{text}` is not an address to listen on: write a port, `127.0.0.1:8765` or `[::1]:8765`"
        ))
    })
}

/// A name without a port, as it is written in an address.
fn read_host(text: &str) -> Result<String, UsageError> {
    let allowed = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '-' | '_');
    let is_address = text.parse::<IpAddr>().is_ok();
    if is_address || (!text.is_empty() && text.chars().all(allowed)) {
        return Ok(text.to_ascii_lowercase());
    }
    Err(UsageError(format!(
        "`{text}` is not a host name: write it as `shop.example.org`, without scheme and port"
    )))
}

#[cfg(test)]
mod tests {
    use super::{Reach, parse};

    fn read(words: &str) -> Result<Reach, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        parse(&words).map(|it| it.reach).map_err(|error| error.0)
    }

    fn listens(words: &str) -> String {
        match read(words) {
            Ok(Reach::Http(http)) => http.address.to_string(),
            other => panic!("{words}: {other:?}"),
        }
    }

    #[test]
    fn an_address_is_a_port_an_interface_or_both() {
        assert_eq!(listens("--http"), "127.0.0.1:8765");
        assert_eq!(listens("--http --quiet"), "127.0.0.1:8765");
        assert_eq!(listens("--http 0 --store off"), "127.0.0.1:0");
        assert_eq!(listens("--http=9000"), "127.0.0.1:9000");
        assert_eq!(listens("--http localhost:9000"), "127.0.0.1:9000");
        assert_eq!(listens("--http ::1"), "[::1]:8765");
        assert_eq!(listens("--http [::1]:9000"), "[::1]:9000");
        assert_eq!(read("--store off"), Ok(Reach::Pipes));
        for wrong in ["--http example.org:80", "--http 70000", "--http=", "8000"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn who_listens_to_others_says_so_twice() {
        for wanting in ["", "--host a.example", "--token-from TOKEN"] {
            let refused = read(&format!("--http 0.0.0.0:80 {wanting}"));
            assert!(
                refused.is_err_and(|it| it.contains("--token-from")),
                "{wanting}"
            );
        }
        let both = "--http 0.0.0.0:80 --host A.example --host=10.0.0.1 --token-from TOKEN";
        match read(both) {
            Ok(Reach::Http(http)) => assert_eq!(http.hosts, ["a.example", "10.0.0.1"]),
            other => panic!("{other:?}"),
        }
        for wrong in [
            "--host a.example",
            "--token-from TOKEN",
            "--http 80 --host http://a",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
