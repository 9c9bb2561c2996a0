//! Mistakes whose mend is made of what is written: bodies after arrows, maps in blocks, types and texts of other languages.

use std::borrow::Cow;

use gsw_source::{Code, Diagnostic, Edit, Span};

use crate::parser::error::advice::Advice;
use crate::parser::error::foreign::{ARROW, MUTABLE, VALUE_FROM_THE_BEGINNING};
use crate::parser::error::sight::Sight;
use crate::parser::error::{Expected, ParseError, Scene};
use crate::token::{LineStart, Token, TokenKind as Kind, Word};

/// The types whose names begin with a small letter, which no program declares.
pub const SIMPLE_TYPES: [&str; 11] = [
    "bool", "int", "float", "string", "bytes", "time", "duration", "json", "secret", "image",
    "document",
];

/// Whether a type of the language with a small letter has this name.
pub(super) fn is_built_in(name: &str) -> bool {
    SIMPLE_TYPES.contains(&name)
}

/// How long type arguments may be that are looked for before a mistake.
const LONGEST: usize = 32;

pub(super) fn advice(note: &'static str, fix: Option<(String, Span, String)>) -> Advice {
    Advice {
        note: Cow::Borrowed(note),
        fix: fix.map(|(title, span, text)| (title, span, Cow::Owned(text))),
    }
}

