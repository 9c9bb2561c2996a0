//! Runtime calls on CSV texts (RFC 4180, with either line end).

use std::borrow::Cow;
use std::collections::HashSet;

use gsw_abi::types::TypeId;
use gsw_notation::issue::Issue;
use indexmap::IndexSet;

use crate::codec;
use crate::export::guard::calls;
use crate::heap::{Heap, Poll};
use crate::value::list::Filling;
use crate::value::string::Writer;
use crate::value::{error, list, map, string};

calls! {
    raising csv_parse(run, result, text) {
        parse(&mut run.heap, TypeId(result as u32), string::text(text))
    }

    raising csv_format(run, rows) {
        format(&mut run.heap, list::words(rows))
    }
}

fn format(heap: &mut Heap, rows: &[u64]) -> Result<u64, u64> {
    let mut poll = Poll::default();
    let mut header: IndexSet<&str> = IndexSet::new();
    for &row in rows {
        header.extend(map::entries(row).map(|(key, _)| string::text(key)));
        if poll.ends(heap) {
            return Err(heap.interrupted());
        }
    }
    let mut text = Writer::new(heap, 0)?;
    if !header.is_empty() {
        write(&mut text, header.iter().copied());
    }
    for &row in rows {
        let heap = text.heap();
        let fields = header.iter().map(|&name| map::get_text(heap, row, name));
        let fields: Vec<&str> = fields.map(|it| it.map_or("", string::text)).collect();
        write(&mut text, fields.into_iter());
        if text.has_ended() {
            break;
        }
    }
    text.finish()
}

/// Appends one record, with quotes where a field needs them.
fn write<'a>(text: &mut Writer<'_>, fields: impl ExactSizeIterator<Item = &'a str>) {
    let is_alone = fields.len() == 1;
    for (index, field) in fields.enumerate() {
        if index > 0 {
            text.push_str(",");
        }
        // A lone empty field without quotes would read as an empty line.
        if field.contains([',', '"', '\n', '\r']) || (is_alone && field.is_empty()) {
            text.push_str("\"");
            for (index, piece) in field.split('"').enumerate() {
                if index > 0 {
                    text.push_str("\"\"");
                }
                text.push_str(piece);
            }
            text.push_str("\"");
        } else {
            text.push_str(field);
        }
    }
    text.push_str("\n");
}

/// Why a text cannot be read as rows.
#[derive(Debug)]
enum Refusal {
    Issue(Issue),
    /// A record has more fields than the run has memory for.
    TooLarge,
}

/// Reads a text record by record.
struct Records<'a> {
    rest: &'a str,
    count: usize,
    /// The most fields of a record.
    most: usize,
}

impl<'a> Records<'a> {
    fn new(text: &'a str, most: usize) -> Self {
        Self {
            rest: text.strip_prefix('\u{feff}').unwrap_or(text),
            count: 0,
            most,
        }
    }

    /// The fields of the next record; `None` at the end. Empty lines are no records.
    fn next(&mut self) -> Result<Option<Vec<Cow<'a, str>>>, Refusal> {
        while let Some(after) = line_end(self.rest) {
            self.rest = after;
        }
        if self.rest.is_empty() {
            return Ok(None);
        }
        let mut fields = Vec::new();
        loop {
            let (field, after) = read_field(self.rest, self.count).map_err(Refusal::Issue)?;
            if fields.len() == self.most {
                return Err(Refusal::TooLarge);
            }
            fields.push(field);
            if let Some(after) = after.strip_prefix(',') {
                self.rest = after;
                continue;
            }
            self.rest = line_end(after).unwrap_or(after);
            break;
        }
        self.count += 1;
        Ok(Some(fields))
    }
}

fn line_end(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n")
        .or_else(|| text.strip_prefix('\n'))
        .or_else(|| text.strip_prefix('\r'))
}

/// A field and what follows it: a comma, the end of a line or nothing.
fn read_field(text: &str, record: usize) -> Result<(Cow<'_, str>, &str), Issue> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find([',', '\n', '\r']).unwrap_or(text.len());
        return Ok((text[..end].into(), &text[end..]));
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
            return Ok((field.into(), rest));
        }
        return Err(issue(
            record,
            "a comma or the end of the line after a quoted field",
            "text",
        ));
    }
}

