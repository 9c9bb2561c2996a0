//! Wording of reports about records, their fields, and what is no value.

use gsw_source::{Code, Diagnostic, Name, Place, Suggestion, did_you_mean};

/// Fields of a record literal that have neither value nor default.
pub fn missing_field(place: Place, names: &[&str], record: &str) -> Diagnostic {
    let list: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    let word = if names.len() == 1 { "field" } else { "fields" };
    Diagnostic::error(
        Code::MISSING_FIELD,
        place,
        format!("`{record}` is missing the {word} {}", list.join(", ")),
    )
}

/// What adds missing fields at a place, after others or as the only ones.
pub fn add_fields(
    diagnostic: Diagnostic,
    at: Place,
    values: &[String],
    others: Others,
) -> Diagnostic {
    let values = values.join(", ");
    let text = match others {
        Others::Some => format!(", {values}"),
        Others::None => format!(" {values} "),
    };
    // The values are made up.
    diagnostic.offer(format!("add `{values}`"), at, text)
}

/// Whether a literal has fields already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Others {
    Some,
    None,
}

/// A field that the type does not have.
pub fn unknown_field(
    place: Place,
    name: &str,
    ty: &str,
    suggestion: Option<&Suggestion>,
) -> Diagnostic {
    did_you_mean(
        Diagnostic::error(
            Code::UNKNOWN_FIELD,
            place,
            format!("`{ty}` has no field `{name}`"),
        ),
        suggestion,
    )
}

/// The existing fields, where none resembles the one that is named.
pub fn has_fields(diagnostic: Diagnostic, fields: &[Name]) -> Diagnostic {
    let names: Vec<String> = fields.iter().map(|it| format!("`{it}`")).collect();
    match &names[..] {
        [] => diagnostic,
        [one] => diagnostic.note(format!("its only field is {one}")),
        [.., _] => diagnostic.note(format!("its fields are {}", names.join(", "))),
    }
}

/// What is written instead of a member of other languages of an enum without payloads.
pub fn of_plain_enum(member: &str, name: &str) -> Option<String> {
    Some(match member {
        "values" | "variants" | "all" | "cases" | "entries" | "members" => {
            format!("its variants are listed by a call: `{name}.values()`")
        }
        "len" | "length" | "size" | "count" => format!("`{name}.values().len()`"),
        "parse" | "from" | "from_str" | "from_string" | "fromString" | "of" | "valueOf"
        | "value_of" => {
            format!(
                "a text becomes a variant by `text as {name}`, which raises `DecodeError`, or `text as? {name}`"
            )
        }
        _ => return None,
    })
}

/// An enum without payloads in the place of a value or function.
pub fn enum_as_value(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`{name}.values()` lists its variants, and a text becomes one by `text as {name}`"
    ))
}

/// A part of a value of an enum whose variants have none; `name` is the enum's.
pub fn plain_enum(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!("its variants have no payload: `\"${{x}}\"` is the name, `{name}.values().index_of(x)` the position, and `match` tells them apart"))
}

/// A field of one of the variants.
pub fn field_of_variant(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!("use a pattern to tell the variant and get its values: `match x {{ Variant({name}) => …, _ => … }}`, or `if let Variant({name}) = x {{ … }}`"))
}

/// A method named without being called.
pub fn method_as_field(diagnostic: Diagnostic, name: &str, end: Place) -> Diagnostic {
    diagnostic
        .note(format!("`{name}` is a method"))
        .fix("call it", end, "()")
}

/// A field of the inside of an optional; `dot` is right before the dot.
pub fn field_of_optional(diagnostic: Diagnostic, name: &str, dot: Place) -> Diagnostic {
    super::calls::through_optional(diagnostic, name, dot)
}

/// A field of what a list holds.
pub fn field_of_elements(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`.map(it => it.{name})` takes it from each element"
    ))
}

/// A field by its bare name in a check of its record.
pub fn field_in_check(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "in a check `it` is the field that it belongs to, and `self.{name}` another one of the record"
    ))
}

/// Another name than `it` for the value in its check.
pub fn value_in_check(diagnostic: Diagnostic, place: Place) -> Diagnostic {
    diagnostic
        .note("in a check `it` is the value that is checked")
        .fix("write `it`", place, "it")
}

/// `self` in a function of a type that does not take it; `start` is where its parameters begin.
pub fn takes_self(diagnostic: Diagnostic, name: &str, start: Place, text: &str) -> Diagnostic {
    diagnostic
        .note(format!("a method takes `self` first: `fn {name}(self)`"))
        .fix("take `self`", start, text)
}

/// `self` in what is no method.
pub fn self_of_methods(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("`self` is the receiver of a method, which is declared with its type: `fn Order.total(self) -> float { … }`")
}

/// Another field in the default value of one.
pub fn self_in_default(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a default value cannot use other fields: set it in a function that creates the record, or compute it in a method, `fn P.y(self) -> int { self.x }`")
}

/// A field by its bare name in a method of its record.
pub fn field_of_self(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!("the field is `self.{name}`"))
}

/// Like [`field_of_self`], in a function of the record that takes no `self`.
pub fn field_without_self(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "a method takes `self` first, and the field is `self.{name}`"
    ))
}

/// A field of an error that is not known yet.
pub fn field_of_error(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("use `match` or `catch` to tell which error it is; `.message()` is its text")
}

