//! `runs verify`, `runs export` and `runs check`: whether what is kept is what was written, and how to prove it later.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use gsw_driver::durable::store::RunStore;
use gsw_journal::export::{self, hex};
use gsw_journal::verify::Problem;
use gsw_journal::wal::LastWrite;
use gsw_trace::measure::counted;
use serde_json::json;

use crate::arguments::ResultForm;
use crate::exit::Exit;
use crate::report::{printed, short};
use crate::say::{self, say};

/// Compares a run, or the whole store, with its digests.
pub(super) fn verify(store: &RunStore, id: Option<&str>, form: ResultForm) -> Result<Exit, String> {
    let store = store.existing().map_err(|it| it.to_string())?;
    let verified = store.verify(id).map_err(|it| it.to_string())?;
    let is_torn = store.last_write() == LastWrite::Torn;
    let exit = if verified.is_whole() {
        Exit::Done
    } else {
        Exit::Raised
    };
    if form == ResultForm::Json {
        let problems: Vec<_> = verified
            .problems
            .iter()
            .map(|it| json!({ "run": it.run, "record": it.record, "what": it.what }))
            .collect();
        let _ = say::print_value(&json!({
            "whole": verified.is_whole(),
            "runs": verified.runs,
            "records": verified.records,
            "values": verified.blobs,
            "last_write_lost": is_torn,
            "problems": problems,
        }));
        return Ok(exit);
    }
    if is_torn {
        say("note: the last write was torn, and is ignored: the store is as it was before it");
    }
    for Problem { run, what, .. } in &verified.problems {
        match run {
            Some(run) => say(&format!("run {}: {what}", short(run))),
            None => say(what),
        }
    }
    let (runs, records, values) = (verified.runs, verified.records, verified.blobs);
    let looked = format!(
        "{}, {}, {}",
        counted(runs, "run"),
        counted(records, "record"),
        counted(values, "value")
    );
    if verified.is_whole() {
        return Ok(printed(say::print(&format!(
            "{looked}: everything is what was written\n"
        ))));
    }
    let problems = counted(verified.problems.len() as u64, "problem");
    say(&format!("error: {looked}: {problems}"));
    Ok(exit)
}

/// Writes a run as JSON lines, to a file or to standard output.
pub(super) fn export(
    store: &RunStore,
    id: &str,
    file: Option<&Path>,
    form: ResultForm,
) -> Result<Exit, String> {
    let store = store.existing().map_err(|it| it.to_string())?;
    let Some(file) = file else {
        // Whole before the first line is printed: a damaged run prints nothing.
        let mut text = Vec::new();
        let digest = store.export(id, &mut text).map_err(|it| it.to_string())?;
        let text = String::from_utf8(text).map_err(|it| it.to_string())?;
        let exit = printed(say::print_json(&text));
        if form != ResultForm::Json {
            say(&format!("the digest of this export is {}", hex(&digest)));
        }
        return Ok(exit);
    };
    let unwritable =
        |error: &dyn std::fmt::Display| format!("`{}` cannot be written: {error}", file.display());
    // Read first, so that a damaged run leaves nothing behind, and never over a file that is there.
    let mut text = Vec::new();
    let digest = store.export(id, &mut text).map_err(|it| it.to_string())?;
    let opened = File::create_new(file).map_err(|it| unwritable(&it))?;
    let mut writer = BufWriter::new(opened);
    let written = writer.write_all(&text).and_then(|()| writer.flush());
    let synced = written.and_then(|()| writer.get_ref().sync_all());
    synced.map_err(|it| unwritable(&it))?;
    let digest = hex(&digest);
    Ok(match form {
        ResultForm::Json => printed(say::print_value(
            &json!({ "file": file.display().to_string(), "digest": digest }),
        )),
        ResultForm::Plain | ResultForm::Pretty | ResultForm::Raw => printed(say::print(&format!(
            "exported to {}\nits digest is {digest}: keep it elsewhere to show later that nothing was changed\n",
            file.display()
        ))),
    })
}

/// Checks every digest of an exported file.
pub(super) fn check(file: &Path, form: ResultForm) -> Result<Exit, String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("`{}`: {error}", file.display());
    let opened = File::open(file).map_err(|it| unreadable(&it))?;
    match export::check(BufReader::new(opened)) {
        Err(error) if form == ResultForm::Json => {
            let _ = say::print_value(&json!({ "whole": false, "what": error.to_string() }));
            Ok(Exit::Raised)
        }
        Err(error) => {
            say(&format!("error: {}", unreadable(&error)));
            Ok(Exit::Raised)
        }
        Ok(checked) if form == ResultForm::Json => Ok(printed(say::print_value(&json!({
            "whole": true,
            "run": checked.run,
            "workflow": checked.workflow,
            "records": checked.records.len(),
            "values": checked.values.len(),
            "digest": hex(&checked.digest),
        })))),
        Ok(checked) => Ok(printed(say::print(&format!(
            "run {} of `{}`, {}, {}: the file is what was exported\nits digest is {}\n",
            checked.run,
            checked.workflow,
            counted(checked.records.len() as u64, "record"),
            counted(checked.values.len() as u64, "value"),
            hex(&checked.digest)
        )))),
    }
}
