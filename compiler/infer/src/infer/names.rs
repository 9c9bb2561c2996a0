//! What names mean where they are written: locals, what the file declares and imports, what follows the dot of a module.

use gsw_names::types::Type;
use gsw_names::{
    Definition, KnownItem, errors, foreign, handler_word, is_reported, is_std, library_module,
    member_names, module_scope, resolve_callable, resolve_error, resolve_member, resolve_name,
    seems_declared, server_tool, shown_module, suggest, variants_named, with_import,
    with_module_of,
};
use gsw_source::{Db, Diagnostic, File, ItemId, ItemKind, Name, Place, Span, Suggestion, meant};
use gsw_syntax::ast::{self, Child, children, item_children};
use gsw_syntax::{is_damaged, item_ast};

use crate::errors::{calls, elsewhere, records};
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

/// A part of a record that knows it as `self`.
enum Owner {
    Check,
    Method,
    /// A function of the record that takes no `self`.
    WithoutSelf,
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
        // The declaration is there but broken, which its own file reports.
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

    /// Reports an assignment to a name that nothing has.
    pub(super) fn unknown_variable(&mut self, name: &Name, span: Span) {
        let locals: Vec<Name> = self.scopes.names().cloned().collect();
        if suggest(self.db, self.file, name, &locals).is_some() {
            self.unknown_name(name, span);
            return;
        }
        if is_reported(self.db, self.file, name) {
            return;
        }
        let report = errors::undeclared_variable(self.place(span), name);
        let text = |span| gsw_names::source_text(self.db, self.item, span);
        let after = text(Span::new(span.end, span.end + 2));
        // A part of a value, or one that is added to, cannot be declared so.
        let is_whole = text(span) == *name && after.trim_start().starts_with('=');
        let start = self.place(Span::new(span.start, span.start));
        self.report(match is_whole {
            true => errors::declare(report, start),
            false => report,
        });
    }

    /// Reports a name that nothing has.
    pub(super) fn unknown_name(&mut self, name: &Name, span: Span) {
        // An import of that name has failed, which was reported there; and of several uses the first is enough.
        let place = self.place(span);
        if is_reported(self.db, self.file, name) || self.findings.is_known_as_unknown(name, place) {
            return;
        }
        if let Some(report) = self.checked_value(name, span) {
            self.findings.report_unknown(name, report);
            return;
        }
        if let Some(report) = self.not_imported(name, span) {
            self.findings.report_unknown(name, report);
            return;
        }
        let locals: Vec<Name> = self.scopes.names().cloned().collect();
        let instead = errors::instead_of_name(name);
        let suggestion = foreign::value(name).map(|it| Suggestion::certain(Name::new_static(it)));
        let suggestion = suggestion.or_else(|| match instead {
            // What is known of the name is better than a guess by its spelling.
            Some(_) => None,
            None => self.suggested_value(name, span, &locals),
        });
        let report = errors::unknown_name(place, name, suggestion.as_ref());
        let asks = matches!(self.item.kind(self.db), ItemKind::Prompt | ItemKind::Human);
        let mut roles = ast::TextRole::ALL.into_iter();
        if let Some(role) = roles.find(|it| asks && it.text() == name.as_str()) {
            self.report(calls::text_needs_literal(report, role));
            return;
        }
        let report = match instead {
            _ if foreign::is_printing(name) => errors::log_instead(report),
            Some(sentence) => report.note(sentence),
            None if suggestion.is_none() && self.is_raised(name, span) => {
                errors::undeclared_error(report, name)
            }
            None if suggestion.is_none() && name.starts_with(char::is_uppercase) => {
                errors::value_with_capital(report)
            }
            None if self.is_in_own_lambda(name, span) => calls::lambda_calls_itself(report, name),
            None => report,
        };
        if name == "self"
            && let Some(report) = self.lacks_self(report.clone())
        {
            self.findings.report_unknown(name, report);
            return;
        }
        let is_receiver = name == "self" && report.notes.is_empty();
        let report = match is_receiver {
            true => records::self_of_methods(report),
            false => report,
        };
        let report = match self.own_field(name) {
            Some(Owner::Check) => records::field_in_check(report, name),
            Some(Owner::Method) => records::field_of_self(report, name),
            Some(Owner::WithoutSelf) => records::field_without_self(report, name),
            None => report,
        };
        self.findings.report_unknown(name, report);
    }

    /// A name that may be meant where a value is wanted. A type is none by itself: an enum waits for a dot, a record
    /// for its fields.
    fn suggested_value(&self, name: &Name, span: Span, locals: &[Name]) -> Option<Suggestion> {
        let found = suggest(self.db, self.file, name, locals)?;
        let definition = gsw_names::resolve_name(self.db, self.file, &found.name);
        let Some(Definition::Item(item)) = definition else {
            return Some(found);
        };
        let rest = Span::new(span.end, span.end + 2);
        let behind = gsw_names::source_text(self.db, self.item, rest);
        let is_enum = item.kind(self.db) == ItemKind::Enum;
        let begins = if is_enum { '.' } else { '{' };
        let is_begun = behind.trim_start().starts_with(begins);
        let is_value = !item.kind(self.db).is_type() || locals.contains(&found.name);
        (is_value || is_begun).then_some(found)
    }

    /// A report of the name that is used in a check for the value that is checked.
    fn checked_value(&self, name: &Name, span: Span) -> Option<Diagnostic> {
        const MEANT: &[&str] = &["self", "this", "v", "val", "value", "x"];
        let is_check = self.scopes.find("it").is_some() && self.item.kind(self.db).is_type();
        let place = self.place(span);
        (is_check && MEANT.contains(&name.as_str()))
            .then(|| records::value_in_check(errors::unknown_name(place, name, None), place))
    }

