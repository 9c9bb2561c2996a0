//! `textDocument/inlayHint`: what the compiler found out and is not written: types of variables, names of parameters, errors of
//! functions and calls, whether a function waits, how often a tool may run.

use gsw_analysis::{Waits, item_summary, repeat_class};
use gsw_names::display_type;
use gsw_names::types::Type;
use gsw_source::{Db, File, ItemId, Span};
use gsw_syntax::ast::{
    Block, Child, Expression, ExpressionKind, Item, ItemBody, Pattern, PatternKind, StatementKind,
};
use gsw_syntax::{file_item_ids, item_ast};

use crate::completion::Definition;
use crate::cursor::{in_file, visit_nodes};
use crate::expression_type::local_type;
use crate::parameters::{Called, called, parameters_of};
use crate::spelling::Spelling;
use crate::type_definition::declared_in;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlayHint {
    /// The byte of the file before which it is shown.
    pub offset: u32,
    pub label: String,
    pub kind: HintKind,
    /// The text that says the same when it is written there; `None` where nothing can be.
    pub written: Option<String>,
    /// What it names, whose docs an editor asks for when it shows them.
    pub about: Vec<Definition>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HintKind {
    /// `: T` after a name.
    Type,
    /// `name:` before an argument.
    Parameter,
    /// What a function raises, how often a tool may run, and that either waits, before its body.
    Errors,
    /// What a call raises, after it.
    Call,
}

/// A longer type says more than a line has room for.
const LONGEST: usize = 60;

/// The hints in `range`, in order.
#[must_use]
pub fn inlay_hint(db: &dyn Db, file: File, range: Span) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for item in file_item_ids(db, file).iter().copied() {
        let Some(tree) = item_ast(db, item) else {
            continue;
        };
        let whole = in_file(db, item, tree.span);
        if !(whole.touches(range.start) || range.touches(whole.start)) {
            continue;
        }
        let mut found = Found {
            db,
            item,
            hints: Vec::new(),
        };
        found.head(&tree);
        visit_nodes(&tree, |node| found.node(node));
        hints.extend(found.hints.into_iter().map(|it| InlayHint {
            offset: in_file(db, item, Span::new(it.offset, it.offset)).start,
            ..it
        }));
    }
    hints.retain(|it| range.touches(it.offset));
    hints.sort_by_key(|it| it.offset);
    hints
}

/// Where a type can be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypeSite {
    /// After what is here, and not after a part of it.
    After(Span),
    None,
}

struct Found<'db> {
    db: &'db dyn Db,
    item: ItemId,
    /// Their places relative to the item.
    hints: Vec<InlayHint>,
}

