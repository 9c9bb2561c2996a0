//! Whole programs: from the entry module's workflows to everything that they reach, each for its concrete types.

mod assertion;
mod assignment;
mod builder;
mod call;
mod catch;
mod check;
mod choice;
mod closure;
mod code;
mod collection;
mod constant;
mod conversion;
mod defer;
mod emitter;
mod entry;
mod expression;
mod function;
mod handler;
mod human;
mod interpolation;
mod intrinsic;
mod iteration;
mod json;
mod marker;
mod membership;
mod mock;
mod modifier;
mod node;
mod operator;
mod optional;
mod outline;
mod pattern;
mod place;
mod prompt;
mod record;
mod region;
mod statement;
mod table;
mod task;
mod variable;
mod witness;

pub use outline::{Outline, outline_program};

use std::collections::HashMap;

use gsw_abi::hook::Hook;
use gsw_abi::program::{Colour, FunctionIndex, SpanIndex};
use gsw_abi::types::TypeId;
use gsw_abi::{builtin, program, types as abi};
use gsw_infer::hir::BodyPart;
use gsw_source::{Db, Diagnostic, File, ItemId, Project, Span};
use indexmap::{IndexMap, IndexSet};

use crate::instance::Instance;
use crate::ir::{Constant, ConstantIndex, Function, Module};
use crate::passes::apart::take_apart;
use crate::passes::markers::complete_markers;
use crate::passes::ownership::make_ownership_explicit;
use crate::passes::prune::prune;
use crate::program_view::ProgramView;
use crate::query_view::QueryView;
use crate::types::TypeInterner;
use crate::verify::verify;

/// Compiles the project in the database to Flow: its entry module's workflows and everything that they reach.
///
/// # Errors
/// With the errors of the bodies that are reached, and with those that only concrete types show.
pub fn lower_program(db: &dyn Db) -> Result<Module, Vec<Diagnostic>> {
    let view = entry_view(db)?;
    let mut lowering = Lowering::new(&view, Purpose::Run);
    let workflows = lowering.roots();
    lowering.module(workflows)
}

/// Compiles as [`lower_program`] does, for a debugger: the code says where it is and what its variables hold.
///
/// # Errors
/// As for [`lower_program`].
pub fn lower_debugged(db: &dyn Db) -> Result<Module, Vec<Diagnostic>> {
    let view = entry_view(db)?;
    let mut lowering = Lowering::new(&view, Purpose::Run);
    lowering.markers = Markers::Statements;
    let workflows = lowering.roots();
    lowering.module(workflows)
}

/// A test of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    pub name: String,
    /// The resumable function without result that it is; its parameter is the row, where there are rows.
    pub function: FunctionIndex,
    pub rows: Option<Rows>,
    /// Which share of its runs must pass, when it is one test whatever the number of its rows.
    pub pass: Option<f64>,
    /// How often it is run, for each row.
    pub repeat: u32,
    /// The file with recorded answers of models, relative to the file of the test.
    pub cassette: Option<String>,
}

/// The rows of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The resumable function without parameters that gives the list.
    pub function: FunctionIndex,
    pub list: TypeId,
    pub row: TypeId,
}

/// Compiles the tests of the entry module and everything that they reach; what can be mocked asks for mocks first.
///
/// # Errors
/// As for [`lower_program`].
pub fn lower_tests(db: &dyn Db) -> Result<(Module, Vec<Test>), Vec<Diagnostic>> {
    let view = entry_view(db)?;
    let mut lowering = Lowering::new(&view, Purpose::Test);
    // A test may start workflows by name.
    let workflows = lowering.roots();
    let tests = lowering.tests();
    let module = lowering.module(workflows)?;
    Ok((module, tests))
}

/// Compiles the prompts of the entry module and everything that they reach; each takes the place of a workflow, so that a run
/// can begin with it.
///
/// # Errors
/// As for [`lower_program`].
pub fn lower_prompts(db: &dyn Db) -> Result<Module, Vec<Diagnostic>> {
    let view = entry_view(db)?;
    let mut lowering = Lowering::new(&view, Purpose::Run);
    let prompts = lowering.prompt_entries();
    lowering.module(prompts)
}

fn entry_view(db: &dyn Db) -> Result<QueryView<'_>, Vec<Diagnostic>> {
    let entry = Project::try_get(db)
        .and_then(|it| it.modules(db).get(it.entry(db)).copied())
        .ok_or_else(Vec::new)?;
    Ok(QueryView { db, entry })
}

