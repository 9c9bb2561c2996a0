//! Runtime calls on CSV texts (RFC 4180, with either line end).

use std::collections::HashSet;

use gsw_abi::types::TypeId;
use indexmap::IndexSet;

use crate::codec;
use crate::export::guard::calls;
use crate::heap::Heap;
use crate::model::Issue;
use crate::value::{error, list, map, string};

/// The records of a text, each its fields.
type Records = Vec<Vec<String>>;

calls! {
    /// `csv.parse(text)`
    raising csv_parse(run, result, text) {
        let rows = read(string::text(text)).and_then(|records| checked(&records).map(|()| records));
        match rows {
            Ok(records) => Ok(maps(&mut run.heap, TypeId(result as u32), &records)),
            Err(issue) => Err(error::decode(&mut run.heap, &issue)),
        }
    }

    /// `csv.format(rows)`
    plain csv_format(run, rows) {
        let mut header: IndexSet<&str> = IndexSet::new();
        for &row in list::words(rows) {
            header.extend(map::entries(row).map(|(key, _)| string::text(key)));
        }
        let mut text = String::new();
        if !header.is_empty() {
            write(&mut text, header.iter().copied());
        }
        for &row in list::words(rows) {
            let fields = header.iter().map(|&name| map::get_text(&run.heap, row, name).map_or("", string::text));
            write(&mut text, fields);
        }
        string::new(&mut run.heap, &text)
    }
}

/// Appends one record, with quotes where a field needs them.
fn write<'a>(text: &mut String, fields: impl ExactSizeIterator<Item = &'a str>) {
    let is_alone = fields.len() == 1;
    for (index, field) in fields.enumerate() {
        if index > 0 {
            text.push(',');
        }
        // A lone empty field without quotes would read as an empty line.
        if field.contains([',', '"', '\n', '\r']) || (is_alone && field.is_empty()) {
            text.push('"');
            text.push_str(&field.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(field);
        }
    }
    text.push('\n');
}

/// Reads all records; empty lines are none.
fn read(text: &str) -> Result<Records, Issue> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut records = Records::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = line_end(rest) {
            rest = after;
            continue;
        }
        let mut fields = Vec::new();
        loop {
            let (field, after) = read_field(rest, records.len())?;
            fields.push(field);
            if let Some(after) = after.strip_prefix(',') {
                rest = after;
                continue;
            }
            rest = line_end(after).unwrap_or(after);
            break;
        }
        records.push(fields);
    }
    Ok(records)
}

fn line_end(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n")
        .or_else(|| text.strip_prefix('\n'))
        .or_else(|| text.strip_prefix('\r'))
}

/// A field and what follows it: a comma, the end of a line or nothing.
fn read_field(text: &str, record: usize) -> Result<(String, &str), Issue> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find([',', '\n', '\r']).unwrap_or(text.len());
        return Ok((text[..end].to_owned(), &text[end..]));
    };
    let mut field = String::new();
    loop {
        let Some(quote) = rest.find('"') else {
            return Err(issue(record, "a closing quote", "the end of the text"));
        };
        field.push_str(&rest[..quote]);
        rest = &rest[quote + 1..];
        if let Some(after) = rest.strip_prefix('"') {
            field.push('"');
            rest = after;
            continue;
        }
        if rest.is_empty() || rest.starts_with([',', '\n', '\r']) {
            return Ok((field, rest));
        }
        return Err(issue(
            record,
            "a comma or the end of the line behind a quoted field",
            "text",
        ));
    }
}

/// Every row has the header's number of fields, and no name stands twice in the header.
fn checked(records: &Records) -> Result<(), Issue> {
    let Some((header, rows)) = records.split_first() else {
        return Ok(());
    };
    let mut names = HashSet::new();
    for name in header {
        if !names.insert(name) {
            return Err(issue(
                0,
                "different names in the header",
                &format!("`{name}` twice"),
            ));
        }
    }
    match rows.iter().position(|row| row.len() != header.len()) {
        None => Ok(()),
        Some(at) => Err(issue(
            at + 1,
            &format!("{} fields", header.len()),
            &rows[at].len().to_string(),
        )),
    }
}

/// An issue in a record; the first row after the header is `$[0]`.
fn issue(record: usize, expected: &str, found: &str) -> Issue {
    let path = match record.checked_sub(1) {
        None => "$".to_owned(),
        Some(row) => format!("$[{row}]"),
    };
    let issue = codec::mismatch(&path, expected, &serde_json::Value::Null);
    Issue {
        found: found.to_owned(),
        message: format!("at {path}: expected {expected}, found {found}"),
        ..issue
    }
}

fn maps(heap: &mut Heap, ty: TypeId, records: &Records) -> u64 {
    let element = list::element_type(heap, ty);
    let Some((header, rows)) = records.split_first() else {
        return list::new(heap, ty, &[]);
    };
    let mut words = Vec::with_capacity(rows.len());
    for row in rows {
        let mut entries = map::new(heap, element);
        for (name, field) in header.iter().zip(row) {
            let (key, value) = (string::new(heap, name), string::new(heap, field));
            entries = map::insert(heap, entries, key, value);
        }
        words.push(entries);
    }
    list::new(heap, ty, &words)
}

#[cfg(test)]
mod tests {
    use super::{checked, read, write};

    #[test]
    fn quotes_and_line_ends_are_read() {
        let records =
            read("\u{feff}a,b\r\n\"x, \"\"y\"\"\",\"1\n2\"\r\n\r\n,\n").expect("it is CSV");
        assert_eq!(records, [["a", "b"], ["x, \"y\"", "1\n2"], ["", ""]]);
    }

    #[test]
    fn mistakes_are_named() {
        for text in ["a\n\"x", "a\n\"x\"y", "a,b\n1\n", "a,a\n"] {
            let outcome = read(text).and_then(|records| checked(&records));
            assert!(outcome.is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let fields = ["a,b", "", "\"", "x\ny"];
        let mut text = String::new();
        write(&mut text, fields.iter().copied());
        write(&mut text, [""].into_iter());
        assert_eq!(read(&text).expect("it is CSV")[0], fields);
        assert_eq!(read(&text).expect("it is CSV")[1], [""]);
    }
}
