//! `gswc new`

use std::path::Path;

use gsw_service::Exit;

use crate::arguments::New;
use crate::report;

const MAIN: &str = include_str!("new/main.gsw");
const README: &str = include_str!("new/README.md");
const IGNORED: &str = include_str!("new/gitignore");

/// Makes a folder with a program that runs and passes its test.
pub fn new(arguments: &New) -> Exit {
    let folder = Path::new(&arguments.name);
    let Some(name) = folder.file_name().and_then(|it| it.to_str()) else {
        eprintln!("gswc: `{}` is no name for a folder", arguments.name);
        return Exit::Usage;
    };
    match write(folder, name) {
        Ok(()) => report::output(&format!(
            "made `{0}`; try\n  gswc run {0}/main.gsw\n  gswc test {0}/main.gsw\n",
            folder.display()
        )),
        Err(error) => report::failure(&format!("`{}` cannot be made: {error}", folder.display())),
    }
}

fn write(folder: &Path, name: &str) -> std::io::Result<()> {
    if let Some(above) = folder.parent() {
        std::fs::create_dir_all(above)?;
    }
    // Fails when it is there: nothing of the user's is ever written over.
    std::fs::create_dir(folder)?;
    std::fs::write(folder.join("main.gsw"), MAIN)?;
    std::fs::write(folder.join("README.md"), README.replace("NAME", name))?;
    std::fs::write(folder.join(".gitignore"), IGNORED.replace("NAME", name))
}