impl Scene<'_> {
    /// What helps with a mistake, made of the text around it.
    pub(super) fn rewritten(&self, sight: &Sight<'_>) -> Option<Advice> {
        self.expression_body(sight)
            .or_else(|| self.rearranged(sight))
            .or_else(|| self.bare_result(sight))
            .or_else(|| self.map_in_block(sight))
            .or_else(|| self.type_as_elsewhere(sight))
            .or_else(|| self.lambda_arrow(sight))
            .or_else(|| self.budget_in_braces(sight))
            .or_else(|| self.mutable(sight))
            .or_else(|| self.without_value(sight))
            .or_else(|| self.formatted(sight))
    }

    /// `var x: int`: a variable with a type and no value.
    fn without_value(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_end = matches!(sight.token.kind, Kind::Newline | Kind::BraceClose);
        if !is_end || !sight.expects_token(Kind::Equal) {
            return None;
        }
        let before = &sight.tokens[..sight.index];
        let start = before.iter().rposition(|it| it.kind == Kind::Var)?;
        let [_, name, colon, ty @ ..] = &before[start..] else {
            return None;
        };
        let (first, last) = (ty.first()?, ty.last()?);
        if !name.is_word() || colon.kind != Kind::Colon {
            return None;
        }
        let value = match (first.kind, last.kind) {
            (_, Kind::Question) => "none",
            (Kind::BracketOpen, Kind::BracketClose) => "[]",
            (Kind::BraceOpen, Kind::BraceClose) => "{}",
            _ => match self.source(first.span.to(last.span)) {
                "int" => "0",
                "float" => "0.0",
                "string" => "\"\"",
                "bool" => "false",
                _ => return None,
            },
        };
        let span = Span::new(last.span.end, last.span.end);
        let fix = (format!("write `= {value}`"), span, format!(" = {value}"));
        Some(advice(VALUE_FROM_THE_BEGINNING, Some(fix)))
    }

    /// Whether a function has its value after an arrow or `=`, and no braces.
    pub(super) fn is_body_without_braces(&self, error: &ParseError) -> bool {
        let Some(sign) = self.tokens.get(error.index) else {
            return false;
        };
        self.outline.has_function_before(error.index)
            && matches!(sign.kind, Kind::FatArrow | Kind::Equal)
            && !self.outline.has_brace_before(error.index)
            && error.expected.has(Expected::token(Kind::BraceOpen))
            && !is_type(&self.tokens[error.index + 1..])
    }

    /// Whether the head of a declaration is misread from here on: braces that are no body, or what is a declaration of its own.
    pub(super) fn is_misread_head(&self, error: &ParseError) -> bool {
        let Some(sign) = self.tokens.get(error.index) else {
            return false;
        };
        let before = error
            .index
            .checked_sub(1)
            .and_then(|it| self.tokens.get(it));
        let is_budget = sign.kind == Kind::BraceOpen
            && before.is_some_and(|it| it.word == Word::Budget)
            && error.expected.has(Expected::token(Kind::ParenOpen));
        let is_permitted =
            sign.word == Word::Permissions && error.expected.has(Expected::token(Kind::BraceOpen));
        let has_body = self.outline.has_brace_before(error.index);
        (is_budget || is_permitted) && !has_body || self.is_in_braces_of_result(error)
    }

    /// Whether it is in braces in the place of the type of a result: `-> { name: string, age: int }`.
    fn is_in_braces_of_result(&self, error: &ParseError) -> bool {
        let opener = self.outline.opener(error.index);
        let opener = opener.filter(|it| self.tokens[*it].kind == Kind::BraceOpen);
        let before = opener.and_then(|it| self.tokens.get(it.checked_sub(1)?));
        let is_result = before.is_some_and(|it| it.kind == Kind::Arrow);
        is_result && !opener.is_some_and(|it| self.outline.has_brace_before(it))
    }

    /// Whether a body without braces begins on the line after the head of its function, which is reported to have none.
    pub(super) fn is_body_on_next_line(&self, error: &ParseError) -> bool {
        let Some(token) = self.tokens.get(error.index) else {
            return false;
        };
        // A brace further down is taken for the body, and then this is all that is reported.
        let has_body = self.tokens[error.index..]
            .iter()
            .any(|it| it.kind == Kind::BraceOpen);
        self.tokens.first().is_some_and(|it| it.kind == Kind::Fn)
            && !has_body
            && token.line_start != LineStart::Inside
            && !self.outline.has_brace_before(error.index)
            && error.expected.has(Expected::MODIFIER)
    }

    /// `fn f(n: int) -> int => n + 1`, `fn f(n: int) = n + 1`: the value of a function without braces.
    fn expression_body(&self, sight: &Sight<'_>) -> Option<Advice> {
        let error = ParseError::unexpected(sight.index, sight.expected);
        if !self.is_body_without_braces(&error) {
            return None;
        }
        let note = "the body of a function goes in braces, and its type before them: `fn f(n: int) -> int { n + 1 }`";
        // Without the type of the result the braces alone would be the next mistake.
        let last = sight
            .tokens
            .last()
            .filter(|it| it.span.start > sight.token.span.start);
        let fix = last
            .filter(|_| !sight.expects_token(Kind::Arrow))
            .map(|last| {
                let value = Span::new(sight.token.span.end, last.span.end);
                let text = format!("{{ {} }}", self.source(value).trim());
                let span = Span::new(sight.token.span.start, last.span.end);
                ("put it in braces".to_owned(), span, text)
            });
        Some(advice(note, fix))
    }

    /// `fn f(n: int) int { … }`
    fn bare_result(&self, sight: &Sight<'_>) -> Option<Advice> {
        let text = self.source(sight.token.span);
        let is_type = sight.token.kind == Kind::Identifier
            && (is_built_in(text) || text.starts_with(char::is_uppercase));
        let is_result = sight.expects_token(Kind::Arrow)
            && sight.expects_token(Kind::BraceOpen)
            && sight.follows(1, Kind::ParenClose);
        (is_type && is_result).then(|| {
            let start = sight.token.span.start;
            let fix = (
                "write `->`".to_owned(),
                Span::new(start, start),
                "-> ".to_owned(),
            );
            advice(ARROW, Some(fix))
        })
    }

    /// `k => { (k): 1 }`, `{ 3: 4 }`: a map where a brace opens a block.
    fn map_in_block(&self, sight: &Sight<'_>) -> Option<Advice> {
        // `E::A` is a member.
        let is_colon = sight.token.kind == Kind::Colon
            && !sight.precedes(Kind::Colon)
            && sight.expects(Expected::END_OF_STATEMENT);
        let index = sight.opener(sight.index).filter(|_| is_colon)?;
        let opener = sight.tokens[index];
        let key = &sight.tokens[index + 1..sight.index];
        if opener.kind != Kind::BraceOpen || !self.is_key(key) {
            return None;
        }
        let closer = match opener.is_matched() {
            true => sight.tokens.get(index + opener.value as usize),
            false => None,
        };
        let before = index.checked_sub(1).and_then(|it| sight.tokens.get(it))?;
        let is_arrow = matches!(before.kind, Kind::FatArrow | Kind::Spawn);
        let (note, title, (open, close)) = match is_arrow {
            true => (
                "behind `=>` and `spawn` a brace opens a block, but in `=> { \"a\": … }`: another map goes in parentheses, `({ (k): 1 })`",
                "put it in parentheses",
                ("(", ")"),
            ),
            false => (
                "these braces open a block; a map in it has its own: `{ { \"a\": 1 } }`",
                "put it in braces of its own",
                ("{ ", " }"),
            ),
        };
        let fix = closer.map(|closer| {
            let span = opener.span.to(closer.span);
            let text = format!("{open}{}{close}", self.source(span));
            (title.to_owned(), span, text)
        });
        Some(advice(note, fix))
    }

    /// Whether tokens can only be the key of a map: a text, a number, `(expression)` or a variant.
    fn is_key(&self, tokens: &[Token]) -> bool {
        match tokens {
            [one] => {
                let is_variant = one.kind == Kind::Identifier
                    && self.source(one.span).starts_with(char::is_uppercase);
                is_variant || matches!(one.kind, Kind::Int | Kind::String)
            }
            [minus, number] => minus.kind == Kind::Minus && number.kind == Kind::Int,
            [first, .., last] if first.kind == Kind::ParenOpen => {
                last.kind == Kind::ParenClose && first.value as usize == tokens.len() - 1
            }
            [owner, dot, variant] => {
                owner.kind == Kind::Identifier
                    && dot.kind == Kind::Dot
                    && self.source(variant.span).starts_with(char::is_uppercase)
            }
            _ => false,
        }
    }

    /// `(x) -> int => x + 1`, `(n: int): int => n`, `(n: int) -> n + 1`: a lambda with the arrow of a function.
    fn lambda_arrow(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_arrow = sight.token.kind == Kind::Arrow && sight.follows(1, Kind::ParenClose);
        // The parentheses around the type of a parameter are read as those around a value.
        let is_inside = sight.token.kind == Kind::Colon && sight.expects_token(Kind::ParenClose);
        let index = if is_arrow {
            sight.index
        } else if is_inside {
            let opener = sight.opener(sight.index)?;
            opener + sight.tokens[opener].value as usize + 1
        } else {
            return None;
        };
        let arrow = sight.tokens.get(index)?;
        let is_type = sight.follows_parameters_of_type() || sight.is_in_call_of_script();
        if is_type || sight.expects_token(Kind::Equal) || !sight.ends_operand() {
            return None;
        }
        let rest = &sight.tokens[index + 1..];
        let result = rest
            .iter()
            .take_while(|it| is_part_of_type(it.kind))
            .count();
        let after = rest.get(result).filter(|it| it.kind == Kind::FatArrow);
        Some(match after {
            Some(after) if matches!(arrow.kind, Kind::Arrow | Kind::Colon) => {
                let span = Span::new(arrow.span.start, after.span.start);
                // A colon is close to the parentheses.
                let text = match arrow.kind == Kind::Colon {
                    true => " ",
                    false => "",
                };
                let fix = ("remove it".to_owned(), span, text.to_owned());
                advice(
                    "the result of a lambda is inferred: `(n: int) => n + 1`",
                    Some(fix),
                )
            }
            None if arrow.kind == Kind::Arrow => {
                let fix = ("write `=>`".to_owned(), arrow.span, "=>".to_owned());
                advice("a lambda is written `(n: int) => n + 1`", Some(fix))
            }
            Some(_) | None => return None,
        })
    }

    /// `workflow w() budget { usd: 1.0 } { … }`, and `budget(usd: 1.0)` among settings.
    fn budget_in_braces(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_budget = sight.before(1)?.word == Word::Budget;
        let (wanted, open, close) = if sight.token.kind == Kind::BraceOpen {
            (Kind::ParenOpen, "(", ")")
        } else if sight.token.kind == Kind::ParenOpen {
            (Kind::Colon, ": { ", " }")
        } else {
            return None;
        };
        if !is_budget || !sight.expects_token(wanted) {
            return None;
        }
        let closer = sight.index + sight.token.value as usize;
        let closer = sight
            .tokens
            .get(closer)
            .filter(|_| sight.token.is_matched());
        let fix = closer.map(|closer| {
            let inside = Span::new(sight.token.span.end, closer.span.start);
            let text = format!("{open}{}{close}", self.source(inside).trim());
            let start = sight
                .before(1)
                .map_or(sight.token.span.start, |it| it.span.end);
            let title = format!("write `budget{text}`");
            (title, Span::new(start, closer.span.end), text)
        });
        Some(advice(
            "around what is done a budget is a modifier, `budget(usd: 1.0) { … }`, and in an agent or prompt a setting, `budget: { usd: 1.0 }`",
            fix,
        ))
    }

    /// `let mut x = 1`
    fn mutable(&self, sight: &Sight<'_>) -> Option<Advice> {
        let (word, binding) = (sight.before(1)?, sight.before(2)?);
        let is_mutable = self.source(word.span) == "mut" && binding.kind == Kind::Let;
        let span = binding.span.to(word.span);
        is_mutable.then(|| {
            let fix = ("write `var`".to_owned(), span, "var".to_owned());
            advice(MUTABLE, Some(fix))
        })
    }

    /// `f"n is {n}"`
    fn formatted(&self, sight: &Sight<'_>) -> Option<Advice> {
        let prefix = sight.before(1).filter(|_| sight.is_joined())?;
        let is_text = matches!(sight.token.kind, Kind::String | Kind::StringOpen);
        let is_formatted = is_text && self.source(prefix.span) == "f";
        let text = self.source(sight.token.span);
        // Formats after a colon and doubled braces have no such form here.
        let is_plain = text.split('{').skip(1).all(|it| {
            let inside = it.split('}').next().unwrap_or_default();
            !inside.is_empty() && !inside.contains([':', '!', '\'']) && !inside.ends_with('=')
        });
        if !is_formatted {
            return None;
        }
        let is_plain = is_plain && sight.token.kind == Kind::String;
        if !is_plain || text.contains("}}") || text.contains("${") {
            // Without its `f` it would be another text.
            let note = "every string interpolates `${expression}`, without a format: `${x.fixed(2)}`, `${s.pad_start(8)}`; a brace alone stands for itself";
            return Some(advice(note, None));
        }
        let note = "every string interpolates `${expression}`; only `r\"…\"` is taken literally";
        let text = text.replace('{', "${");
        let span = prefix.span.to(sight.token.span);
        Some(advice(note, Some((format!("write `{text}`"), span, text))))
    }

    /// `Node<int> { value: 1 }`: type arguments before what is made.
    pub(super) fn type_arguments(&self, error: &ParseError) -> Option<Diagnostic> {
        let first = error.index.saturating_sub(LONGEST);
        let mut starts = (first..=error.index).rev();
        let (start, end) = starts.find_map(|start| Some((start, self.arguments_end(start)?)))?;
        let name = self.tokens.get(start.checked_sub(1)?)?;
        let is_declared = start
            .checked_sub(2)
            .is_some_and(|it| matches!(self.tokens[it].kind, Kind::Type | Kind::Enum));
        // A mistake further on has another reason.
        if error.index > end + 4 || is_declared {
            return None;
        }
        let arguments = self.tokens[start].span.to(self.tokens[end].span);
        let place = (self.place)(arguments);
        let message = "type arguments cannot be written in expressions";
        let diagnostic = Diagnostic::error(Code::UNEXPECTED_TOKEN, place, message)
            .note("they are inferred, or follow from the type of a name: `let page: Page<int> = Page { … }`");
        let before = |count: usize| self.tokens.get(start.checked_sub(count)?);
        let bound = before(3).zip(before(2)).filter(|(bound, equal)| {
            let binding = before(4).is_some_and(|it| matches!(it.kind, Kind::Let | Kind::Var));
            binding && bound.kind == Kind::Identifier && equal.kind == Kind::Equal
        });
        let removal = Edit {
            place,
            text: String::new(),
        };
        Some(match bound {
            Some((bound, _)) => {
                let ty = format!(": {}", self.source(name.span.to(arguments)));
                let end = Span::new(bound.span.end, bound.span.end);
                let annotation = Edit {
                    place: (self.place)(end),
                    text: ty,
                };
                diagnostic.fix_parts("write the type behind the name", vec![annotation, removal])
            }
            None => diagnostic
                .fix_parts("leave them out", vec![removal])
                .offered(),
        })
    }

    /// The end of the type arguments that would begin with the `<` at `start`, after a name with a capital and before what
    /// is made.
    fn arguments_end(&self, start: usize) -> Option<usize> {
        let (less, name) = (
            self.tokens.get(start)?,
            self.tokens.get(start.checked_sub(1)?)?,
        );
        let is_name = name.kind == Kind::Identifier
            && self.source(name.span).starts_with(char::is_uppercase)
            && name.span.end == less.span.start;
        if less.kind != Kind::Less || !is_name {
            return None;
        }
        let mut depth = 0;
        for (index, token) in self.tokens.iter().enumerate().skip(start) {
            if !is_part_of_type(token.kind) {
                return None;
            }
            depth += i32::from(token.kind == Kind::Less) - i32::from(token.kind == Kind::Greater);
            if depth == 0 {
                let next = self.tokens.get(index + 1)?;
                let is_made = matches!(next.kind, Kind::BraceOpen | Kind::ParenOpen);
                return is_made.then_some(index);
            }
        }
        None
    }
}

/// Whether tokens begin with a type and then a body: what is before them was meant as `->`.
fn is_type(tokens: &[Token]) -> bool {
    let brace = tokens.iter().position(|it| it.kind == Kind::BraceOpen);
    let Some(brace) = brace.filter(|it| *it > 0) else {
        return false;
    };
    let is_of_type = tokens[..brace].iter().all(|it| is_part_of_type(it.kind));
    let is_field = tokens
        .get(brace + 2)
        .is_some_and(|it| it.kind == Kind::Colon);
    is_of_type && !is_field
}

/// Whether a type without functions, maps and texts may have such a token.
pub(super) fn is_part_of_type(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Identifier
            | Kind::Question
            | Kind::BracketOpen
            | Kind::BracketClose
            | Kind::Less
            | Kind::Greater
            | Kind::Comma
            | Kind::Dot
    )
}
