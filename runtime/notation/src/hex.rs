//! Bytes as hexadecimal digits.

/// Two small digits for each byte.
#[must_use]
pub fn text(bytes: impl AsRef<[u8]>) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.as_ref().iter().flat_map(|it| [it >> 4, it & 0xf]);
    digits
        .map(|it| char::from(DIGITS[usize::from(it)]))
        .collect()
}

/// The bytes of digits in pairs, small or large; `None` when something else is among them or one is alone.
#[must_use]
pub fn bytes(text: &str) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let digit = |it: u8| {
        let value = char::from(it).to_digit(16)?;
        u8::try_from(value).ok()
    };
    let bytes = pairs.iter();
    bytes
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{bytes, text};

    #[test]
    fn bytes_are_read_as_they_are_written() {
        assert_eq!(text([0x00, 0x0f, 0xa5, 0xff]), "000fa5ff");
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(bytes(&text(&all)), Some(all));
        assert_eq!(bytes("0F"), Some(vec![15]));
        assert_eq!(bytes(""), Some(Vec::new()));
        for wrong in ["0", "0g", "+1", "é"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
