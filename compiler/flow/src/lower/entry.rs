//! Where a program starts, and the tables that its image carries.

use gsw_abi::call::NodeKind;
use gsw_abi::program::{FormerName, ModelDefaults, Program, RunsDefaults, Source, Workflow};
use gsw_infer::hir::BodyPart;
use gsw_names::types::Type;
use gsw_source::{File, ItemId, ItemKind};
use gsw_syntax::ast::ItemBody;

use crate::instance::Instance;
use crate::ir::Module;
use crate::lower::table::body_instance;
use crate::lower::{Lowering, Rows, Test};

impl Lowering<'_> {
    /// Asks for everything that can be started from outside: workflows of the entry module, agents and tools of all.
    pub(super) fn roots(&mut self) -> Vec<Workflow> {
        let entry = self.view.entry();
        let workflows = self.view.items(entry);
        let db = self.view.db();
        let workflows = workflows
            .into_iter()
            .filter(|it| it.kind(db) == ItemKind::Workflow)
            .map(|item| self.workflow(item))
            .collect();
        // In the order of files and items, so that the same source always gives the same indices and the same image.
        for file in self.view.files() {
            for item in self.view.items(file) {
                match item.kind(db) {
                    ItemKind::Agent => {
                        self.agent(item);
                    }
                    ItemKind::Tool => {
                        self.tool(item);
                    }
                    ItemKind::Import
                    | ItemKind::Function
                    | ItemKind::Record
                    | ItemKind::Alias
                    | ItemKind::Enum
                    | ItemKind::Error
                    | ItemKind::Const
                    | ItemKind::Prompt
                    | ItemKind::Workflow
                    | ItemKind::Mcp
                    | ItemKind::Hook
                    | ItemKind::Human
                    | ItemKind::External
                    | ItemKind::Skill
                    | ItemKind::Test
                    | ItemKind::Permissions
                    | ItemKind::Invalid => {}
                }
            }
        }
        workflows
    }

    /// Asks for the prompts of the entry module, each as something to start.
    pub(super) fn prompt_entries(&mut self) -> Vec<Workflow> {
        let db = self.view.db();
        let items = self.view.items(self.view.entry()).into_iter();
        items
            .filter(|it| it.kind(db) == ItemKind::Prompt)
            .map(|item| self.prompt_entry(item))
            .collect()
    }

    /// Asks for the tests of the entry module.
    pub(super) fn tests(&mut self) -> Vec<Test> {
        let db = self.view.db();
        let items = self.view.items(self.view.entry()).into_iter();
        items
            .filter(|it| it.kind(db) == ItemKind::Test)
            .map(|item| self.test(item))
            .collect()
    }

    fn test(&mut self, item: ItemId) -> Test {
        let db = self.view.db();
        let ast = gsw_syntax::item_ast(db, item);
        let (pass, repeat, cassette) = match ast.as_deref().map(|it| &it.body) {
            Some(ItemBody::Test {
                pass,
                repeat,
                cassette,
                ..
            }) => (
                pass.as_ref().and_then(gsw_infer::pass_share),
                repeat.as_ref().and_then(gsw_infer::repeat_count),
                cassette.as_ref().and_then(gsw_infer::cassette_file),
            ),
            _other => (None, None, None),
        };
        let rows = self.view.body(item, BodyPart::Rows).and_then(|body| {
            let Type::List(row) = &body.result else {
                return None;
            };
            Some(Rows {
                function: self.instance(Instance::Rows { item }),
                list: self.type_id(&body.result),
                row: self.type_id(row),
            })
        });
        Test {
            name: item.name(db).to_string(),
            function: self.instance(body_instance(item, BodyPart::Main)),
            rows,
            pass,
            repeat: repeat.unwrap_or(1),
            cassette,
        }
    }

    /// What declarations of the program were called before.
    fn former_names(&self) -> Vec<FormerName> {
        let db = self.view.db();
        let files = self.view.files().into_iter();
        let items = files.flat_map(|it| self.view.items(it));
        let former = items.filter_map(|item| {
            let was = self.view.signature(item).was.as_ref()?.to_string();
            Some(FormerName {
                kind: node_kind(item.kind(db))?,
                name: item.name(db).to_string(),
                was,
            })
        });
        former.collect()
    }

    pub(super) fn finish(self, workflows: Vec<Workflow>) -> Module {
        let functions = self.function_entries();
        let skills = self.skills();
        let db = self.view.db();
        let entry = self.view.entry();
        let name = self.view.program_name();
        let version = self.view.configuration().and_then(|it| it.version.clone());
        let ceiling = self.view.configuration();
        let ceiling = ceiling.and_then(|it| it.permissions.clone());
        let models = self.model_defaults();
        let runs = self.runs_defaults();
        let former = self.former_names();
        // All of them, so that the program can be compared with a later version from its image alone.
        let mut sources = self.sources;
        sources.extend(self.view.files());
        let sources = sources.iter().map(|it| source(*it, db)).collect();
        Module {
            program: Program {
                name,
                version,
                docs: self.view.module_docs(entry),
                types: self.types.table,
                functions,
                workflows,
                agents: self.agents.into_values().collect(),
                former,
                prompts: self.prompts.into_values().collect(),
                tools: self.tools.into_values().collect(),
                skills,
                hooks: self.hooks.into_values().collect(),
                spawnable: self.spawnable.into_values().collect(),
                spans: self.spans.into_iter().collect(),
                sources,
                permissions: self.view.permissions(),
                ceiling,
                models,
                runs,
            },
            functions: self.functions,
            constants: self.constants.into_iter().collect(),
        }
    }

    /// What `gsw.toml` says of the runs that are kept.
    fn runs_defaults(&self) -> RunsDefaults {
        let said = self.view.configuration().map(|it| it.runs.clone());
        let said = said.unwrap_or_default();
        RunsDefaults {
            store: said.store,
            idle: said.idle,
            keep_days: said.keep_days,
            keep_runs: said.keep_runs,
            keep_bytes: said.keep_bytes,
        }
    }

    /// What `gsw.toml` says of models.
    fn model_defaults(&self) -> ModelDefaults {
        let said = self.view.configuration().map(|it| it.models.clone());
        let said = said.unwrap_or_default();
        ModelDefaults {
            default: said.default,
            aliases: said.aliases,
            settings: said.settings,
            prices: self.view.prices(),
        }
    }
}

fn source(file: File, db: &dyn gsw_source::Db) -> Source {
    let text = file.text(db);
    // Line starts are computed here, so that a trace at run time is a search in a table.
    let mut lines = vec![0];
    for (index, byte) in text.bytes().enumerate() {
        if byte == b'\n' {
            lines.push(index as u32 + 1);
        }
    }
    Source {
        path: file.path(db).display().to_string(),
        text: Some(text.to_string()),
        lines,
    }
}

/// What nodes a declaration of this kind makes whose name a run remembers.
fn node_kind(kind: ItemKind) -> Option<NodeKind> {
    match kind {
        ItemKind::Workflow => Some(NodeKind::Workflow),
        ItemKind::Prompt => Some(NodeKind::Prompt),
        ItemKind::Tool => Some(NodeKind::Tool),
        ItemKind::Human => Some(NodeKind::Human),
        ItemKind::External => Some(NodeKind::External),
        ItemKind::Import
        | ItemKind::Function
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Skill
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => None,
    }
}
