//! The page with a module's text.

use std::fmt::Write;

use super::link::module_page;
use super::{Module, Site, frame};
use crate::escape::escaped;

/// The page with a module's text, each line with its number.
pub(crate) fn page(site: &Site<'_>, module: &Module) -> String {
    let text = module.file.text(site.db);
    let (name, page) = (escaped(&module.name), escaped(&module_page(&module.name)));
    let mut main = format!(
        "<h1><span class=\"kind\">source of</span> <a href=\"{page}\">{name}</a></h1>\n<pre class=\"text\"><code>"
    );
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        // The lines are blocks, which end by themselves.
        let _ = write!(
            main,
            "<span id=\"L{number}\"><a href=\"#L{number}\">{number}</a>{}</span>",
            escaped(line)
        );
    }
    main.push_str("</code></pre>\n");
    frame::frame(
        site,
        &format!("Source of {}", module.name),
        frame::Current::Module(module),
        &main,
    )
}
