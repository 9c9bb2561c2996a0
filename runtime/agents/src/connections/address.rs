//! Addresses as they may be shown: without the user and password, and without the query, which may hold keys.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderValue, Uri};
use percent_encoding::percent_decode_str;
use reqwest::Url;

/// Where many requests go, read once.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    text: String,
    /// None where the text is no address.
    target: Option<Target>,
    host: String,
}

/// What requests to an address need.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Without credentials.
    uri: Uri,
    /// The scheme with host and port.
    origin: String,
    authorization: Option<HeaderValue>,
}

impl Address {
    pub fn of(text: String) -> Self {
        let url = Url::parse(&text).ok();
        let host = host_of(url.as_ref(), &text);
        let target = url.and_then(Target::of);
        Self { text, target, host }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn target(&self) -> Option<&Target> {
        self.target.as_ref()
    }

    /// As [`host`] gives it.
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl Target {
    fn of(mut url: Url) -> Option<Self> {
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let authorization = credentials(&url);
        // Neither fails for an address that has a host.
        url.set_username("").ok()?;
        url.set_password(None).ok()?;
        let origin = url.origin().ascii_serialization();
        let uri = url.as_str().parse().ok()?;
        Some(Self {
            uri,
            origin,
            authorization,
        })
    }

    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The user and the password of the address, as a header.
    pub fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }
}

fn credentials(url: &Url) -> Option<HeaderValue> {
    let (user, password) = (url.username(), url.password());
    if user.is_empty() && password.is_none() {
        return None;
    }
    let text = |it| percent_decode_str(it).decode_utf8_lossy();
    let both = format!("{}:{}", text(user), text(password.unwrap_or_default()));
    let value = format!("Basic {}", BASE64_STANDARD.encode(both));
    let mut value = HeaderValue::try_from(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The host and port of an address, as `api.example.org:8443`.
pub(crate) fn host(address: &str) -> String {
    host_of(Url::parse(address).ok().as_ref(), address)
}

fn host_of(url: Option<&Url>, address: &str) -> String {
    if let Some(url) = url
        && let Some(host) = url.host_str()
    {
        return match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
    }
    let (_, rest) = without_credentials(address);
    rest.split('/').next().unwrap_or(rest).to_owned()
}

/// The address, whether it is one or not.
pub(crate) fn shown(address: &str) -> String {
    let (scheme, rest) = without_credentials(address);
    format!("{scheme}{rest}")
}

/// Parameters of addresses that are no secret; any other may be a key.
const PLAIN: [&str; 2] = ["alt", "api-version"];

/// The address as it can be requested once its secrets are filled in.
pub(crate) fn printable(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else {
        return shown(address);
    };
    let had_credentials = !url.username().is_empty() || url.password().is_some();
    // Neither fails for an address that has a host.
    if had_credentials && (url.set_username("").is_err() || url.set_password(None).is_err()) {
        return shown(address);
    }
    let has_secret = url.query_pairs().any(|it| !PLAIN.contains(&&*it.0));
    if has_secret {
        let pairs: Vec<(String, String)> = url
            .query_pairs()
            .map(|(name, value)| match PLAIN.contains(&&*name) {
                true => (name.into_owned(), value.into_owned()),
                false => (name.into_owned(), "***".into()),
            })
            .collect();
        url.query_pairs_mut().clear().extend_pairs(pairs);
    }
    match had_credentials || has_secret {
        true => url.to_string(),
        false => address.to_owned(),
    }
}

/// The scheme with its slashes, and the rest without credentials. Where an address cannot be read it is unknown where
/// a password ends, so everything before the last `@` is left out.
fn without_credentials(address: &str) -> (&str, &str) {
    let slashes = address.find("://").map_or(0, |it| it + 3);
    let (scheme, rest) = address.split_at(slashes);
    let rest = rest.rsplit('@').next().unwrap_or(rest);
    (scheme, rest.split(['?', '#']).next().unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::{Address, host, printable, shown};

    #[test]
    fn credentials_of_an_address_are_a_header_and_no_part_of_what_is_asked() {
        let address = Address::of("https://user:p%40ss@example.org:443/v1?a=b#c".into());
        let target = address.target().expect("it is an address");
        assert_eq!(target.uri(), "https://example.org/v1?a=b");
        assert_eq!(target.origin(), "https://example.org");
        let authorization = target.authorization().expect("there are credentials");
        assert_eq!(authorization, "Basic dXNlcjpwQHNz");
        for other in [
            "ftp://example.org/",
            "mailto:me@example.org",
            "example.org/v1",
        ] {
            assert!(Address::of(other.into()).target().is_none(), "{other}");
        }
    }

    #[test]
    fn what_is_printed_can_be_asked_and_holds_no_secret() {
        for plain in [
            "https://api.example.org/v1/chat",
            "https://api.example.org/v1/x@001:stream?alt=sse",
        ] {
            assert_eq!(printable(plain), plain);
        }
        assert_eq!(
            printable("http://user:PASSW@127.0.0.1:1/v1?api-version=2&key=SECRET"),
            "http://127.0.0.1:1/v1?api-version=2&key=***"
        );
    }

    #[test]
    fn credentials_are_never_shown() {
        assert_eq!(
            host("https://user:pw@api.example.org:8443/v1?x"),
            "api.example.org:8443"
        );
        assert_eq!(host("https://example.org/v1/@me"), "example.org");
        assert_eq!(host("localhost"), "localhost");
        for odd in [
            "https://user:p/w@api.example.org:x/v1",
            "https://user:p?w@api.example.org:x/v1",
            "https://us er:p#w@api.example.org:x/v1?key=pw",
        ] {
            assert_eq!(host(odd), "api.example.org:x", "{odd}");
            assert_eq!(shown(odd), "https://api.example.org:x/v1", "{odd}");
        }
        assert_eq!(shown("user:pw@host"), "host");
    }
}
