//! What the wire forms of images and documents share.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The text of a plain document.
pub(crate) fn plain_text(data: &str) -> String {
    let bytes = STANDARD.decode(data).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