/// A field of a literal that is written without its value.
pub fn short_for(diagnostic: &mut Diagnostic, name: &str) {
    let note = format!("`{name}` alone is short for `{name}: {name}`");
    diagnostic.notes.push(note);
}

/// An entry of a map as if it were a field; `whole` is from the dot to the end of the name.
pub fn entry_of_map(diagnostic: Diagnostic, name: &str, whole: Place) -> Diagnostic {
    let entry = format!("[\"{name}\"]");
    diagnostic
        .note(format!(
            "an entry of a map is `m{entry}`, or `m.get(\"{name}\")`, which gives an optional"
        ))
        .fix(format!("write `{entry}`"), whole, entry)
}

/// An element of a list like a part of a tuple; `whole` is the dot with the number.
pub fn element_of_list(diagnostic: Diagnostic, index: u32, whole: Place) -> Diagnostic {
    let element = format!("[{index}]");
    diagnostic
        .note(format!("an element of a list is `xs{element}`"))
        .fix(format!("write `{element}`"), whole, element)
}

/// A part of a tuple that is not there.
pub fn parts_of_tuple(diagnostic: Diagnostic, parts: usize) -> Diagnostic {
    let last = parts.saturating_sub(1);
    diagnostic.note(format!("its parts are `.0` to `.{last}`"))
}

/// A record's type where one of its values is wanted.
pub fn record_is_made(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!("a record is made with `{name} {{ … }}`"))
}

/// A type of the library whose values functions make.
pub fn made_by(diagnostic: Diagnostic, makers: &[String]) -> Diagnostic {
    let calls: Vec<String> = makers.iter().map(|it| format!("`{it}(…)`")).collect();
    diagnostic.note(format!(
        "it has no literal: {} makes one",
        calls.join(" or ")
    ))
}

/// A call of a name with a capital that nothing has.
pub fn called_with_capital(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a name with a capital that is called is a variant or an error, `Box(1)`; a record is made with `Point { x: 1 }`")
}

/// A field that is written twice.
pub fn duplicate_field(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::DUPLICATE_FIELD,
        place,
        format!("the field `{name}` is already given"),
    )
}

/// A field of another language that is a method here.
pub fn method_for_field(diagnostic: Diagnostic, method: &str) -> Diagnostic {
    diagnostic.note(format!("did you mean the method `.{method}()`?"))
}

/// `Name { … }` of what is no record.
pub fn not_a_record(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(Code::NOT_A_RECORD, place, format!("{what} is not a record"))
}

/// A variant or error in the form of a record; `call` is what takes the place of its braces.
pub fn made_by_call(
    diagnostic: Diagnostic,
    what: &str,
    name: &str,
    call: Option<(Place, String)>,
) -> Diagnostic {
    let diagnostic = diagnostic.note(format!("{what} is made with `{name}(…)`"));
    match call {
        Some((place, text)) => diagnostic.fix("write parentheses", place, text),
        None => diagnostic,
    }
}

/// A type or module where a value is wanted.
pub fn not_a_value(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(Code::NOT_A_VALUE, place, format!("{what} is not a value"))
}

/// `accounts.*` where no tools are listed.
pub fn all_of(place: Place, text: &str) -> Diagnostic {
    not_a_value(place, &format!("`{text}`")).note(
        "in a list of tools `.*` stands for all tools of a module or server, `tools: [accounts.*]`; elsewhere each is named: `accounts.remove(id)`",
    )
}

/// A variant's bare name that several enums have.
pub fn ambiguous_variant(place: Place, name: &str, enums: &[&str]) -> Diagnostic {
    let list: Vec<String> = enums.iter().map(|it| format!("`{it}.{name}`")).collect();
    Diagnostic::error(
        Code::AMBIGUOUS_VARIANT,
        place,
        format!("`{name}` may be {}", list.join(" or ")),
    )
    .note("write the name of the enum before it")
}

/// A variant that the enum does not have.
pub fn unknown_variant(
    place: Place,
    name: &str,
    item: &str,
    suggestion: Option<&Suggestion>,
) -> Diagnostic {
    did_you_mean(
        Diagnostic::error(
            Code::UNKNOWN_VARIANT,
            place,
            format!("`{item}` has no variant `{name}`"),
        ),
        suggestion,
    )
}

/// The existing variants, where none resembles the one that is named.
pub fn has_variants(diagnostic: Diagnostic, variants: &[Name]) -> Diagnostic {
    let names: Vec<String> = variants.iter().map(|it| format!("`{it}`")).collect();
    match &names[..] {
        [] => diagnostic,
        [one] => diagnostic.note(format!("its only variant is {one}")),
        [.., _] => diagnostic.note(format!("its variants are {}", names.join(", "))),
    }
}

/// `.values()` of an enum that has more values than variants.
pub fn only_plain_enums(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("only an enum without payloads has `values()`")
}

/// A field that a pattern binds by a name that it does not have.
pub fn renamed_field(
    mut diagnostic: Diagnostic,
    place: Place,
    field: &Suggestion,
    name: &str,
) -> Diagnostic {
    diagnostic.fixes.clear();
    let text = format!("{}: {name}", field.as_str());
    let diagnostic = diagnostic.fix(format!("write `{text}`"), place, text);
    diagnostic.decided_by(field.applicability)
}
