//! Docs as HTML: Markdown in which nothing is executed and nothing is loaded.

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

/// Docs as HTML. HTML in them is shown as text, images are links, and links lead to the web or stay in the site.
pub(crate) fn markdown(docs: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events = Parser::new_ext(docs, options).map(tamed);
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

/// The first paragraph as plain text on one line.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the events of Markdown are not ours to list"
)]
pub(crate) fn summary(docs: &str) -> String {
    let mut out = String::new();
    for event in Parser::new_ext(docs, Options::ENABLE_TABLES) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => break,
            Event::Start(Tag::CodeBlock(_) | Tag::Table(_)) => break,
            _ => {}
        }
    }
    out
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the events of Markdown are not ours to list"
)]
fn tamed(event: Event<'_>) -> Event<'_> {
    match harmless(event) {
        // An item's own heading is of the third level.
        Event::Start(Tag::Heading { .. }) => Event::Start(Tag::Heading {
            level: HeadingLevel::H4,
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        }),
        Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(HeadingLevel::H4)),
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => safe_link(link_type, dest_url, title, id),
        other => other,
    }
}

/// What is neither executed nor loaded; headings and links are as they were.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the events of Markdown are not ours to list"
)]
pub(crate) fn harmless(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Image {
            dest_url,
            title,
            id,
            ..
        }) => safe_link(LinkType::Inline, dest_url, title, id),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        other => other,
    }
}

/// A link that leads to the web or stays in the site.
pub(crate) fn safe_link<'e>(
    link_type: LinkType,
    address: CowStr<'e>,
    title: CowStr<'e>,
    id: CowStr<'e>,
) -> Event<'e> {
    let lower = address.trim().to_ascii_lowercase();
    let is_harmless = ["https://", "http://", "mailto:", "#"]
        .iter()
        .any(|it| lower.starts_with(it))
        || !lower.contains(':');
    Event::Start(Tag::Link {
        link_type,
        dest_url: if is_harmless { address } else { "#".into() },
        title,
        id,
    })
}

#[cfg(test)]
mod tests {
    use super::{markdown, summary};

    #[test]
    fn nothing_is_executed_or_loaded() {
        let html =
            markdown("a <script>x</script> [b](javascript:x) ![c](https://example.org/c.png)");
        assert!(
            !html.contains("<script") && !html.contains("javascript:") && !html.contains("<img"),
            "{html}"
        );
        assert!(html.contains("&lt;script&gt;"), "{html}");
    }

    #[test]
    fn a_summary_is_the_first_paragraph() {
        assert_eq!(summary("One `a`\nand two.\n\nMore."), "One a and two.");
        assert_eq!(summary(""), "");
    }
}