    /// Whether something is asked of a name, as of a module: a dot or parentheses follow it.
    fn is_used(&self, span: Span) -> bool {
        let rest = Span::new(span.end, span.end + 1);
        let behind = gsw_names::source_text(self.db, self.item, rest);
        behind.starts_with(['.', '('])
    }

    /// A report of `self` where there is none.
    fn lacks_self(&self, report: Diagnostic) -> Option<Diagnostic> {
        let name = self.item.name(self.db);
        if self.item.kind(self.db) == ItemKind::Record {
            return Some(records::self_in_default(report));
        }
        if !name.contains('.') {
            return None;
        }
        let head = gsw_names::item_head(self.db, self.item)?;
        let declared = gsw_names::declared_name(&head)?.span;
        let text = gsw_names::item_text(self.db, self.item);
        let open = text.get(declared.end as usize..)?.find('(')?;
        let start = declared.end + u32::try_from(open).ok()? + 1;
        let is_empty = text.get(start as usize..)?.trim_start().starts_with(')');
        let text = match is_empty {
            true => "self",
            false => "self, ",
        };
        let start = self.place(Span::new(start, start));
        Some(records::takes_self(report, name, start, text))
    }

    /// Whether a name is in the lambda that is bound to it: `let f = n => f(n - 1)`.
    fn is_in_own_lambda(&self, name: &Name, span: Span) -> bool {
        let Some(tree) = item_ast(self.db, self.item) else {
            return false;
        };
        let mut waiting = item_children(&tree);
        while let Some(child) = waiting.pop() {
            if let Child::Statement(statement) = &child
                && let ast::StatementKind::Let { pattern, value, .. }
                | ast::StatementKind::Var { pattern, value, .. } = &statement.kind
                && matches!(&pattern.kind, ast::PatternKind::Binding(it) if it.name == *name)
                && matches!(value.kind, ast::ExpressionKind::Lambda { .. })
                && value.span.holds(span)
            {
                return true;
            }
            waiting.extend(children(child));
        }
        false
    }

    /// A report of a name that an import would bring, or a pattern around it.
    fn not_imported(&self, name: &Name, span: Span) -> Option<Diagnostic> {
        let place = self.place(span);
        let module = library_module(self.db, self.file, name).filter(|_| self.is_used(span));
        match module.filter(|_| errors::instead_of_name(name).is_none()) {
            Some(start) => Some(errors::module_not_imported(place, name, start)),
            None => self
                .of_module(name, span)
                .or_else(|| self.brought_by(name, place)),
        }
    }

    /// A report of a type with a function after its dot that its module has.
    fn of_module(&self, name: &Name, span: Span) -> Option<Diagnostic> {
        let end = gsw_names::item_text(self.db, self.item).len();
        let rest = Span::new(span.end, u32::try_from(end).ok()?);
        let behind = gsw_names::source_text(self.db, self.item, rest);
        let called = behind.strip_prefix('.')?;
        let is_part = |it: char| it.is_alphanumeric() || it == '_';
        let member = called.split(|it| !is_part(it)).next()?;
        let report = errors::unknown_name(self.place(span), name, None);
        with_module_of(self.db, self.file, name, member, &report)
    }

    /// A report of a name that a pattern around it or an import would bring if it listed it.
    fn brought_by(&self, name: &Name, place: Place) -> Option<Diagnostic> {
        let report = errors::unknown_name(place, name, None);
        match self.scopes.untaken(name) {
            Some(it) => {
                let end = self.place(it.end);
                let fields = &it.fields;
                Some(elsewhere::untaken_field(
                    report, name, &it.owner, end, fields,
                ))
            }
            None => with_import(self.db, self.file, name, &report),
        }
    }

    /// Whether a name with a capital follows `fail`.
    fn is_raised(&self, name: &Name, span: Span) -> bool {
        let before = gsw_names::source_text(self.db, self.item, Span::new(0, span.start));
        name.starts_with(char::is_uppercase) && before.trim_end().ends_with("fail")
    }

    /// What this is of a record that has a field of that name.
    fn own_field(&self, name: &Name) -> Option<Owner> {
        let has_self = self.scopes.find("self").is_some();
        let (owner, record) = match self.item.name(self.db).split_once('.') {
            Some((owner, _)) => {
                let items = &module_scope(self.db, self.file).items;
                let record = *items.get(owner)?;
                match has_self {
                    true => (Owner::Method, record),
                    false => (Owner::WithoutSelf, record),
                }
            }
            None if has_self => (Owner::Check, self.item),
            None => return None,
        };
        let is_field = record.kind(self.db) == ItemKind::Record
            && lookup::fields(self.db, record)
                .iter()
                .any(|it| it.name == *name);
        is_field.then_some(owner)
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

    /// Reports a name after an enum's dot that is none of its variants.
    pub(super) fn unknown_variant(&mut self, item: ItemId, name: &ast::Identifier) {
        if is_damaged(self.db, item) {
            return;
        }
        let variants = lookup::variants(self.db, item);
        let suggestion = gsw_source::nearest(&name.name, variants.iter().map(|it| &it.name));
        let place = self.place(name.span);
        let owner = item.name(self.db).clone();
        let suggestion = suggestion.as_ref();
        let report = records::unknown_variant(place, &name.name, &owner, suggestion);
        self.report(match (name.name.as_str(), suggestion) {
            ("values", _) => records::only_plain_enums(report),
            (_, Some(_)) => report,
            (_, None) => {
                let names: Vec<Name> = variants.iter().map(|it| it.name.clone()).collect();
                records::has_variants(report, &names)
            }
        });
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
