//! Writes what an editor installs of the grammar to a folder: grammar, parser, scanner, headers and queries.

use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

fn main() -> process::ExitCode {
    let Some(target) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("which folder?");
        return process::ExitCode::from(2);
    };
    match write(&target) {
        Ok(()) => process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", target.display());
            process::ExitCode::FAILURE
        }
    }
}

fn write(target: &Path) -> io::Result<()> {
    let grammar = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/tree-sitter-gsw");
    let made = Path::new(env!("OUT_DIR"));
    copy(
        &grammar,
        target,
        &["grammar.js", "tree-sitter.json", "README.md"],
    )?;
    let source = target.join("src");
    copy(&grammar.join("src"), &source, &["scanner.c"])?;
    copy(
        made,
        &source,
        &["parser.c", "grammar.json", "node-types.json"],
    )?;
    let headers = ["alloc.h", "array.h", "parser.h"];
    copy(
        &made.join("tree_sitter"),
        &source.join("tree_sitter"),
        &headers,
    )?;
    for query in fs::read_dir(grammar.join("queries"))? {
        let query = query?;
        let folder = target.join("queries");
        fs::create_dir_all(&folder)?;
        fs::copy(query.path(), folder.join(query.file_name()))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path, names: &[&str]) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for name in names {
        fs::copy(from.join(name), to.join(name))?;
    }
    Ok(())
}