impl Found<'_> {
    fn node(&mut self, node: Child<'_>) {
        match node {
            Child::Statement(it) => {
                if let StatementKind::Let {
                    pattern, ty: None, ..
                }
                | StatementKind::Var {
                    pattern, ty: None, ..
                } = &it.kind
                {
                    self.bound(pattern, TypeSite::After(pattern.span));
                }
            }
            Child::Expression(it) => self.expression(it),
            Child::Pattern(_) | Child::Type(_) | Child::Name(_) => {}
        }
    }

    fn expression(&mut self, it: &Expression) {
        if let ExpressionKind::Lambda { parameters, .. } = &it.kind {
            for parameter in parameters.iter().filter(|it| it.ty.is_none()) {
                // Without parentheses a parameter is a name alone.
                let text = gsw_names::source_text(self.db, self.item, it.span);
                let site = match text.starts_with('(') {
                    true => TypeSite::After(parameter.pattern.span),
                    false => TypeSite::None,
                };
                self.bound(&parameter.pattern, site);
            }
        } else if let ExpressionKind::For { pattern, .. }
        | ExpressionKind::ParallelFor { pattern, .. } = &it.kind
        {
            self.bound(pattern, TypeSite::None);
        } else if let ExpressionKind::Call {
            callee, arguments, ..
        } = &it.kind
        {
            let Some(target) = called(self.db, self.item, callee.span) else {
                return;
            };
            let about = match target {
                Called::Item { item, .. } | Called::Variant { item, .. } => {
                    Definition::of(self.db, item)
                }
            };
            let parameters = parameters_of(self.db, &target);
            // After a named argument all are named.
            let last_unnamed = arguments.iter().rposition(|it| it.name.is_none());
            for (place, (argument, parameter)) in arguments.iter().zip(&parameters).enumerate() {
                // What has a name says what it is; a lone letter says nothing.
                if argument.name.is_none()
                    && says_nothing(&argument.value)
                    && parameter.name.chars().count() > 1
                    && parameters.len() > 1
                {
                    self.hints.push(InlayHint {
                        offset: argument.value.span.start,
                        label: format!("{}:", parameter.name),
                        kind: HintKind::Parameter,
                        written: (last_unnamed == Some(place))
                            .then(|| format!("{}: ", parameter.name)),
                        about: about.iter().cloned().collect(),
                    });
                }
            }
            self.raised(&target, it.span.end);
        }
    }

    /// What a call that ends at `end` raises.
    fn raised(&mut self, target: &Called, end: u32) {
        let Called::Item { item, .. } = *target else {
            return;
        };
        if let Some((label, about)) = errors(self.db, item) {
            self.hints.push(InlayHint {
                offset: end,
                label,
                kind: HintKind::Call,
                written: None,
                about,
            });
        }
    }

    /// The types of the names that a pattern without a type binds.
    fn bound(&mut self, pattern: &Pattern, site: TypeSite) {
        if let PatternKind::Tuple(parts) = &pattern.kind {
            for part in parts {
                self.bound(part, site);
            }
            return;
        }
        let PatternKind::Binding(name) = &pattern.kind else {
            return;
        };
        if name.name.starts_with('_') {
            return;
        }
        let ty = local_type(self.db, self.item, name.span);
        let Some(ty) = ty.filter(|it| *it != Type::Invalid) else {
            return;
        };
        let shown = display_type(self.db, &ty);
        if shown.len() <= LONGEST && !shown.contains('_') {
            self.hints.push(InlayHint {
                offset: name.span.end,
                label: format!(": {shown}"),
                kind: HintKind::Type,
                written: self
                    .written(&ty)
                    .filter(|_| site == TypeSite::After(name.span)),
                about: about(self.db, &ty),
            });
        }
    }

    /// `: T` as the file can write it without a further import.
    fn written(&self, ty: &Type) -> Option<String> {
        let mut spelling = Spelling::new(self.db, self.item.file(self.db));
        let shown = spelling.ty(ty)?;
        spelling.imports().is_empty().then(|| format!(": {shown}"))
    }

    /// What the head of a function leaves to inference.
    fn head(&mut self, tree: &Item) {
        let (Some(body), Some(head)) = (body(tree), tree.body.signature()) else {
            return;
        };
        let raised = errors(self.db, self.item).filter(|_| head.throws.is_none());
        let (errors, about) = raised.unzip();
        let is_tool = matches!(tree.body, ItemBody::Tool { .. }) && head.repeat.is_none();
        let class = is_tool.then(|| repeat_class(self.db, self.item).name().to_owned());
        let waits = item_summary(self.db, self.item).item.waits == Waits::Always;
        let waits = waits.then(|| "waits".to_owned());
        let parts: Vec<String> = [errors, class, waits].into_iter().flatten().collect();
        if !parts.is_empty() {
            self.hints.push(InlayHint {
                offset: body.span.start,
                label: parts.join(", "),
                kind: HintKind::Errors,
                written: None,
                about: about.unwrap_or_default(),
            });
        }
    }
}

/// `! A | B` of what calling `item` raises, and these errors; `None` when it raises none.
fn errors(db: &dyn Db, item: ItemId) -> Option<(String, Vec<Definition>)> {
    let summary = item_summary(db, item);
    let kinds = &summary.item.errors.kinds;
    let names: Vec<&str> = kinds.iter().map(|it| it.name.as_str()).collect();
    let about = kinds.iter().filter_map(|it| Definition::of(db, it.item));
    let about = about.collect();
    (!names.is_empty()).then(|| (format!("! {}", names.join(" | ")), about))
}

/// The declared types that a type is made of.
fn about(db: &dyn Db, ty: &Type) -> Vec<Definition> {
    let declared = declared_in(ty).into_iter();
    declared.filter_map(|it| Definition::of(db, it)).collect()
}

fn body(tree: &Item) -> Option<&Block> {
    match &tree.body {
        ItemBody::Function(it) => it.body.as_ref(),
        ItemBody::Tool { body, .. } => body.as_ref(),
        ItemBody::Workflow { body, .. } => Some(body),
        ItemBody::Import(_)
        | ItemBody::Record(_)
        | ItemBody::Alias { .. }
        | ItemBody::Enum(_)
        | ItemBody::Error(_)
        | ItemBody::Const(_)
        | ItemBody::Agent { .. }
        | ItemBody::Prompt { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => None,
    }
}

/// Whether an argument does not say what it is for.
fn says_nothing(it: &Expression) -> bool {
    matches!(
        it.kind,
        ExpressionKind::Literal(_)
            | ExpressionKind::List(_)
            | ExpressionKind::Map(_)
            | ExpressionKind::Unary { .. }
    )
}
