//! What may follow a part that is complete: an operand, a type, a name that is being declared. Only tokens tell, since a name put there is
//! no tree.

use gsw_syntax::{LineStart, Token, TokenKind, Word};

use super::tokens::Tokens;

/// The words that may stand there; none where the reader makes up a name.
pub type Words = Vec<&'static str>;

/// In the brackets that list what a declaration has: fields, variants, parameters.
pub fn in_declaration(tokens: &Tokens<'_>) -> Option<Words> {
    if tokens.tokens[tokens.at].line_start == LineStart::Margin {
        return None;
    }
    let first = declaration(tokens)?;
    let Token { kind, word, .. } = tokens.tokens[first];
    let list = |bracket: TokenKind| {
        let mut between = first..tokens.at;
        between.find(|it| tokens.tokens[*it].kind == bracket)
    };
    let all = tokens.openers().into_iter();
    let open: Vec<usize> = all.filter(|it| *it > first).collect();
    if kind == TokenKind::Type && open.is_empty() {
        let segment = segment(tokens);
        let is_alias = segment.iter().any(|it| it.kind == TokenKind::Equal);
        return (is_alias && ends_type(&segment)).then(|| words(&["where"]));
    }
    if kind == TokenKind::Type {
        let fields = list(TokenKind::BraceOpen)?;
        return (open == [fields]).then(|| listed(tokens, fields, &["where"]))?;
    }
    if kind == TokenKind::Enum {
        let variants = list(TokenKind::BraceOpen)?;
        let is_payload = |it: usize| tokens.tokens[it].kind == TokenKind::ParenOpen;
        let is_list = match open.as_slice() {
            [outer] => *outer == variants,
            [outer, inner] => *outer == variants && is_payload(*inner),
            _ => false,
        };
        return is_list.then(|| listed(tokens, *open.last()?, &[]))?;
    }
    let is_called = matches!(kind, TokenKind::Fn | TokenKind::Workflow)
        || matches!(
            word,
            Word::Prompt | Word::Tool | Word::Human | Word::External
        );
    if !is_called && kind != TokenKind::Error {
        return None;
    }
    let parameters = list(TokenKind::ParenOpen)?;
    let after_type: &[&str] = if is_called { &["trusted"] } else { &[] };
    (open == [parameters]).then(|| listed(tokens, parameters, after_type))?
}

/// The token that begins the declaration around the marker.
fn declaration(tokens: &Tokens<'_>) -> Option<usize> {
    let mut before = (0..tokens.at).rev();
    let first = before.find(|it| tokens.tokens[*it].line_start == LineStart::Margin)?;
    let is_private = tokens.tokens[first].kind == TokenKind::Private;
    Some(if is_private { first + 1 } else { first })
}

/// In the list that `opener` opens: nothing is offered for a name of the reader's own, and `after_type` after a type.
fn listed(tokens: &Tokens<'_>, opener: usize, after_type: &[&'static str]) -> Option<Words> {
    let begins_line = tokens.starts_line() && tokens.tokens[opener].kind == TokenKind::BraceOpen;
    let segment = segment(tokens);
    let has_type = segment.iter().any(|it| it.kind == TokenKind::Colon);
    let is_attribute = segment.last().is_some_and(|it| it.kind == TokenKind::At);
    if is_attribute {
        return None;
    }
    if begins_line || !has_type {
        return Some(Words::new());
    }
    ends_type(&segment).then(|| words(after_type))
}

/// The tokens before the marker, back to the last comma, the bracket around it or the beginning of the line.
fn segment(tokens: &Tokens<'_>) -> Vec<Token> {
    let line = tokens.line_before();
    let line: Vec<Token> = line.into_iter().map(|it| tokens.tokens[it]).collect();
    let comma = line.iter().rposition(|it| it.kind == TokenKind::Comma);
    line[comma.map_or(0, |it| it + 1)..].to_vec()
}

