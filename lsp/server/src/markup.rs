//! Texts that are shown: Markdown, or plain ones to a client that shows nothing else.

use tower_lsp::ls_types as lsp;

/// How a client shows texts of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    #[default]
    Markdown,
    Plain,
}

impl Format {
    /// What a client has agreed to by its list of formats; one without a list has always been sent Markdown.
    pub fn agreed(offered: Option<&Vec<lsp::MarkupKind>>) -> Self {
        match offered {
            Some(list) if !list.contains(&lsp::MarkupKind::Markdown) => Self::Plain,
            Some(_) | None => Self::Markdown,
        }
    }

    pub fn text(self, markdown: &str) -> lsp::MarkupContent {
        let (kind, value) = match self {
            Self::Markdown => (lsp::MarkupKind::Markdown, markdown.to_owned()),
            Self::Plain => (lsp::MarkupKind::PlainText, plain(markdown)),
        };
        lsp::MarkupContent { kind, value }
    }
}

/// Adds to a text, in its own format.
pub fn append(to: &mut lsp::MarkupContent, separator: &str, markdown: &str) {
    let more = format!("{separator}{markdown}");
    match to.kind {
        lsp::MarkupKind::Markdown => to.value.push_str(&more),
        lsp::MarkupKind::PlainText => to.value.push_str(&plain(&more)),
    }
}

/// Markdown without the lines that only mark something: fences of code, and rules.
fn plain(markdown: &str) -> String {
    let lines = markdown.split('\n');
    let kept = lines.filter(|it| !it.starts_with("```") && *it != "---");
    kept.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_plain_text_has_no_fences() {
        assert_eq!(plain("```gsw\nfn f()\n```\n\nDocs."), "fn f()\n\nDocs.");
    }
}