/// What a program is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    Run,
    Test,
}

/// Whether code says where it is, for a debugger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Markers {
    None,
    /// At each statement outside of the library.
    Statements,
}

/// What is known of the program so far.
pub(crate) struct Lowering<'v> {
    pub view: &'v dyn ProgramView,
    pub types: TypeInterner,
    /// All functions in the order in which they were first needed; also the list of work.
    instances: IndexMap<Instance, String>,
    /// How often the main body of each item is an instance.
    instances_of: HashMap<ItemId, usize>,
    functions: Vec<Function>,
    constants: IndexSet<Constant>,
    spans: IndexSet<program::Span>,
    sources: IndexSet<File>,
    agents: IndexMap<ItemId, program::Agent>,
    prompts: IndexMap<ItemId, program::Prompt>,
    tools: IndexMap<ItemId, program::Tool>,
    spawnable: IndexMap<ItemId, program::Spawnable>,
    hooks: IndexMap<ItemId, Hook>,
    pub diagnostics: Vec<Diagnostic>,
    reported: IndexSet<ItemId>,
    /// What the program is compiled for.
    pub purpose: Purpose,
    pub markers: Markers,
    /// What mocks may stand in for, by their number.
    mocked: IndexSet<ItemId>,
}

impl<'v> Lowering<'v> {
    fn new(view: &'v dyn ProgramView, purpose: Purpose) -> Self {
        Self {
            view,
            types: TypeInterner::new(),
            instances: IndexMap::new(),
            instances_of: HashMap::new(),
            functions: Vec::new(),
            constants: IndexSet::new(),
            spans: IndexSet::new(),
            // The first one is the entry, whatever has places in it.
            sources: IndexSet::from([view.entry()]),
            agents: IndexMap::new(),
            prompts: IndexMap::new(),
            tools: IndexMap::new(),
            spawnable: IndexMap::new(),
            hooks: IndexMap::new(),
            diagnostics: Vec::new(),
            reported: IndexSet::new(),
            purpose,
            markers: Markers::None,
            mocked: IndexSet::new(),
        }
    }

    /// Compiles all that has been asked for.
    fn module(mut self, workflows: Vec<program::Workflow>) -> Result<Module, Vec<Diagnostic>> {
        self.drain();
        if !self.diagnostics.is_empty() {
            return Err(self.diagnostics);
        }
        let module = self.finish(workflows);
        if cfg!(debug_assertions) {
            let problems = verify(&module);
            // In debug builds only: the verifier checks the compiler, not the program.
            assert!(problems.is_empty(), "Flow is unsound: {problems:#?}");
        }
        Ok(module)
    }

    /// The function of an instance, which is compiled later when it is new.
    pub fn instance(&mut self, instance: Instance) -> FunctionIndex {
        if let Some(index) = self.instances.get_index_of(&instance) {
            return FunctionIndex(index as u32);
        }
        // Named here, while the instance is at hand; the table of functions is made when all code is written.
        let name = self.instance_name(&instance);
        if let Instance::Body(body) = &instance
            && body.part == BodyPart::Main
        {
            *self.instances_of.entry(body.item).or_default() += 1;
        }
        // The index is final before the body exists, so recursive functions need no second pass.
        let (index, _) = self.instances.insert_full(instance, name);
        FunctionIndex(index as u32)
    }

    /// How many instances `item` is needed for so far.
    pub fn instances_of(&self, item: ItemId) -> usize {
        self.instances_of.get(&item).copied().unwrap_or(0)
    }

    fn drain(&mut self) {
        while self.functions.len() < self.instances.len() && self.diagnostics.is_empty() {
            let index = self.functions.len();
            let instance = self.instances.get_index(index).map(|(it, _)| it.clone());
            let Some(instance) = instance else { return };
            // An item is lowered only when its bodies are free of errors, so lowering may assume everything that the checker proves.
            self.report(instance.item());
            if !self.diagnostics.is_empty() {
                return;
            }
            let mut function = self.lower_instance(&instance);
            // Before ownership: a block that cannot be reached has no state of ownership that the verifier could check.
            prune(&mut function);
            if self.has_markers(instance.item()) {
                complete_markers(&mut function, FunctionIndex(index as u32));
            }
            take_apart(&mut function, &self.types.table);
            make_ownership_explicit(&mut function, &self.types.table);
            self.functions.push(function);
        }
    }

