//! `gswc explain`

use gsw_service::Exit;
use gsw_source::Code;

/// Prints the page of a code, or the list of all codes.
pub fn explain(code: Option<&str>) -> Exit {
    let Some(code) = code else {
        for code in Code::ALL {
            println!("{}", code.name());
        }
        return Exit::Done;
    };
    match gsw_source::explain(code) {
        Some(page) => {
            print!("{page}");
            Exit::Done
        }
        None => {
            eprintln!("gswc: there is no code `{code}`; `gswc explain` lists them all");
            Exit::Usage
        }
    }
}
