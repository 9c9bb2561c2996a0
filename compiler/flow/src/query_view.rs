//! The checker's queries as what lowering asks.

use std::sync::Arc;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::permission::Permitted;
use gsw_abi::program::{FunctionIndex, Repeat};
use gsw_abi::types::Bound;
use gsw_analysis::{
    RepeatClass, Waits, check_bounds, check_source, item_summary, permissions, repeat_class,
};
use gsw_infer::hir::{Body, BodyPart, ExpressionId, Modifiers};
use gsw_infer::infer_item;
use gsw_names::{
    KnownItem, Signature, TypeDeclaration, builtin_error, is_std, item_signature, type_declaration,
};
use gsw_project::{Configuration, file_prices, project_configuration, resolved_model};
use gsw_source::{Db, Diagnostic, File, ItemId, Project, Severity};
use gsw_syntax::{file_docs, file_item_ids, item_ast, item_offset};

use crate::program_view::ProgramView;

/// A program in the database.
pub(crate) struct QueryView<'db> {
    pub db: &'db dyn Db,
    /// The module that is run.
    pub entry: File,
}

impl ProgramView for QueryView<'_> {
    fn db(&self) -> &dyn Db {
        self.db
    }

    fn signature(&self, item: ItemId) -> Arc<Signature> {
        Arc::clone(&item_signature(self.db, item).signature)
    }

    fn declaration(&self, item: ItemId) -> Arc<TypeDeclaration> {
        Arc::clone(&type_declaration(self.db, item).declaration)
    }

    fn body(&self, item: ItemId, part: BodyPart) -> Option<Arc<Body>> {
        let bodies = &infer_item(self.db, item).bodies;
        bodies.iter().find(|it| it.part == part).map(Arc::clone)
    }

    fn example_count(&self, item: ItemId) -> u32 {
        let bodies = &infer_item(self.db, item).bodies;
        let examples = bodies
            .iter()
            .filter(|it| matches!(it.part, BodyPart::Example(_)));
        examples.count() as u32
    }

    fn errors_of(&self, item: ItemId) -> Vec<Diagnostic> {
        let all = &infer_item(self.db, item).diagnostics;
        all.iter()
            .filter(|it| it.severity == Severity::Error)
            .cloned()
            .collect()
    }

    fn modifiers(&self, item: ItemId) -> Modifiers {
        infer_item(self.db, item).modifiers.clone()
    }

    fn waits(&self, item: ItemId) -> Waits {
        item_summary(self.db, item).item.waits
    }

    fn part_waits(&self, item: ItemId, part: BodyPart) -> Waits {
        let summary = item_summary(self.db, item);
        summary.part(part).map_or(Waits::Never, |it| it.waits)
    }

    fn lambda_waits(
        &self,
        item: ItemId,
        part: BodyPart,
        lambda: (ExpressionId, u32),
    ) -> Option<Waits> {
        let summary = item_summary(self.db, item);
        let found = summary
            .part(part)?
            .lambdas
            .iter()
            .find(|(it, _)| *it == lambda);
        found.map(|(_, summary)| summary.waits)
    }

    fn handed_waits(&self, item: ItemId, part: BodyPart, call: ExpressionId) -> Waits {
        let summary = item_summary(self.db, item);
        let part = summary.part(part);
        part.map_or(Waits::Never, |it| it.handed_waits(call))
    }

    fn errors_and_effects(&self, item: ItemId) -> (Vec<String>, Vec<String>) {
        let summary = item_summary(self.db, item);
        let mut errors: Vec<String> = summary
            .item
            .errors
            .kinds
            .iter()
            .map(|it| it.name.to_string())
            .collect();
        if summary.item.errors.open {
            errors.push("Error".to_owned());
        }
        let effects = summary
            .item
            .effects
            .iter()
            .map(|it| it.name().to_owned())
            .collect();
        (errors, effects)
    }

    fn builtin_error(&self, item: ItemId) -> Option<BuiltinError> {
        builtin_error(self.db, item)
    }

    fn is_issue(&self, item: ItemId) -> bool {
        KnownItem::Issue.is(self.db, item)
    }

    fn is_set(&self, item: ItemId) -> bool {
        KnownItem::Set.is(self.db, item)
    }

    fn response(&self) -> Option<ItemId> {
        KnownItem::Response.item(self.db)
    }

    fn known(&self, known: KnownItem) -> Option<ItemId> {
        known.item(self.db)
    }

    fn docs(&self, item: ItemId) -> Option<String> {
        item_ast(self.db, item)?.docs.clone()
    }

    fn check(&self, item: ItemId, part: BodyPart) -> (String, Vec<Bound>) {
        let source = check_source(self.db, item, part);
        (source.to_string(), check_bounds(self.db, item, part))
    }

    fn repeat(&self, item: ItemId) -> Repeat {
        match repeat_class(self.db, item) {
            RepeatClass::Pure => Repeat::Pure,
            RepeatClass::Reads => Repeat::Reads,
            RepeatClass::Idempotent => Repeat::Idempotent(FunctionIndex(0)),
            RepeatClass::Once => Repeat::Once,
        }
    }

    fn start(&self, item: ItemId) -> u32 {
        item_offset(self.db, item)
    }

    fn module(&self, file: File) -> String {
        // Modules are kept by absolute path, which must not get into a program.
        let path = file.path(self.db);
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        stem.to_string_lossy().into_owned()
    }

    fn items(&self, file: File) -> Vec<ItemId> {
        file_item_ids(self.db, file).clone()
    }

    fn files(&self) -> Vec<File> {
        let Some(project) = Project::try_get(self.db) else {
            return vec![self.entry];
        };
        let all = project.modules(self.db).values();
        all.copied().filter(|it| !is_std(self.db, *it)).collect()
    }

    fn entry(&self) -> File {
        self.entry
    }

    fn module_docs(&self, file: File) -> Option<String> {
        file_docs(self.db, file)
    }

    fn permissions(&self) -> Option<Permitted> {
        permissions(self.db)
    }

    fn configuration(&self) -> Option<&Configuration> {
        project_configuration(self.db)
    }

    fn program_name(&self) -> String {
        let project = Project::try_get(self.db);
        let is_home =
            project.is_some_and(|it| it.home(self.db).as_ref() == Some(it.entry(self.db)));
        let named = self.configuration().filter(|_| is_home);
        match named.and_then(|it| it.name.clone()) {
            Some(name) => name,
            None => self.module(self.entry),
        }
    }

    fn prices(&self) -> Vec<String> {
        let file = Project::try_get(self.db).and_then(|it| it.prices(self.db));
        file.map_or_else(Vec::new, |it| file_prices(self.db, it).rows.clone())
    }

    fn model(&self, name: &str) -> String {
        resolved_model(self.db, name)
    }
}