/// No name occurs twice in the header.
fn check_header(header: &[Cow<'_, str>]) -> Result<(), Refusal> {
    let mut names = HashSet::new();
    match header.iter().find(|&name| !names.insert(name)) {
        None => Ok(()),
        Some(name) => {
            let found = format!("`{name}` twice");
            let issue = issue(0, "different names in the header", &found);
            Err(Refusal::Issue(issue))
        }
    }
}

/// The next row, which has as many fields as the header.
fn next_row<'a>(
    records: &mut Records<'a>,
    columns: usize,
) -> Result<Option<Vec<Cow<'a, str>>>, Refusal> {
    match records.next()? {
        Some(row) if row.len() != columns => {
            let expected = format!("{columns} fields");
            let found = row.len().to_string();
            Err(Refusal::Issue(issue(records.count - 1, &expected, &found)))
        }
        row => Ok(row),
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

fn parse(heap: &mut Heap, ty: TypeId, text: &str) -> Result<u64, u64> {
    let most = heap.room() as usize / size_of::<Cow<'_, str>>();
    let mut records = Records::new(text, most);
    let header = match records.next() {
        Ok(header) => header.unwrap_or_default(),
        Err(refusal) => return Err(refused(heap, &refusal)),
    };
    if let Err(refusal) = check_header(&header) {
        return Err(refused(heap, &refusal));
    }
    let keys: Vec<u64> = header.iter().map(|it| string::new(heap, it)).collect();
    let rows = rows(heap, ty, &keys, &mut records);
    keys.into_iter().for_each(|key| heap.release(key));
    rows
}

/// The rows after the header as maps; `keys` are borrowed.
fn rows(heap: &mut Heap, ty: TypeId, keys: &[u64], records: &mut Records<'_>) -> Result<u64, u64> {
    let element = list::element_type(heap, ty);
    let mut rows = Filling::new(heap, ty, 0)?;
    loop {
        let fields = match next_row(records, keys.len()) {
            Ok(Some(fields)) => fields,
            Ok(None) => return Ok(rows.finish()),
            Err(refusal) => {
                rows.give_up(heap);
                return Err(refused(heap, &refusal));
            }
        };
        let mut row = map::new(heap, element);
        for (&key, field) in keys.iter().zip(&fields) {
            heap.retain(key);
            let value = string::new(heap, field);
            row = map::insert(heap, row, key, value);
        }
        rows = rows.push(heap, row)?;
    }
}

fn refused(heap: &mut Heap, refusal: &Refusal) -> u64 {
    match refusal {
        Refusal::Issue(issue) => error::decode(heap, issue),
        Refusal::TooLarge => {
            heap.refuse();
            heap.interrupted()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gsw_abi::builtin;

    use super::{Records, Refusal, check_header, next_row, write};
    use crate::heap::Heap;
    use crate::value::hash::HashKey;
    use crate::value::string::{self, Writer};

    /// All records, of which each has as many fields as the first.
    fn read(text: &str) -> Result<Vec<Vec<String>>, Refusal> {
        let mut records = Records::new(text, 100);
        let Some(header) = records.next()? else {
            return Ok(Vec::new());
        };
        check_header(&header)?;
        let columns = header.len();
        let mut all = vec![header];
        while let Some(row) = next_row(&mut records, columns)? {
            all.push(row);
        }
        let owned = all.into_iter().map(|it| it.into_iter().map(String::from));
        Ok(owned.map(Iterator::collect).collect())
    }

    #[test]
    fn quotes_and_line_ends_are_read() {
        let records =
            read("\u{feff}a,b\r\n\"x, \"\"y\"\"\",\"1\n2\"\r\n\r\n,\n").expect("it is CSV");
        assert_eq!(records, [["a", "b"], ["x, \"y\"", "1\n2"], ["", ""]]);
    }

    #[test]
    fn mistakes_are_named() {
        for text in ["a\n\"x", "a\n\"x\"y", "a,b\n1\n", "a,a\n"] {
            assert!(matches!(read(text), Err(Refusal::Issue(_))), "{text:?}");
        }
        let wide = ",".repeat(100);
        assert!(matches!(read(&wide), Err(Refusal::TooLarge)));
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut heap = Heap::new(Arc::new(builtin::type_table()), None, HashKey::of_seed(1));
        for fields in [&["a,b", "", "\"", "x\ny"][..], &[""]] {
            let mut text = Writer::new(&mut heap, 0).expect("there is no limit");
            write(&mut text, fields.iter().copied());
            let word = text.finish().expect("there is no limit");
            assert_eq!(read(string::text(word)).expect("it is CSV")[0], fields);
            heap.release(word);
        }
    }
}
