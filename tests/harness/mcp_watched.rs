//! Clients that watch what is at an address: they are told after each run that may have changed it, in both ages of the protocol.

use serde_json::{Value, json};

use crate::killed::Kept;
use crate::mcp_misused::Piped;

const SHOP: &str = r#"
import std/fs
permissions { fs.read: ["."], fs.write: ["."] }

@resource("shop://notes")
workflow notes() -> string { fs.read("notes") }

@resource("shop://orders/{id}")
workflow order(id: string) -> string { id }

workflow note(word: string) -> string {
  fs.append("notes", word)
  word
}

workflow look() -> int { 1 }
"#;

fn send(shop: &mut Piped, message: Value) {
    shop.say(message.to_string().as_bytes());
}

fn request(id: &str, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// What is heard until the request with this id has its answer and so many addresses have been named, in order.
fn told(shop: &mut Piped, id: &str, count: usize) -> Vec<String> {
    let (mut is_answered, mut uris) = (false, Vec::new());
    while !is_answered || uris.len() < count {
        let heard = shop.hear();
        is_answered |= heard["id"] == id;
        if heard["method"] == "notifications/resources/updated" {
            uris.push(
                heard["params"]["uri"]
                    .as_str()
                    .expect("an address")
                    .to_owned(),
            );
        }
    }
    uris
}

// G27
#[test]
fn a_client_with_a_session_watches_addresses() {
    let kept = Kept::new("mcp_watched_older", SHOP);
    let mut shop = Piped::start(&kept);
    let uri = |uri: &str| json!({ "uri": uri });
    for address in ["shop://notes", "shop://orders/7"] {
        send(&mut shop, request("s", "resources/subscribe", uri(address)));
        assert_eq!(shop.hear()["result"], json!({}));
    }
    send(
        &mut shop,
        request("s", "resources/subscribe", uri("shop://nothing")),
    );
    assert_eq!(shop.hear()["error"]["code"], -32002);
    let note = json!({ "name": "note", "arguments": { "word": "hi" } });
    send(&mut shop, request("a", "tools/call", note.clone()));
    assert_eq!(told(&mut shop, "a", 2), ["shop://notes", "shop://orders/7"]);
    send(
        &mut shop,
        request("s", "resources/unsubscribe", uri("shop://notes")),
    );
    assert_eq!(shop.hear()["result"], json!({}));
    // What only looks has changed nothing: the next that is told is of the call after it.
    send(
        &mut shop,
        request(
            "b",
            "tools/call",
            json!({ "name": "look", "arguments": {} }),
        ),
    );
    assert!(told(&mut shop, "b", 0).is_empty());
    send(&mut shop, request("c", "tools/call", note));
    assert_eq!(told(&mut shop, "c", 1), ["shop://orders/7"]);
}

#[test]
fn a_client_of_the_newer_age_listens_for_addresses() {
    let kept = Kept::new("mcp_watched_newer", SHOP);
    let mut shop = Piped::start(&kept);
    let of = |mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "reader", "version": "1" },
        });
        params
    };
    let wanted = json!({ "notifications": { "resourceSubscriptions": ["shop://notes", "shop://nothing"], "toolsListChanged": true } });
    send(&mut shop, request("l", "subscriptions/listen", of(wanted)));
    let accepted = shop.hear();
    assert_eq!(
        accepted["params"]["notifications"],
        json!({ "resourceSubscriptions": ["shop://notes"] }),
        "{accepted}"
    );
    let note = of(json!({ "name": "note", "arguments": { "word": "hi" } }));
    send(&mut shop, request("a", "tools/call", note));
    assert_eq!(told(&mut shop, "a", 1), ["shop://notes"]);
}
