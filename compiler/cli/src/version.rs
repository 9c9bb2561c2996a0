//! A version of a program to compare: its source, or a built file, which contains its source.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_engine::load::Loaded;
use gsw_flow::ir::Module;
use gsw_service::Exit;
use gsw_source::{Database, Files, Severity, normal, paths_below};

use crate::compile::{self, Main};
use crate::{project, report};

/// A version of a program, in Flow IR and ready to run.
pub struct Version {
    pub module: Module,
    pub loaded: Loaded,
}

/// Reads a version; what is wrong is printed.
pub fn version(path: &Path) -> Result<Version, Exit> {
    let is_source = path.is_dir()
        || path
            .extension()
            .is_some_and(|it| it == "gsw" || it == "toml");
    if is_source {
        let folder = path
            .extension()
            .is_some_and(|it| it == "toml")
            .then(|| path.parent());
        let entry = project::entry(Some(folder.flatten().unwrap_or(path)))?;
        let module = compile::module(&entry, Main::Optional)?;
        let loaded = Loaded::from_bytes(&compile::encode(&module)?);
        let loaded = loaded.map_err(|refusal| report::failure(&refusal))?;
        return Ok(Version { module, loaded });
    }
    let loaded = gsw_launcher::load(path)
        .map_err(|refusal| report::failure(&format!("`{}`: {refusal}", path.display())))?;
    let module = module_of(&loaded)
        .map_err(|why| report::failure(&format!("`{}`: {why}", path.display())))?;
    Ok(Version { module, loaded })
}

/// The Flow of a built program, compiled again from the source that it contains.
fn module_of(loaded: &Loaded) -> Result<Module, String> {
    let sources = &loaded.program.sources;
    let mut texts = BTreeMap::new();
    for source in sources {
        let Some(text) = &source.text else {
            return Err("it was built without its source, so it cannot be compared; `--runs` decides run by run".into());
        };
        let path = normal(Path::new(&source.path));
        texts.insert(path, Some(Arc::from(text.as_str())));
    }
    for skill in &loaded.program.skills {
        let folder = Path::new(&skill.path);
        let instructions = normal(&folder.join("SKILL.md"));
        texts.insert(instructions, Some(Arc::from(skill.source.as_str())));
        for file in &skill.files {
            let path = normal(&folder.join(&file.path));
            texts.insert(path, file.text.as_deref().map(Arc::from));
        }
    }
    let entry = sources.first().ok_or("it has no source")?;
    let mut db = Database::default();
    gsw_project::read_project(&mut db, Path::new(&entry.path), &Carried(texts))?;
    let errors = gsw_analysis::check_project(&db);
    let failed = |first: Option<&str>| {
        format!(
            "the source that it carries does not compile with this version of Groundswell: {}",
            first.unwrap_or("it has errors")
        )
    };
    if let Some(first) = errors.iter().find(|it| it.severity == Severity::Error) {
        return Err(failed(Some(&first.message)));
    }
    let lowered = gsw_flow::lower_program(&db);
    let mut module = lowered.map_err(|found| failed(found.first().map(|it| &*it.message)))?;
    // The content of `gsw.toml` when it was built.
    module.program.models = loaded.program.models.clone();
    module
        .program
        .permissions
        .clone_from(&loaded.program.permissions);
    module.program.ceiling.clone_from(&loaded.program.ceiling);
    Ok(module)
}

/// The source files in a built program, and those of its skills, which may be no text.
struct Carried(BTreeMap<PathBuf, Option<Arc<str>>>);

impl Files for Carried {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        let found = self.0.get(&normal(path)).cloned().flatten();
        found.ok_or_else(|| "is not in the program".to_owned())
    }

    fn below(&self, folder: &Path) -> Result<Vec<String>, String> {
        paths_below(self.0.keys().map(PathBuf::as_path), &normal(folder))
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Path::new("/").join(normal(path))
    }
}
