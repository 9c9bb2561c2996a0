//! What lowering asks about the program as a whole, so that a test can answer without a text.

use std::sync::Arc;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::permission::Permitted;
use gsw_abi::program::Repeat;
use gsw_abi::types::Bound;
use gsw_analysis::Waits;
use gsw_infer::hir::{Body, BodyPart, ExpressionId, Modifiers};
use gsw_names::{KnownItem, Signature, TypeDeclaration};
use gsw_project::Configuration;
use gsw_source::{Db, Diagnostic, File, ItemId};

/// The checker's answers, or those of a test that has no text.
pub trait ProgramView {
    fn db(&self) -> &dyn Db;
    /// The head of a declaration.
    fn signature(&self, item: ItemId) -> Arc<Signature>;
    /// The inside of a type's or error's declaration.
    fn declaration(&self, item: ItemId) -> Arc<TypeDeclaration>;
    /// One body; `None` when the item has no such part.
    fn body(&self, item: ItemId, part: BodyPart) -> Option<Arc<Body>>;
    /// How many examples a prompt has.
    fn example_count(&self, item: ItemId) -> u32;
    /// The errors that were reported about the item's bodies.
    fn errors_of(&self, item: ItemId) -> Vec<Diagnostic>;
    /// The modifiers in the head of a workflow or tool.
    fn modifiers(&self, item: ItemId) -> Modifiers;
    /// Whether a call of the item can wait.
    fn waits(&self, item: ItemId) -> Waits;
    /// Whether evaluating one of the item's bodies can wait.
    fn part_waits(&self, item: ItemId, part: BodyPart) -> Waits;
    /// Whether a call of a lambda of one of the item's bodies can wait; `None` when nothing is known about it.
    fn lambda_waits(
        &self,
        item: ItemId,
        part: BodyPart,
        lambda: (ExpressionId, u32),
    ) -> Option<Waits>;
    /// Whether some of the functions wait that the call of an item at `call` is given to call.
    fn handed_waits(&self, item: ItemId, part: BodyPart, call: ExpressionId) -> Waits;
    /// The names of what a call of the item can raise, and of its effects.
    fn errors_and_effects(&self, item: ItemId) -> (Vec<String>, Vec<String>);
    /// Which built-in error an error's declaration is.
    fn builtin_error(&self, item: ItemId) -> Option<BuiltinError>;
    /// Whether this is the record `Issue` of the prelude.
    fn is_issue(&self, item: ItemId) -> bool;
    /// Whether this is the record `Set` of the library.
    fn is_set(&self, item: ItemId) -> bool;
    /// The record `Response` of the prelude.
    fn response(&self) -> Option<ItemId>;
    /// A declaration of the prelude that has a meaning of its own.
    fn known(&self, known: KnownItem) -> Option<ItemId>;
    /// The docs before a declaration.
    fn docs(&self, item: ItemId) -> Option<String>;
    /// Its `where` as source text, and what of it JSON Schema can say.
    fn check(&self, item: ItemId, part: BodyPart) -> (String, Vec<Bound>);
    /// How a tool may be repeated; the function of `Idempotent` is filled in by the caller.
    fn repeat(&self, item: ItemId) -> Repeat;
    /// The first byte of the item in its file.
    fn start(&self, item: ItemId) -> u32;
    /// What a module is called: its file's name without the ending.
    fn module(&self, file: File) -> String;
    /// The declarations of a module in order.
    fn items(&self, file: File) -> Vec<ItemId>;
    /// All modules in a fixed order, those of the standard library left out.
    fn files(&self) -> Vec<File>;
    /// The module whose workflows are the program's commands.
    fn entry(&self) -> File;
    fn module_docs(&self, file: File) -> Option<String>;
    /// What the program permits itself.
    fn permissions(&self) -> Option<Permitted>;
    /// What the project's `gsw.toml` says.
    fn configuration(&self) -> Option<&Configuration>;
    /// What the program is called: as `gsw.toml` says when its entry is this one, else as the entry's file.
    fn program_name(&self) -> String;
    /// The rows of the project's table of prices, each a JSON object.
    fn prices(&self) -> Vec<String>;
    /// The model that a name stands for.
    fn model(&self, name: &str) -> String;
}