/// Whether a type is complete at the end, and neither a check nor a default has begun after it.
fn ends_type(segment: &[Token]) -> bool {
    let colon = segment
        .iter()
        .position(|it| matches!(it.kind, TokenKind::Colon | TokenKind::Equal));
    let after = &segment[colon.map_or(0, |it| it + 1)..];
    let has_more = after
        .iter()
        .any(|it| it.kind == TokenKind::Equal || matches!(it.word, Word::Where | Word::Trusted));
    let is_end = after.last().is_some_and(|it| {
        matches!(
            it.kind,
            TokenKind::Identifier
                | TokenKind::Question
                | TokenKind::Greater
                | TokenKind::String
                | TokenKind::ParenClose
                | TokenKind::BracketClose
                | TokenKind::BraceClose
        )
    });
    is_end && !has_more
}

/// After `errors` of a `parallel` or a `race`.
pub fn errors(tokens: &Tokens<'_>) -> Option<Words> {
    if tokens.previous()?.word != Word::Errors {
        return None;
    }
    let segment = segment(tokens);
    let has = |kind: TokenKind, word: Word| {
        let mut all = segment.iter();
        all.any(|it| it.kind == kind && (it.word == word || word == Word::Other))
    };
    if has(TokenKind::Race, Word::Other) {
        return Some(words(&["merge"]));
    }
    has(TokenKind::Identifier, Word::Parallel).then(|| words(&["first", "settle", "merge"]))
}

/// After an operand in a body, on its line.
pub fn operand(tokens: &Tokens<'_>) -> Option<Words> {
    let first = tokens.tokens[declaration(tokens)?].kind;
    let segment = segment(tokens);
    let is_check = first == TokenKind::Type && segment.iter().any(|it| it.word == Word::Where);
    let is_in_code = tokens.depth() > 0 || first == TokenKind::Const || is_check;
    if tokens.starts_line() || !is_in_code || first == TokenKind::Import {
        return None;
    }
    let (last, before) = segment.split_last()?;
    if !ends_operand(*last, before.last()) {
        return None;
    }
    let has = |kind: TokenKind| segment.iter().any(|it| it.kind == kind);
    let is_bound = before.last().is_none_or(|it| {
        matches!(it.kind, TokenKind::Let | TokenKind::Var | TokenKind::For)
            || it.word == Word::State
    });
    let is_binding = has(TokenKind::Let) || has(TokenKind::Var);
    if is_binding && (is_bound || !has(TokenKind::Equal)) {
        return Some(Words::new());
    }
    // An arm before its `=>`, or a field before its colon.
    if is_in_list_of_cases(tokens, &segment) {
        return None;
    }
    let is_field = first == TokenKind::Type && has(TokenKind::Equal);
    let mut found = if is_field {
        // A check may follow the default value.
        vec!["where"]
    } else {
        Vec::new()
    };
    found.extend(if last.kind == TokenKind::BraceClose {
        vec!["else"]
    } else {
        vec!["and", "or", "in", "as", "as?"]
    });
    if segment.first().is_some_and(|it| it.kind == TokenKind::Let) {
        found.push("else");
    }
    if segment
        .first()
        .is_some_and(|it| it.kind == TokenKind::Assert)
    {
        found.push("fails");
    }
    found.push("catch");
    if segment.iter().any(|it| it.word == Word::Mock) && has(TokenKind::Arrow) {
        found.push("then");
    }
    if last.kind == TokenKind::ParenClose {
        found.extend(["by", "with"]);
    }
    if has(TokenKind::Race) {
        found.push("errors");
    }
    Some(words(&found))
}

