//! Types that are written as in other languages; the mend is made of what is written.

use gsw_source::Span;

use crate::parser::error::advice::Advice;
use crate::parser::error::foreign::OPTIONAL;
use crate::parser::error::rewritten::{advice, is_built_in, is_part_of_type};
use crate::parser::error::sight::Sight;
use crate::parser::error::{Expected, Scene};
use crate::token::{TokenKind as Kind, Word};

impl Scene<'_> {
    /// What helps with a type, made of the text around the mistake.
    pub(super) fn type_as_elsewhere(&self, sight: &Sight<'_>) -> Option<Advice> {
        self.foreign_generic(sight)
            .or_else(|| self.arrow_type(sight))
            .or_else(|| self.or_none(sight))
            .or_else(|| self.method_of_generic(sight))
            .or_else(|| self.trusted_first(sight))
            .or_else(|| self.list_in_front(sight))
            .or_else(|| self.list_behind(sight))
    }

    /// `string[]`: a list by the brackets after its type.
    fn list_behind(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_empty = sight.token.kind == Kind::BracketOpen && sight.precedes(Kind::BracketClose);
        if !is_empty || !sight.follows_type_name() {
            return None;
        }
        let (name, closer) = (sight.before(1)?.span, sight.after(1)?.span);
        let text = format!("[{}]", self.source(name));
        let title = format!("write `{text}`");
        let fix = Some((title, name.to(closer), text));
        Some(advice("the type of a list is written `[int]`", fix))
    }

    /// `[]int`, `[][]int`: a list by the brackets before its type.
    fn list_in_front(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_empty =
            sight.token.kind == Kind::BracketClose && sight.follows(1, Kind::BracketOpen);
        if !is_empty || !sight.expects(Expected::TYPE) {
            return None;
        }
        let start = sight.before(1)?.span.start;
        let mut depth = 1;
        let mut after = 1;
        while sight.after(after)?.kind == Kind::BracketOpen
            && sight.after(after + 1)?.kind == Kind::BracketClose
        {
            depth += 1;
            after += 2;
        }
        let element = sight.after(after)?;
        let is_name = element.kind == Kind::Identifier;
        let name = self.source(element.span);
        let text = format!("{}{name}{}", "[".repeat(depth), "]".repeat(depth));
        let span = Span::new(start, element.span.end);
        let fix = is_name.then(|| (format!("write `{text}`"), span, text));
        Some(advice("the type of a list is written `[int]`", fix))
    }

    /// `Optional[int]`, `List[int]`, `Literal["a", "b"]`
    fn foreign_generic(&self, sight: &Sight<'_>) -> Option<Advice> {
        let name = sight.before(1)?;
        let is_type = sight.token.kind == Kind::BracketOpen && name.kind == Kind::Identifier;
        let closer = sight
            .token
            .is_matched()
            .then(|| sight.index + sight.token.value as usize);
        let closer = closer
            .filter(|_| is_type)
            .and_then(|it| sight.tokens.get(it))?;
        let inside = self
            .source(Span::new(sight.token.span.end, closer.span.start))
            .trim();
        let (note, text) = match self.source(name.span) {
            "Optional" | "Option" | "Maybe" => (OPTIONAL, format!("{inside}?")),
            "List" | "list" | "Sequence" | "Array" => (
                "the type of a list is written `[int]`",
                format!("[{inside}]"),
            ),
            "Dict" | "dict" | "Map" => (
                "the type of a map is written `{string: int}`",
                format!("{{{}}}", inside.replacen(',', ":", 1)),
            ),
            "Tuple" | "tuple" => (
                "the type of a tuple is written `(int, string)`",
                format!("({inside})"),
            ),
            "Literal" => (
                "one of several texts is written `\"a\" | \"b\"`",
                inside.replace(", ", " | "),
            ),
            _ => return None,
        };
        let title = format!("write `{text}`");
        Some(advice(note, Some((title, name.span.to(closer.span), text))))
    }

    /// `f: int -> int`, `f: (int, int) -> int`: the type of a function by its arrow alone.
    fn arrow_type(&self, sight: &Sight<'_>) -> Option<Advice> {
        if !matches!(sight.token.kind, Kind::Arrow | Kind::FatArrow) {
            return None;
        }
        let before = &sight.tokens[..sight.index];
        let is_inside =
            |kind| is_part_of_type(kind) || matches!(kind, Kind::ParenOpen | Kind::ParenClose);
        let length = before
            .iter()
            .rev()
            .take_while(|it| is_inside(it.kind))
            .count();
        // Commas belong to what is around the type as well.
        let start = match sight.follows(1, Kind::ParenClose) {
            true => sight.opener(sight.index - 1)?,
            false => sight.index - length,
        };
        let ty = before.get(start..).filter(|it| !it.is_empty())?;
        let names = ty.iter().filter(|it| it.kind == Kind::Identifier);
        let mut names = names.map(|it| self.source(it.span));
        let is_type = names.all(|it| is_built_in(it) || it.starts_with(char::is_uppercase));
        let is_annotation = before[..start]
            .last()
            .is_some_and(|it| it.kind == Kind::Colon);
        if !is_type || !is_annotation || sight.expects_token(Kind::FatArrow) {
            return None;
        }
        let span = Span::new(ty[0].span.start, sight.token.span.end);
        let text = self.source(Span::new(ty[0].span.start, ty[ty.len() - 1].span.end));
        let parameters = match ty[0].kind == Kind::ParenOpen {
            true => text.to_owned(),
            false => format!("({text})"),
        };
        let text = format!("fn{parameters} ->");
        Some(advice(
            "the type of a function is written `fn(int) -> int`",
            Some((format!("write `{text} …`"), span, text)),
        ))
    }

    /// `string | none`
    fn or_none(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_none = sight.token.kind == Kind::None && sight.expects(Expected::TYPE);
        if !is_none || !sight.follows(1, Kind::Pipe) {
            return None;
        }
        let before = &sight.tokens[..sight.index - 1];
        let is_member = |kind| is_part_of_type(kind) && kind != Kind::Comma;
        let is_of_union = |kind| is_member(kind) || matches!(kind, Kind::Pipe | Kind::String);
        let length = before
            .iter()
            .rev()
            .take_while(|it| is_of_union(it.kind))
            .count();
        let ty = &before[before.len() - length..];
        let (first, last) = (ty.first()?, ty.last()?);
        let written = self.source(first.span.to(last.span));
        let text = match ty.iter().any(|it| it.kind == Kind::Pipe) {
            true => format!("({written})?"),
            false => format!("{written}?"),
        };
        let span = first.span.to(sight.token.span);
        Some(advice(
            OPTIONAL,
            Some((format!("write `{text}`"), span, text)),
        ))
    }

    /// `fn Box<T>.get(self)`
    fn method_of_generic(&self, sight: &Sight<'_>) -> Option<Advice> {
        let is_method = sight.token.kind == Kind::Dot && sight.expects_token(Kind::ParenOpen);
        if !is_method || !sight.follows(1, Kind::Greater) {
            return None;
        }
        let before = &sight.tokens[..sight.index];
        let less = before.iter().rfind(|it| it.kind == Kind::Less)?;
        let span = Span::new(less.span.start, sight.token.span.start);
        Some(advice(
            "the parameters of a type are known in its methods: `fn Box.get(self) -> T`",
            Some(("leave them out".to_owned(), span, String::new())),
        ))
    }

    /// `trusted to: string`
    fn trusted_first(&self, sight: &Sight<'_>) -> Option<Advice> {
        let word = sight.before(1)?;
        let is_first = word.word == Word::Trusted && sight.expects_token(Kind::Colon);
        let rest = &sight.tokens[sight.index..];
        let length = rest
            .iter()
            .skip(2)
            .take_while(|it| is_part_of_type(it.kind) && it.kind != Kind::Comma);
        let last = rest.get(length.count() + 1).filter(|_| is_first)?;
        let typed = self.source(sight.token.span.to(last.span));
        let text = format!("{typed} trusted");
        Some(advice(
            "`trusted` follows the type: `tool pay(to: string trusted)`",
            Some((format!("write `{text}`"), word.span.to(last.span), text)),
        ))
    }
}
