//! `gswc completions`

use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use gsw_service::Exit;
use gsw_source::Code;

use crate::report;

/// Prints the completion script of a shell, with everything that can be explained.
pub fn completions(shell: Shell, command: clap::Command) -> Exit {
    // Only here: the answer of `explain` to an unknown name is better than a list of all.
    let names: Vec<&str> = Code::ALL
        .iter()
        .map(|it| it.name())
        .chain(gsw_describe::explained_names().map(|it| it.0))
        .collect();
    let parser = PossibleValuesParser::new(names.clone());
    let mut command = command.mut_subcommand("explain", |explain| {
        explain.mut_arg("name", |name| name.value_parser(parser))
    });
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "gswc", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Fish {
        // The generated script leaves out the values of positional arguments.
        script.push_str(&format!(
            "complete -c gswc -n \"__fish_seen_subcommand_from explain\" -f -a \"{}\"\n",
            names.join(" ")
        ));
    }
    report::output(&script)
}
