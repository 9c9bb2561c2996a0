//! Which locals an item binds, and where each of them is in scope.

use std::collections::HashMap;

use gsw_source::{Name, Span};
use gsw_syntax::ast::{
    Block, Child, Expression, ExpressionKind, HookHandler, Identifier, Item, ItemBody, ListRest,
    MatchArm, Pattern, PatternKind, Statement, StatementKind,
};

use crate::cursor::visit_nodes;

/// A name that a local is bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    pub name: Name,
    /// Where it is bound, relative to the item.
    pub declared: Span,
    /// Where the name means it, unless another binding hides it.
    pub visible: Span,
}

/// All locals of `item`, in no order.
pub fn bindings(item: &Item) -> Vec<Binding> {
    let mut found = Found {
        whole: item.span,
        blocks: blocks(item).into_iter().map(|it| it.span).collect(),
        bindings: Vec::new(),
    };
    found.heads(item);
    visit_nodes(item, |node| match node {
        Child::Expression(it) => found.expression(it),
        Child::Statement(it) => found.statement(it),
        Child::Pattern(_) | Child::Type(_) | Child::Name(_) => {}
    });
    found.bindings
}

/// The locals in scope at `inside`, innermost first, none hidden.
pub fn visible_at(item: &Item, inside: u32) -> Vec<Binding> {
    let mut all = bindings(item);
    all.retain(|it| it.visible.touches(inside));
    // What is bound later hides what was bound before it.
    all.sort_by_key(|it| std::cmp::Reverse(it.declared));
    let mut seen: Vec<Binding> = Vec::new();
    for it in all {
        if seen.iter().all(|other| other.name != it.name) {
            seen.push(it);
        }
    }
    seen
}

/// For each name that an alternative of a pattern binds, after the first one, where the first binds it.
pub fn first_alternatives(item: &Item) -> HashMap<Span, Span> {
    let mut found = HashMap::new();
    visit_nodes(item, |node| {
        if let Child::Pattern(pattern) = node
            && let PatternKind::Or(parts) = &pattern.kind
            && let Some((first, others)) = parts.split_first()
        {
            let first = bound(first);
            for it in others.iter().flat_map(bound) {
                if let Some(same) = first.iter().find(|other| other.name == it.name) {
                    found.entry(it.declared).or_insert(same.declared);
                }
            }
        }
    });
    found
}

fn bound(pattern: &Pattern) -> Vec<Binding> {
    let mut found = Found {
        whole: pattern.span,
        blocks: Vec::new(),
        bindings: Vec::new(),
    };
    found.pattern(pattern, pattern.span);
    found.bindings
}

struct Found {
    whole: Span,
    blocks: Vec<Span>,
    bindings: Vec<Binding>,
}

impl Found {
    fn add(&mut self, name: &Identifier, visible: Span) {
        self.bindings.push(Binding {
            name: name.name.clone(),
            declared: name.span,
            visible,
        });
    }

    fn pattern(&mut self, pattern: &Pattern, visible: Span) {
        match &pattern.kind {
            PatternKind::Binding(name) => self.add(name, visible),
            PatternKind::Variant { fields, .. } => {
                for field in fields.iter().flatten() {
                    self.pattern(&field.pattern, visible);
                }
            }
            PatternKind::Record { fields, .. } => {
                for field in fields {
                    self.pattern(&field.pattern, visible);
                }
            }
            PatternKind::Tuple(parts) | PatternKind::Or(parts) => {
                for part in parts {
                    self.pattern(part, visible);
                }
            }
            PatternKind::List {
                before,
                rest,
                after,
            } => {
                for part in before.iter().chain(after) {
                    self.pattern(part, visible);
                }
                match rest {
                    ListRest::Bound(name) => self.add(name, visible),
                    ListRest::Complete | ListRest::Ignored => {}
                }
            }
            PatternKind::Wildcard
            | PatternKind::Literal(_)
            | PatternKind::Range { .. }
            | PatternKind::Invalid => {}
        }
    }

    fn heads(&mut self, item: &Item) {
        let whole = self.whole;
        for parameter in item
            .body
            .signature()
            .into_iter()
            .flat_map(|it| &it.parameters)
        {
            self.add(&parameter.name, whole);
        }
        if let ItemBody::Test {
            rows: Some(rows),
            body,
            ..
        } = &item.body
        {
            self.pattern(&rows.pattern, body.span);
        }
        if let ItemBody::Hook { handlers, .. } = &item.body {
            for HookHandler {
                parameters, body, ..
            } in handlers
            {
                for parameter in parameters {
                    self.add(&parameter.name, body.span);
                }
            }
        }
    }

