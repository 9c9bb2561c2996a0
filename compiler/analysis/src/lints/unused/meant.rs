//! What the author of a local that nothing reads most likely had in mind.

use std::collections::HashMap;

use gsw_infer::hir::{
    Body, ExpressionKind, LocalId, LocalKind, Pattern, PatternKind, Statement, StatementKind,
};
use gsw_infer::visit_patterns;
use gsw_names::types::Type;
use gsw_names::{TypeDeclarationKind, source_text, type_declaration};
use gsw_source::{Db, Name, Span, nearest};
use gsw_syntax::SIMPLE_TYPES;

use crate::errors::UnusedMeant;

/// The locals of a body by what is asked of each: a body may have thousands.
pub(super) struct Bindings<'body> {
    db: &'body dyn Db,
    body: &'body Body,
    /// The `let` that binds nothing else, and its pattern.
    alone: HashMap<LocalId, (Span, Span)>,
    /// Those of a name in the order of the text, each with the block whose statements may follow it and the end of its own.
    named: HashMap<&'body str, Vec<(LocalId, Span, u32)>>,
    /// What is matched with a pattern that is a small name.
    matched: HashMap<LocalId, &'body Type>,
}

impl<'body> Bindings<'body> {
    pub(super) fn new(db: &'body dyn Db, body: &'body Body) -> Self {
        let mut it = Self {
            db,
            body,
            alone: HashMap::new(),
            named: HashMap::new(),
            matched: HashMap::new(),
        };
        for (block, statements) in blocks(body) {
            for statement in statements {
                if let StatementKind::Let { pattern, .. } = &statement.kind
                    && let PatternKind::Binding(local) = pattern.kind
                {
                    let place = (statement.span, pattern.span);
                    it.alone.entry(local).or_insert(place);
                }
                for local in bound(statement) {
                    let name = body.locals[local.0 as usize].name.as_str();
                    let known = it.named.entry(name).or_default();
                    known.push((local, block, statement.span.end));
                }
            }
        }
        for pattern in conditional(body) {
            visit_patterns(pattern, &mut |inner| {
                if let PatternKind::Binding(local) = inner.kind {
                    it.matched.insert(local, &inner.ty);
                }
            });
        }
        it
    }

    /// What was meant by the local, where that is something else than a value that is ignored.
    pub(super) fn meant(&self, local: LocalId) -> Option<UnusedMeant> {
        self.assignment(local)
            .or_else(|| self.variant(local))
            .or_else(|| self.value(local))
    }

    /// A name in a pattern that is the name of a value outside, or of a type.
    fn value(&self, local: LocalId) -> Option<UnusedMeant> {
        let ty = self.matched.get(&local)?;
        let own = &self.body.locals[local.0 as usize];
        if SIMPLE_TYPES.contains(&own.name.as_str()) {
            return (**ty == Type::Json).then_some(UnusedMeant::Type);
        }
        let locals = &self.body.locals;
        let mut others = self.named.get(own.name.as_str()).into_iter().flatten();
        let named = others.find(|(_, block, end)| block.holds(own.span) && *end <= own.span.start);
        let mut parameters = self.body.parameters.iter();
        let parameter = parameters.find(|it| locals[it.0 as usize].name == own.name);
        let outer = named.map(|it| it.0).or(parameter.copied())?;
        let outer = self.body.place(locals[outer.0 as usize].span);
        Some(UnusedMeant::Value { outer })
    }

    /// `let total = …` inside of the block of another `total`.
    fn assignment(&self, local: LocalId) -> Option<UnusedMeant> {
        let (db, body) = (self.db, self.body);
        let (statement, pattern) = *self.alone.get(&local)?;
        let mut others = self
            .named
            .get(body.locals[local.0 as usize].name.as_str())?
            .iter();
        let (outer, ..) =
            others.find(|(_, block, end)| block.holds(statement) && *end <= statement.start)?;
        let outer = &body.locals[outer.0 as usize];
        let place = |span| body.place(span);
        let word = Span::new(statement.start, pattern.start);
        let is_plain = source_text(db, body.item, word).trim_end() == "let";
        let may_change = matches!(outer.kind, LocalKind::Var | LocalKind::State);
        Some(UnusedMeant::Assignment {
            outer: place(outer.span),
            word: (is_plain && may_change).then(|| place(word)),
        })
    }

    /// A small name in a pattern over an enum that has such a variant, or over a union that has such a text.
    fn variant(&self, local: LocalId) -> Option<UnusedMeant> {
        let ty = Type::clone(self.matched.get(&local)?);
        let name = &self.body.locals[local.0 as usize].name;
        variant(self.db, name, ty)
    }
}

/// What a name that is matched with values of a type resembles.
fn variant(db: &dyn Db, name: &Name, mut ty: Type) -> Option<UnusedMeant> {
    while let Type::Optional(inner) = &ty {
        ty = (**inner).clone();
    }
    if let Type::Literals(texts) = &ty {
        let same = texts.iter().find(|it| *it == name).cloned();
        let text = same.or_else(|| nearest(name, texts.iter()).map(|it| it.name))?;
        return Some(UnusedMeant::Text { text });
    }
    let Type::Enum(item, _) = ty else {
        return None;
    };
    let TypeDeclarationKind::Enum(variants) = &type_declaration(db, item).declaration.kind else {
        return None;
    };
    let plain = name.replace('_', "");
    let same = variants
        .iter()
        .find(|it| it.name.eq_ignore_ascii_case(&plain))
        .map(|it| it.name.clone());
    let names: Vec<Name> = variants.iter().map(|it| it.name.clone()).collect();
    let meant = same.or_else(|| nearest(&capitalised(name), &names).map(|it| it.name))?;
    let has_payload = variants
        .iter()
        .any(|it| it.name == meant && !it.fields.is_empty());
    // One that is declared with a small letter is reported there, and gets a capital.
    let meant = capitalised(&meant);
    Some(UnusedMeant::Variant {
        text: match has_payload {
            true => format!("{meant}(..)"),
            false => meant.to_string(),
        },
    })
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The blocks of a body with their spans.
fn blocks(body: &Body) -> impl Iterator<Item = (Span, &Vec<Statement>)> {
    body.expressions.iter().filter_map(|it| {
        let ExpressionKind::Block { statements, .. } = &it.kind else {
            return None;
        };
        Some((it.span, statements))
    })
}

/// The locals that a statement binds for those after it.
fn bound(statement: &Statement) -> Vec<LocalId> {
    match &statement.kind {
        StatementKind::Var { local, .. } => vec![*local],
        StatementKind::Let { pattern, .. } => {
            let mut found = Vec::new();
            visit_patterns(pattern, &mut |it| {
                if let PatternKind::Binding(local) = it.kind {
                    found.push(local);
                }
            });
            found
        }
        StatementKind::Assign { .. }
        | StatementKind::Expression(_)
        | StatementKind::Defer(_)
        | StatementKind::Assert { .. }
        | StatementKind::AssertFails { .. }
        | StatementKind::AssertSnapshot { .. }
        | StatementKind::Mock { .. }
        | StatementKind::MockAgent { .. } => Vec::new(),
    }
}

/// The patterns that a value may not match: those of `match` and `if let`.
fn conditional(body: &Body) -> Vec<&Pattern> {
    let mut found = Vec::new();
    for expression in &body.expressions {
        if let ExpressionKind::Match { arms, .. } = &expression.kind {
            found.extend(arms.iter().map(|it| &it.pattern));
        } else if let ExpressionKind::Matches { pattern, .. } = &expression.kind {
            found.push(pattern);
        }
    }
    found
}
