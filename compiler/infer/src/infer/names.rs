//! What names mean where they are written: locals, what the file declares and imports, what follows the dot of a module.

mod undeclared;
mod unknown;

use gsw_names::types::Type;
use gsw_names::{
    Definition, KnownItem, errors, handler_word, is_std, library_module, member_names,
    module_scope, resolve_callable, resolve_error, resolve_member, resolve_name, seems_declared,
    server_tool, shown_module, variants_named,
};
use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind, Name, Place, Span, Suggestion, meant};
use gsw_syntax::ast;

use crate::errors::{elsewhere, records};
use crate::infer::findings::Findings;
use crate::infer::lookup;
use crate::infer::scopes::Scopes;
use crate::infer::table::Table;
use crate::item_bodies::Reference;

/// Looks names up, reports those that mean nothing, and notes what the others mean. It finds no local: where a name may be one, the caller
/// asks the scopes first.
pub(super) struct Names<'a, 'db> {
    pub(super) db: &'db dyn Db,
    pub(super) file: File,
    pub(super) item: ItemId,
    pub(super) scopes: &'a Scopes,
    pub(super) table: &'a Table<'db>,
    pub(super) findings: &'a mut Findings,
}

impl Names<'_, '_> {
    fn place(&self, span: Span) -> Place {
        Place::Item {
            item: self.item,
            span,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.findings.report(diagnostic);
    }

    fn refer(&mut self, span: Span, reference: Reference) {
        self.findings.refer(span, reference);
    }

    /// Whether names after a dot are looked up in the definition rather than in its value.
    fn is_scope(&self, definition: Definition) -> bool {
        match definition {
            Definition::Module(_) => true,
            // A constant is a value: `LIMITS.max` is a field of it.
            Definition::Item(item) => !matches!(item.kind(self.db), ItemKind::Const),
            Definition::Variant { .. } => false,
        }
    }

    /// What a name that is no local means; `None` when that was reported.
    pub(super) fn resolve(
        &mut self,
        name: &Name,
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Definition> {
        // What is wanted comes first: two enums may have a variant of one name, and here there is no doubt which is meant.
        if let Some((item, _)) = hint.and_then(|it| self.table.wanted_enum(it))
            && let Some(variant) = lookup::variant_named(self.db, item, name)
        {
            return Some(Definition::Variant { item, variant });
        }
        let wants_error = hint.is_some_and(|it| self.table.operand(it) == Type::Error);
        let definition = match wants_error {
            true => resolve_error(self.db, self.file, name),
            false => resolve_name(self.db, self.file, name),
        };
        let is_variant = match definition {
            Some(Definition::Variant { .. }) => true,
            // A type is no value, so it does not hide a variant of its name.
            Some(Definition::Item(item)) => {
                item.kind(self.db).is_type() && !variants_named(self.db, self.file, name).is_empty()
            }
            Some(Definition::Module(_)) | None => false,
        };
        if is_variant {
            return self.unambiguous_variant(name, span);
        }
        if definition.is_some() {
            return definition;
        }
        if self.item.kind(self.db) == ItemKind::Hook {
            let wanted = hint.and_then(|it| self.table.wanted_enum(it));
            let word = handler_word(self.db, name, wanted.map(|it| it.0));
            if word.is_some() {
                return word;
            }
        }
        if self.item.kind(self.db) == ItemKind::Mcp
            && let Some(transport) = KnownItem::transport(self.db, name)
        {
            return Some(Definition::Item(transport));
        }
        self.unknown_name(name, span);
        None
    }

    /// As `resolve`, for what is called: a module does not hide the function of its name.
    pub(super) fn resolve_called(
        &mut self,
        name: &Name,
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Definition> {
        match resolve_callable(self.db, self.file, name) {
            Some(Definition::Variant { .. }) | None => self.resolve(name, span, hint),
            Some(Definition::Item(item)) if item.kind(self.db).is_type() => {
                self.resolve(name, span, hint)
            }
            found @ Some(Definition::Item(_) | Definition::Module(_)) => found,
        }
    }

    /// What an expression names when it is a path of modules and declarations; `None` for values.
    pub(super) fn path(&mut self, expression: &ast::Expression) -> Option<Definition> {
        let (definition, span) = if let ast::ExpressionKind::Name(name) = &expression.kind {
            // A local hides modules and declarations in every position.
            if self.scopes.find(name).is_some() {
                return None;
            }
            (resolve_name(self.db, self.file, name)?, expression.span)
        } else if let ast::ExpressionKind::Field {
            base,
            name,
            chain: ast::Chain::Plain,
        } = &expression.kind
        {
            let definition = match self.path(base)? {
                Definition::Module(module) => {
                    resolve_member(self.db, module, &name.name, self.file)?
                }
                Definition::Item(item) => Definition::Item(server_tool(self.db, item, &name.name)?),
                Definition::Variant { .. } => return None,
            };
            (definition, name.span)
        } else {
            return None;
        };
        self.is_scope(definition).then(|| {
            self.refer(span, reference(definition));
            definition
        })
    }

    /// What `name` means after the dot of a module; `None` when that was reported.
    pub(super) fn member(&mut self, module: File, name: &ast::Identifier) -> Option<Definition> {
        if let Some(found) = resolve_member(self.db, module, &name.name, self.file) {
            self.refer(name.span, reference(found));
            return Some(found);
        }
        // The declaration exists but is broken, which its own file reports.
        if seems_declared(self.db, module, &name.name) {
            return None;
        }
        let path = shown_module(self.db, module);
        let place = self.place(name.span);
        let hidden = resolve_member(self.db, module, &name.name, module).is_some();
        let diagnostic = if hidden {
            errors::private_name(place, &name.name, &path)
        } else {
            let names = member_names(self.db, module);
            let instead = errors::instead_of_member(&path, &name.name);
            // What is known of the name is better than a guess by its spelling.
            let is_said = |it: &Suggestion| {
                instead.is_none_or(|said| said.contains(&format!(".{}(", it.as_str())))
            };
            let suggestion = meant(&name.name, &names).filter(is_said);
            let report = errors::unknown_member(place, &name.name, &path, suggestion.as_ref());
            let report = instead.into_iter().fold(report, Diagnostic::note);
            let known = resolve_name(self.db, self.file, &name.name);
            match known {
                Some(Definition::Item(it)) if it.kind(self.db) == ItemKind::Function => {
                    errors::known_everywhere(report, &name.name)
                }
                Some(Definition::Item(it))
                    if it.kind(self.db) == ItemKind::Error && is_std(self.db, it.file(self.db)) =>
                {
                    errors::error_everywhere(report, &name.name)
                }
                Some(_) | None => match method_of(self.db, module, &name.name) {
                    Some((of, maker)) => {
                        errors::is_method(report, &name.name, &of, maker.as_deref())
                    }
                    None => self.variant_of_module(report, module, name),
                },
            }
        };
        self.report(diagnostic);
        None
    }

    /// A variant that is written with its module alone: `shapes.Red`.
    fn variant_of_module(
        &self,
        report: Diagnostic,
        module: File,
        name: &ast::Identifier,
    ) -> Diagnostic {
        let items = module_scope(self.db, module).items.values();
        let mut enums = items.filter(|it| it.kind(self.db) == ItemKind::Enum);
        let owner = enums.find(|it| lookup::variant_named(self.db, **it, &name.name).is_some());
        match owner {
            Some(owner) => {
                let owner = owner.name(self.db);
                elsewhere::with_enum(report, self.place(name.span), owner, &name.name)
            }
            None => report,
        }
    }

    /// What a path of names, none of them a local, means; `None` when that was reported.
    pub(super) fn written_path(&mut self, path: &[ast::Identifier]) -> Option<Definition> {
        let (first, rest) = path.split_first()?;
        let Some(mut definition) = resolve_name(self.db, self.file, &first.name) else {
            self.unknown_name(&first.name, first.span);
            return None;
        };
        self.refer(first.span, reference(definition));
        for name in rest {
            definition = match definition {
                Definition::Module(module) => self.member(module, name)?,
                Definition::Item(item)
                    if let Some(tool) = server_tool(self.db, item, &name.name) =>
                {
                    let definition = Definition::Item(tool);
                    self.refer(name.span, reference(definition));
                    definition
                }
                Definition::Item(item) if let Some(item) = lookup::enum_of(self.db, item) => {
                    let Some(variant) = lookup::variant_named(self.db, item, &name.name) else {
                        self.unknown_variant(item, name);
                        return None;
                    };
                    let definition = Definition::Variant { item, variant };
                    self.refer(name.span, reference(definition));
                    definition
                }
                Definition::Item(_) | Definition::Variant { .. } => {
                    let place = self.place(name.span);
                    let report = errors::unknown_name(place, &name.name, None);
                    let module = library_module(self.db, self.file, &first.name);
                    self.report(match module {
                        Some(start) => errors::import_module(report, &first.name, start),
                        None => {
                            let before = format!("`{}`", first.name);
                            report.note(format!("{before} is neither a module nor an enum"))
                        }
                    });
                    return None;
                }
            };
        }
        Some(definition)
    }

    /// The agent that an expression after `by` names.
    pub(super) fn agent(&mut self, expression: &ast::Expression) -> Option<ItemId> {
        if let ast::ExpressionKind::Name(name) = &expression.kind
            && self.scopes.find(name).is_none()
            && gsw_names::resolve_name(self.db, self.file, name).is_none()
        {
            self.unknown_name(name, expression.span);
            return None;
        }
        if let Some(Definition::Item(item)) = self.path(expression)
            && item.kind(self.db) == ItemKind::Agent
        {
            return Some(item);
        }
        let place = self.place(expression.span);
        let text = gsw_names::source_text(self.db, self.item, expression.span);
        self.report(errors::not_an_agent(place, &format!("`{text}`")));
        None
    }

    /// The module whose tools are listed: `introspect.*`.
    pub(super) fn whole_module(&mut self, element: &ast::Expression) -> Option<File> {
        let base = if let ast::ExpressionKind::AllOf(base) = &element.kind {
            base
        } else {
            element
        };
        let is_name = matches!(base.kind, ast::ExpressionKind::Name(_));
        let Some(Definition::Module(module)) = is_name.then(|| self.path(base)).flatten() else {
            return None;
        };
        Some(module)
    }

    /// The variant that a bare name is when nothing around it says which enum.
    fn unambiguous_variant(&mut self, name: &Name, span: Span) -> Option<Definition> {
        match variants_named(self.db, self.file, name) {
            [(item, variant)] => Some(Definition::Variant {
                item: *item,
                variant: *variant,
            }),
            several => {
                let enums: Vec<&str> = several
                    .iter()
                    .map(|(item, _)| item.name(self.db).as_str())
                    .collect();
                let place = self.place(span);
                self.report(records::ambiguous_variant(place, name, &enums));
                None
            }
        }
    }
}

/// A definition as the target of a name.
pub(super) fn reference(definition: Definition) -> Reference {
    match definition {
        Definition::Item(item) => Reference::Item(item),
        Definition::Variant { item, variant } => Reference::Variant { item, variant },
        Definition::Module(file) => Reference::Module(file),
    }
}

/// The type of a module that has a method of this name, and the function that makes one, if that is `new` or `of`.
fn method_of(db: &dyn Db, module: File, name: &str) -> Option<(String, Option<String>)> {
    let scope = module_scope(db, module);
    let of = scope.items.keys().find_map(|it| {
        let (of, method) = it.split_once('.')?;
        (method == name).then(|| of.to_owned())
    })?;
    let path = shown_module(db, module);
    let short = path.rsplit('/').next().unwrap_or(&path);
    let maker = ["new", "of"]
        .into_iter()
        .find(|it| scope.items.contains_key(*it));
    Some((of, maker.map(|it| format!("{short}.{it}"))))
}