    /// Whether the code of an item says where it is. That of the library does not, since it is not debugged.
    pub fn has_markers(&self, item: ItemId) -> bool {
        let db = self.view.db();
        self.markers == Markers::Statements && !gsw_names::is_std(db, item.file(db))
    }

    /// Takes over the errors that the checker found in an item's bodies, once.
    fn report(&mut self, item: ItemId) {
        if self.reported.insert(item) {
            self.diagnostics.extend(self.view.errors_of(item));
        }
    }

    /// The index of a constant object.
    pub fn constant(&mut self, constant: Constant) -> ConstantIndex {
        ConstantIndex(self.constants.insert_full(constant).0 as u32)
    }

    /// The index of a place in an item.
    pub fn span(&mut self, item: ItemId, span: Span) -> SpanIndex {
        let file = item.file(self.view.db());
        let source = self.sources.insert_full(file).0 as u32;
        let span = span.shifted(self.view.start(item));
        let span = program::Span {
            source,
            start: span.start,
            end: span.end,
        };
        SpanIndex(self.spans.insert_full(span).0 as u32)
    }

    /// The type of a closure with these captures.
    pub fn closure_type(&mut self, captures: Vec<abi::TypeId>) -> abi::TypeId {
        self.types.structure(abi::Type::Closure(captures))
    }

    /// `json?`, which no fixed type is.
    pub fn optional_json(&mut self) -> abi::TypeId {
        self.types.structure(abi::Type::Optional(builtin::JSON))
    }

    fn function_entries(&self) -> Vec<program::Function> {
        self.instances
            .values()
            .zip(&self.functions)
            .map(|(name, function)| program::Function {
                name: name.clone(),
                offset: 0,
                colour: function.colour,
                parameters: function.parameters,
                slots: Vec::new(),
                owned: Vec::new(),
            })
            .collect()
    }

    /// The colour of an instance.
    pub fn colour(&self, instance: &Instance) -> Colour {
        function::colour(self.view, instance)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use gsw_source::{Database, Disk, Severity};

    use crate::dump::dump;
    use crate::lower::lower_program;
    use crate::verify::verify;

    fn programs(folder: &str) -> Vec<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(folder);
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("the folder is part of the source")
            .map(|it| it.expect("a readable entry").path())
            .filter(|it| it.extension().is_some_and(|it| it == "gsw"))
            .collect();
        paths.sort();
        paths
    }

    /// How many blocks the code of `main` has, with so many `defer`s inside of one another.
    fn blocks_of_nested_defers(depth: usize) -> usize {
        let path =
            std::env::temp_dir().join(format!("gsw-defers-{}-{depth}.gsw", std::process::id()));
        let (open, close) = (
            "while true { defer { ".repeat(depth),
            "}; break }".repeat(depth),
        );
        let program = format!("workflow main() -> int {{\n  {open}{close}\n  1\n}}\n");
        std::fs::write(&path, program).expect("the folder for temporary files can be written");
        let mut db = Database::default();
        gsw_project::open_project(&mut db, &path, &Disk).expect("it is there");
        let module = lower_program(&db).expect("it has no mistakes");
        std::fs::remove_file(&path).expect("it was just made");
        module.functions.iter().map(|it| it.blocks.len()).sum()
    }

    #[test]
    fn nested_defers_make_code_in_proportion() {
        let [four, eight, twelve] = [4, 8, 12].map(blocks_of_nested_defers);
        assert_eq!(twelve - eight, eight - four, "{four}, {eight}, {twelve}");
    }

    #[test]
    fn programs_lower_to_sound_flow_and_always_to_the_same() {
        let extra = std::env::var("GSW_FLOW_PROGRAMS").unwrap_or_default();
        let folders = ["tests/conformance/run", "examples", extra.as_str()];
        for path in folders
            .iter()
            .filter(|it| !it.is_empty())
            .flat_map(|it| programs(it))
        {
            let mut texts = Vec::new();
            for _ in 0..2 {
                let mut db = Database::default();
                gsw_project::open_project(&mut db, &path, &Disk).expect("it is there");
                let reported = gsw_analysis::check_project(&db);
                let errors: Vec<_> = reported
                    .iter()
                    .filter(|it| it.severity == Severity::Error)
                    .collect();
                assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
                let module = lower_program(&db).expect("what checks also lowers");
                let problems = verify(&module);
                let text = dump(&module);
                assert!(
                    problems.is_empty(),
                    "{}: {problems:#?}\n{text}",
                    path.display()
                );
                texts.push(text);
            }
            assert_eq!(texts[0], texts[1], "{}", path.display());
        }
    }
}