    fn expression(&mut self, it: &Expression) {
        // Of the forms only these bind names.
        if let ExpressionKind::Lambda { parameters, body } = &it.kind {
            for parameter in parameters {
                self.pattern(&parameter.pattern, body.span);
            }
        } else if let ExpressionKind::For { pattern, body, .. }
        | ExpressionKind::ParallelFor { pattern, body, .. } = &it.kind
        {
            self.pattern(pattern, body.span);
        } else if let ExpressionKind::If {
            condition, then, ..
        } = &it.kind
        {
            self.condition(condition, then);
        } else if let ExpressionKind::While { condition, body } = &it.kind {
            self.condition(condition, body);
        } else if let ExpressionKind::Match { arms, .. } | ExpressionKind::Catch { arms, .. } =
            &it.kind
        {
            for MatchArm {
                pattern,
                guard: _,
                body,
            } in arms
            {
                self.pattern(pattern, Span::new(pattern.span.end, body.span.end));
            }
        }
    }

    /// The patterns of `let` in a condition, whose names are in scope from there to the end of the block.
    fn condition(&mut self, condition: &Expression, then: &Block) {
        let mut waiting = vec![condition];
        while let Some(it) = waiting.pop() {
            if let ExpressionKind::Let { pattern, value } = &it.kind {
                self.pattern(pattern, Span::new(value.span.end, then.span.end));
            } else if let ExpressionKind::Binary { left, right, .. } = &it.kind {
                waiting.extend([&**left, &**right]);
            } else if let ExpressionKind::Parenthesized(inside) = &it.kind {
                waiting.push(inside);
            }
        }
    }

    fn statement(&mut self, it: &Statement) {
        // A name is in scope from the end of what binds it.
        let visible = Span::new(it.span.end, self.block_end(it.span));
        match &it.kind {
            StatementKind::Let { pattern, .. } | StatementKind::Var { pattern, .. } => {
                self.pattern(pattern, visible);
            }
            StatementKind::State { name, .. } => self.add(name, visible),
            StatementKind::Mock {
                calls,
                target: _,
                arguments,
                rest: _,
                outcomes,
            } => {
                if let Some(name) = calls {
                    self.add(name, visible);
                }
                let given = outcomes.first().zip(outcomes.last());
                let given = given.map(|(a, b)| Span::new(a.span.start, b.span.end));
                for argument in arguments {
                    self.pattern(&argument.pattern, given.unwrap_or_default());
                }
            }
            StatementKind::Assign { .. }
            | StatementKind::Expression(_)
            | StatementKind::Defer(_)
            | StatementKind::Assert { .. }
            | StatementKind::MockAgent { .. }
            | StatementKind::Invalid => {}
        }
    }

    /// Where the innermost block around `span` ends.
    fn block_end(&self, span: Span) -> u32 {
        let around = self.blocks.iter().filter(|it| it.holds(span));
        around
            .min_by_key(|it| it.end - it.start)
            .map_or(self.whole.end, |it| it.end)
    }
}

pub fn blocks(item: &Item) -> Vec<&Block> {
    let mut found = Vec::new();
    match &item.body {
        ItemBody::Function(it) => found.extend(&it.body),
        ItemBody::Tool { body, .. } => found.extend(body),
        ItemBody::Workflow { body, .. } | ItemBody::Test { body, .. } => found.push(body),
        ItemBody::Hook { handlers, .. } => found.extend(handlers.iter().map(|it| &it.body)),
        ItemBody::Import(_)
        | ItemBody::Record(_)
        | ItemBody::Alias { .. }
        | ItemBody::Enum(_)
        | ItemBody::Error(_)
        | ItemBody::Const(_)
        | ItemBody::Agent { .. }
        | ItemBody::Prompt { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => {}
    }
    visit_nodes(item, |node| match node {
        Child::Expression(it) => found.extend(block_of(it)),
        Child::Statement(it) => {
            if let StatementKind::Defer(block)
            | StatementKind::Let {
                otherwise: Some(block),
                ..
            } = &it.kind
            {
                found.push(block);
            }
        }
        Child::Pattern(_) | Child::Type(_) | Child::Name(_) => {}
    });
    found
}

/// The block that an expression holds.
pub fn block_of(it: &Expression) -> Option<&Block> {
    if let ExpressionKind::If { then: block, .. }
    | ExpressionKind::Do(block)
    | ExpressionKind::For { body: block, .. }
    | ExpressionKind::While { body: block, .. }
    | ExpressionKind::ParallelFor { body: block, .. }
    | ExpressionKind::Step { body: block, .. }
    | ExpressionKind::Modified { body: block, .. }
    | ExpressionKind::Undo { body: block, .. } = &it.kind
    {
        return Some(block);
    }
    None
}
