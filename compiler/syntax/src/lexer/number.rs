//! Ints, floats and durations.

use gsw_notation::duration::{self, LiteralError};

use crate::lexer::{Lexer, LexicalErrorKind};
use crate::token::{TokenKind, Value};

impl Lexer<'_> {
    /// Reads the number at the current position.
    pub(super) fn number(&mut self) {
        let start = self.position;
        if self.follows_dot() {
            self.digits();
            return self.int(start, 10);
        }
        if self.peek(0) == Some(b'0') && matches!(self.peek(1), Some(b'x' | b'X')) {
            self.position += 2;
            let digits = self.position;
            while self
                .peek(0)
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            {
                self.position += 1;
            }
            let text = &self.text[digits..self.position];
            if text.is_empty()
                || !text
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
            {
                self.report(LexicalErrorKind::MalformedNumber, start);
                return self.push_value(TokenKind::Int, start, Value::Int(None));
            }
            return self.int(start, 16);
        }
        self.digits();
        let is_float = self.fraction(start) | self.exponent();
        let suffix = self.position;
        while self
            .peek(0)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            self.position += 1;
        }
        match (&self.text[suffix..self.position], is_float) {
            ("", true) => self.float(start),
            ("", false) => self.int(start, 10),
            (unit, true) => self.unknown_unit(start, unit.to_owned()),
            (_, false) => self.duration(start, suffix),
        }
    }

    /// Whether the number is the index in `t.0`, where `0.1` is no float.
    fn follows_dot(&self) -> bool {
        self.lexed.tokens.last().is_some_and(|token| {
            matches!(token.kind, TokenKind::Dot | TokenKind::QuestionDot)
                && token.span.end as usize == self.position
        }) && self.dot_has_operand()
    }

    /// Whether something that can have fields precedes the last dot.
    fn dot_has_operand(&self) -> bool {
        let count = self.lexed.tokens.len();
        count >= 2 && {
            let token = self.lexed.tokens[count - 2];
            token.is_word()
                || token.kind.is_closer()
                || matches!(token.kind, TokenKind::Int | TokenKind::String)
        }
    }

    fn digits(&mut self) {
        while matches!(self.peek(0), Some(b'0'..=b'9' | b'_')) {
            self.position += 1;
        }
    }

    /// Reads `.25`. A dot before anything but a digit, a dot or a name is reported.
    fn fraction(&mut self, start: usize) -> bool {
        if self.peek(0) != Some(b'.') {
            return false;
        }
        match self.peek(1) {
            Some(b'0'..=b'9') => {
                self.position += 1;
                self.digits();
                true
            }
            Some(b'.' | b'a'..=b'z' | b'A'..=b'Z' | b'_') => false,
            _ => {
                self.position += 1;
                self.report(LexicalErrorKind::HalfFloat, start);
                false
            }
        }
    }

    /// Reads an exponent like `e-9`; false when there is none.
    fn exponent(&mut self) -> bool {
        if !matches!(self.peek(0), Some(b'e' | b'E')) {
            return false;
        }
        let sign = usize::from(matches!(self.peek(1), Some(b'+' | b'-')));
        if !self
            .peek(1 + sign)
            .is_some_and(|byte| byte.is_ascii_digit())
        {
            return false;
        }
        self.position += 1 + sign;
        self.digits();
        true
    }

    fn int(&mut self, start: usize, radix: u32) {
        let written = &self.text[start..self.position];
        let written = if radix == 16 { &written[2..] } else { written };
        let Some(digits) = self.grouped(start, written.trim_end_matches('.')) else {
            return self.push_value(TokenKind::Int, start, Value::Int(None));
        };
        // `-9223372036854775808` is an int although its digits alone are none.
        let after_minus = self
            .lexed
            .tokens
            .last()
            .is_some_and(|token| token.kind == TokenKind::Minus);
        let largest = i128::from(i64::MAX) + i128::from(after_minus);
        let value = i128::from_str_radix(&digits, radix)
            .ok()
            .filter(|value| *value <= largest);
        if value.is_none() {
            self.report(LexicalErrorKind::NumberOutOfRange, start);
        }
        self.push_value(TokenKind::Int, start, Value::Int(value));
    }

    fn float(&mut self, start: usize) {
        let value = self
            .grouped(start, &self.text[start..self.position])
            .and_then(|digits| digits.parse::<f64>().ok())
            .unwrap_or(0.0);
        if value.is_infinite() {
            self.report(LexicalErrorKind::NumberOutOfRange, start);
        }
        self.push_value(TokenKind::Float, start, Value::Float(value.to_bits()));
    }

    fn unknown_unit(&mut self, start: usize, unit: String) {
        self.report(LexicalErrorKind::UnknownUnit(unit), start);
        self.push_value(TokenKind::Int, start, Value::Int(None));
    }

    /// Reads `1h30m`, whose first unit begins at `suffix`.
    fn duration(&mut self, start: usize, suffix: usize) {
        let read = duration::literal(&self.text[start..self.position]);
        if let Err(why) = read {
            let kind = match why {
                LiteralError::Unit => {
                    let unit = self.text[suffix..self.position].to_owned();
                    return self.unknown_unit(start, unit);
                }
                LiteralError::Order => LexicalErrorKind::UnorderedUnits,
                LiteralError::Digits => LexicalErrorKind::MalformedNumber,
                LiteralError::Range => LexicalErrorKind::NumberOutOfRange,
            };
            self.report(kind, start);
        }
        let value = Value::Duration(read.unwrap_or(0));
        self.push_value(TokenKind::Duration, start, value);
    }

    /// The digits without underscores; `None`, with a report, when one is where it must not be.
    fn grouped(&mut self, start: usize, digits: &str) -> Option<String> {
        let is_wrong = digits.starts_with('_')
            || digits.contains("__")
            || digits
                .split(['.', 'e', 'E'])
                .any(|part| part.ends_with('_'));
        if is_wrong {
            self.report(LexicalErrorKind::MalformedNumber, start);
            return None;
        }
        Some(digits.replace('_', ""))
    }
}
