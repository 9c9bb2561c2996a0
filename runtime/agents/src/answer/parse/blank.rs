//! Blanks and comments between the parts of a value.

use gsw_notation::text::shortened;

use super::{Parser, trim_blanks};
use crate::answer::repair::RepairKind;

impl Parser<'_, '_> {
    pub(super) fn blanks(&mut self) {
        loop {
            let rest = self.rest().as_bytes();
            let is_blank = |it: &&u8| matches!(**it, b' ' | b'\n' | b'\r' | b'\t');
            let count = rest.iter().take_while(is_blank).count();
            self.skip(count);
            // Beyond JSON's blanks only what is not ASCII, and what begins a comment, can matter.
            match self.text.as_bytes().get(self.at) {
                Some(b'/' | b'#') => {
                    if !self.comment() {
                        return;
                    }
                }
                Some(0x80.. | 0xb | 0xc) => {
                    if !self.odd_blanks() {
                        return;
                    }
                }
                Some(_) | None => return,
            }
        }
    }

    fn odd_blanks(&mut self) -> bool {
        let rest = self.rest();
        let length = rest.len() - trim_blanks(rest).len();
        if length == 0 {
            return false;
        }
        self.skip(length);
        self.repair(RepairKind::OddBlank, || {
            "read a character that is no blank to JSON as a blank".into()
        });
        true
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        let length = if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => end + 2,
                None => {
                    self.work.spend(rest.len());
                    self.stop("the end of a comment");
                    return false;
                }
            }
        } else {
            return false;
        };
        let comment = &rest[..length];
        if length == rest.len() && comment.contains(['}', ']', ':', ',']) {
            // On one line everything after the comment is in it.
            self.stop("a line break after a comment");
            return false;
        }
        self.skip(length);
        let what = || format!("left out the comment `{}`", shortened(comment.trim(), 80));
        self.repair(RepairKind::Comment, what);
        true
    }
}