/// Whether a type is wanted in a declaration that has no tree: after the colon of a parameter, a field or a payload, after the arrow.
pub fn is_type(tokens: &Tokens<'_>) -> bool {
    let Some(first) = declaration(tokens) else {
        return false;
    };
    let Token { kind, word, .. } = tokens.tokens[first];
    let is_called = matches!(kind, TokenKind::Fn | TokenKind::Workflow | TokenKind::Error)
        || matches!(
            word,
            Word::Prompt | Word::Tool | Word::Human | Word::External
        );
    let openers = tokens.openers();
    let outermost = openers.iter().find(|it| **it > first);
    let is_in_head = outermost.is_some_and(|it| {
        let before = it.checked_sub(1).map(|it| tokens.tokens[it].kind);
        let is_list = tokens.tokens[*it].kind == TokenKind::ParenOpen && is_called;
        let is_brace = tokens.tokens[*it].kind == TokenKind::BraceOpen;
        let has_types = matches!(kind, TokenKind::Type | TokenKind::Enum);
        let is_result = is_called && before == Some(TokenKind::Arrow);
        is_list || is_brace && (has_types || is_result)
    });
    // Back over the brackets of a type that is begun.
    let mut before = tokens.tokens[first..tokens.at].iter().rev();
    let begins = before.find(|it| {
        !matches!(
            it.kind,
            TokenKind::BracketOpen | TokenKind::BraceOpen | TokenKind::ParenOpen
        )
    });
    is_in_head
        && begins.is_some_and(|it| {
            matches!(
                it.kind,
                TokenKind::Colon | TokenKind::Arrow | TokenKind::Less
            )
        })
}

/// Whether the value of a setting is complete, on the line of the marker.
pub fn is_after_setting(tokens: &Tokens<'_>) -> bool {
    let segment = segment(tokens);
    let colon = segment.iter().position(|it| it.kind == TokenKind::Colon);
    let is_complete = segment
        .split_last()
        .is_some_and(|(last, before)| ends_operand(*last, before.last()));
    is_complete && colon.is_some() && !tokens.starts_line()
}

/// `before` is what stands before the token.
fn ends_operand(last: Token, before: Option<&Token>) -> bool {
    let is_member =
        before.is_some_and(|it| matches!(it.kind, TokenKind::Dot | TokenKind::QuestionDot));
    // A word of the language may ask for what follows it.
    let is_name = last.kind == TokenKind::Identifier && (last.word == Word::Other || is_member);
    is_name
        || matches!(
            last.kind,
            TokenKind::Int
                | TokenKind::Float
                | TokenKind::Duration
                | TokenKind::String
                | TokenKind::StringClose
                | TokenKind::True
                | TokenKind::False
                | TokenKind::None
                | TokenKind::SelfValue
                | TokenKind::ParenClose
                | TokenKind::BracketClose
                | TokenKind::BraceClose
        )
}

/// Whether the braces around the marker hold arms or fields, and the one at the marker has not come to its value.
fn is_in_list_of_cases(tokens: &Tokens<'_>, segment: &[Token]) -> bool {
    let Some(&brace) = tokens.openers().last() else {
        return false;
    };
    if tokens.tokens[brace].kind != TokenKind::BraceOpen {
        return false;
    }
    let around = Tokens {
        at: brace,
        ..*tokens
    };
    let head = around.line_before();
    let holds_arms = head
        .last()
        .is_some_and(|it| tokens.tokens[*it].kind == TokenKind::Catch)
        || head
            .iter()
            .any(|it| tokens.tokens[*it].kind == TokenKind::Match);
    let opens_body = head.iter().any(|it| {
        matches!(
            tokens.tokens[*it].kind,
            TokenKind::Arrow | TokenKind::If | TokenKind::While | TokenKind::For | TokenKind::In
        )
    });
    let is_record = !opens_body
        && head
            .last()
            .is_some_and(|it| tokens.text(*it).starts_with(|it: char| it.is_uppercase()));
    let has = |kind: TokenKind| segment.iter().any(|it| it.kind == kind);
    holds_arms && !has(TokenKind::FatArrow) || is_record && !has(TokenKind::Colon)
}

fn words(them: &[&'static str]) -> Words {
    them.to_vec()
}
