//! `@resource`: what the address of a workflow that can be read must be.

use gsw_source::{Diagnostic, ItemId, Place, Span};

use crate::errors::{self, ResourceProblem};
use crate::signature::{OfferedResource, Parameter, Presence};
use crate::types::Type;

/// What is wrong about `@resource` before a workflow with these parameters.
pub(crate) fn check(
    item: ItemId,
    parameters: &[Parameter],
    (resource, span): &(OfferedResource, Span),
) -> Option<Diagnostic> {
    let problem = problem(parameters, &resource.uri)?;
    Some(errors::resource(Place::Item { item, span: *span }, problem))
}

fn problem<'a>(parameters: &'a [Parameter], uri: &'a str) -> Option<ResourceProblem<'a>> {
    let Some(gaps) = gaps(uri) else {
        return Some(ResourceProblem::NotAnAddress);
    };
    let is_text = |it: &&Parameter| it.ty == Type::String;
    for (number, gap) in gaps.iter().enumerate() {
        let found = parameters.iter().find(|it| &*it.name == *gap);
        if gaps[..number].contains(gap) || found.filter(is_text).is_none() {
            return Some(ResourceProblem::NotAParameter(gap));
        }
    }
    let must_be_given = |it: &&Parameter| it.default == Presence::Absent;
    let missing = parameters.iter().filter(must_be_given);
    let missing = missing.map(|it| &*it.name).find(|it| !gaps.contains(it));
    missing.map(ResourceProblem::NotInTheAddress)
}

/// The names in braces; none where it is no address of a scheme, or a brace has no other or something else in it.
fn gaps(uri: &str) -> Option<Vec<&str>> {
    let (scheme, mut rest) = uri.split_once("://")?;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '+' | '-' | '.');
    if !scheme.starts_with(|it: char| it.is_ascii_alphabetic()) || !scheme.chars().all(is_plain) {
        return None;
    }
    if rest.is_empty() || rest.contains(|it: char| it.is_whitespace() || it.is_control()) {
        return None;
    }
    let mut gaps = Vec::new();
    while let Some((before, behind)) = rest.split_once('{') {
        let (gap, after) = behind.split_once('}')?;
        // Two gaps with nothing between them could be filled in many ways.
        if before.contains('}') || gap.is_empty() || (before.is_empty() && !gaps.is_empty()) {
            return None;
        }
        gaps.push(gap);
        rest = after;
    }
    (!rest.contains('}')).then_some(gaps)
}

#[cfg(test)]
mod tests {
    use super::gaps;

    #[test]
    fn an_address_has_a_scheme_and_gaps_that_are_apart() {
        assert_eq!(gaps("shop://terms"), Some(vec![]));
        assert_eq!(
            gaps("shop://orders/{id}/lines/{line}"),
            Some(vec!["id", "line"])
        );
        for wrong in [
            "terms",
            "://x",
            "1a://x",
            "a://",
            "a://{",
            "a://}",
            "a://{a}{b}",
            "a://x y",
            "a://{}",
        ] {
            assert_eq!(gaps(wrong), None, "{wrong}");
        }
    }
}
