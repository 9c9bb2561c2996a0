//! Makes the parser from the grammar and compiles it with the scanner.

use std::path::{Path, PathBuf};

use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

/// The version of the tables, which Neovim 0.11, Helix 25 and Zed read.
const ABI: usize = 15;

fn main() {
    let grammar = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/tree-sitter-gsw");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    for file in ["grammar.js", "src/scanner.c"] {
        println!("cargo:rerun-if-changed={}", grammar.join(file).display());
    }
    let made = generate_parser_in_directory(
        &grammar,
        Some(&out),
        Some(grammar.join("grammar.js")),
        ABI,
        None,
        Some("node"),
        true,
        OptLevel::default(),
        &mut Vec::new(),
    );
    if let Err(error) = made {
        panic!("the grammar makes no parser: {error}");
    }
    cc::Build::new()
        .include(&out)
        .file(out.join("parser.c"))
        .file(grammar.join("src/scanner.c"))
        .opt_level(1)
        .warnings(false)
        .compile("tree-sitter-gsw");
}
