//! Lays out the constants: immortal objects without addresses, each at a multiple of sixteen bytes.

use gsw_abi::layout::IMMORTAL;
use gsw_abi::types::{Type, TypeId, TypeTable};
use gsw_flow::ir::Constant;

/// Every object starts at a multiple of this.
const ALIGNMENT: usize = 16;

/// The constants of a module.
pub(crate) struct Constants {
    /// The section of the image.
    pub(crate) bytes: Vec<u8>,
    /// By index: where it starts.
    pub(crate) offsets: Vec<u64>,
}

impl Constants {
    pub(crate) fn lay_out(constants: &[Constant], types: &TypeTable) -> Self {
        let mut it = Self {
            bytes: Vec::new(),
            offsets: Vec::with_capacity(constants.len()),
        };
        for constant in constants {
            it.align();
            // An offset and no address: the image is mapped anywhere, and code adds where it is.
            it.offsets.push(it.bytes.len() as u64);
            it.write(constant, types);
        }
        it.align();
        it
    }

    fn write(&mut self, constant: &Constant, types: &TypeTable) {
        match constant {
            Constant::String { ty, text } => self.string(*ty, text, types),
            Constant::Header { ty, extra } => self.header(*ty, *extra),
            Constant::Word { ty, extra, word } => {
                self.header(*ty, *extra);
                self.word(*word);
            }
            // The number of the function and not its address, for the same reason.
            Constant::Closure { ty, function } => {
                self.header(*ty, 0);
                self.word(u64::from(function.0));
            }
            Constant::List { ty, words } => {
                self.header(*ty, 0);
                self.word(words.len() as u64);
                self.word(words.len() as u64);
                words.iter().for_each(|&word| self.word(word));
            }
        }
    }

    fn string(&mut self, ty: TypeId, text: &str, types: &TypeTable) {
        let length = text.len() as u64;
        // Counted here once, so that the length of a text in characters is a load when the program runs.
        let scalars = if *types.get(types.base(ty)) == Type::Bytes {
            length
        } else {
            text.chars().count() as u64
        };
        self.header(ty, 0);
        self.word(length);
        self.word(scalars);
        self.word(length);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn header(&mut self, ty: TypeId, extra: u32) {
        // A count that `retain` and `release` recognise and leave alone, so the section can be mapped read-only.
        self.word(IMMORTAL);
        self.word(u64::from(ty.0) | u64::from(extra) << 32);
    }

    fn word(&mut self, word: u64) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    fn align(&mut self) {
        let length = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(length, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::Constants;
    use gsw_abi::builtin::{BYTES, LIST_INT, STRING, type_table};
    use gsw_abi::layout;
    use gsw_flow::ir::Constant;

    #[test]
    fn objects_are_aligned_and_complete() {
        let constants = [
            Constant::String {
                ty: STRING,
                text: "ä".into(),
            },
            Constant::String {
                ty: BYTES,
                text: "ä".into(),
            },
            Constant::List {
                ty: LIST_INT,
                words: vec![7, 8],
            },
        ];
        let laid_out = Constants::lay_out(&constants, &type_table());
        let word = |constant: usize, offset: i32| {
            let at = laid_out.offsets[constant] as usize + offset as usize;
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&laid_out.bytes[at..at + 8]);
            u64::from_le_bytes(bytes)
        };
        assert!(laid_out.offsets.iter().all(|offset| offset % 16 == 0));
        assert_eq!(word(0, layout::COUNT), layout::IMMORTAL);
        assert_eq!(word(0, layout::STRING_LENGTH), 2);
        assert_eq!(word(0, layout::STRING_SCALARS), 1);
        assert_eq!(word(1, layout::STRING_SCALARS), 2);
        assert_eq!(word(2, layout::LIST_LENGTH), 2);
        assert_eq!(word(2, layout::LIST_ELEMENTS + 8), 8);
    }
}
