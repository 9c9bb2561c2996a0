//! Names from other languages, and their counterparts here.

use gsw_source::{Name, Suggestion};

/// Names of values: what stands for nothing, for truth.
const VALUES: &[(&str, &str)] = &[
    ("False", "false"),
    ("None", "none"),
    ("True", "true"),
    ("nil", "none"),
    ("null", "none"),
    ("this", "self"),
    ("undefined", "none"),
];

/// Functions of other languages that print.
const PRINTING: &[&str] = &["console", "echo", "print", "printf", "println", "puts"];

/// Functions of types that read JSON in other languages.
const READING: &[&str] = &[
    "decode",
    "deserialize",
    "fromJson",
    "from_dict",
    "from_json",
    "from_str",
    "from_string",
    "model_validate",
    "model_validate_json",
    "parse",
    "parse_obj",
    "parse_raw",
];

/// Names of methods, and ours with the same arguments and results: the first that the type has.
const METHODS: &[(&str, &[&str])] = &[
    ("as_str", &["to_string"]),
    ("base64", &["to_string"]),
    ("contains", &["has"]),
    ("containsKey", &["has"]),
    ("contains_key", &["has"]),
    ("distinct", &["unique"]),
    ("drop", &["slice"]),
    ("every", &["all"]),
    ("exists", &["any"]),
    ("findIndex", &["find_index"]),
    ("find_all", &["filter"]),
    ("first_index_of", &["index_of"]),
    ("has", &["contains"]),
    ("hasPrefix", &["starts_with"]),
    ("hasSuffix", &["ends_with"]),
    ("has_prefix", &["starts_with"]),
    ("has_suffix", &["ends_with"]),
    ("includes", &["contains", "has"]),
    ("intersection", &["intersect"]),
    ("is_present", &["is_some"]),
    ("iso", &["format"]),
    ("isoformat", &["format"]),
    ("issubset", &["is_subset"]),
    ("items", &["entries"]),
    ("keySet", &["keys"]),
    ("lenght", &["len"]),
    ("length", &["len"]),
    ("ljust", &["pad_end"]),
    ("lstrip", &["trim_start"]),
    ("max_by_key", &["max_by"]),
    ("min_by_key", &["min_by"]),
    ("padLeft", &["pad_start"]),
    ("padRight", &["pad_end"]),
    ("pad_left", &["pad_start"]),
    ("pad_right", &["pad_end"]),
    ("reversed", &["reverse"]),
    ("rjust", &["pad_start"]),
    ("rstrip", &["trim_end"]),
    ("size", &["len"]),
    ("skip", &["drop"]),
    ("sortByDescending", &["sort_by_desc"]),
    ("sortDescending", &["sort_desc"]),
    ("sort_by_descending", &["sort_by_desc"]),
    ("sort_desc_by", &["sort_by_desc"]),
    ("sort_descending", &["sort_desc"]),
    ("sorted", &["sort"]),
    ("sortedBy", &["sort_by"]),
    ("sortedByDescending", &["sort_by_desc"]),
    ("sortedDescending", &["sort_desc"]),
    ("sorted_by", &["sort_by"]),
    ("sorted_desc", &["sort_desc"]),
    ("split_whitespace", &["words"]),
    ("splitlines", &["lines"]),
    ("str", &["to_string"]),
    ("strftime", &["format"]),
    ("strip", &["trim"]),
    ("substring", &["slice"]),
    ("toFixed", &["fixed"]),
    ("toISOString", &["format"]),
    ("toList", &["entries", "chars", "to_list"]),
    ("toLowerCase", &["lower"]),
    ("toLower", &["lower"]),
    ("toUpper", &["upper"]),
    ("toUpperCase", &["upper"]),
    ("to_base64", &["to_string"]),
    ("to_iso", &["format"]),
    ("to_iso8601", &["format"]),
    ("to_list", &["entries", "chars"]),
    ("to_lower", &["lower"]),
    ("to_lowercase", &["lower"]),
    ("to_str", &["to_string"]),
    ("to_upper", &["upper"]),
    ("to_uppercase", &["upper"]),
    ("trim_left", &["trim_start"]),
    ("trim_right", &["trim_end"]),
    ("uniq", &["unique"]),
    ("where", &["filter"]),
    ("withIndex", &["enumerate"]),
];

/// Names of methods, and those of ours that may be meant, the likelier first: what they give is an optional or a new value, or they
/// take something else.
const LIKE_METHODS: &[(&str, &[&str])] = &[
    ("add", &["insert"]),
    ("and_then", &["flat_map"]),
    ("append", &["insert", "add"]),
    ("at", &["get"]),
    ("collect", &["to_list"]),
    ("dayOfWeek", &["weekday"]),
    ("day_of_week", &["weekday"]),
    ("dedup", &["unique"]),
    ("delete", &["remove"]),
    ("difference", &["minus"]),
    ("elementAt", &["get"]),
    ("epoch", &["unix"]),
    ("extend", &["merge"]),
    ("findIndex", &["index_of"]),
    ("find_index", &["index_of"]),
    ("group", &["group_by"]),
    ("head", &["first"]),
    ("indexed", &["enumerate"]),
    ("insert", &["add"]),
    ("match", &["matches"]),
    ("nth", &["get"]),
    ("put", &["insert"]),
    ("reduce", &["fold"]),
    ("rfind", &["last_index_of"]),
    ("select", &["filter", "map"]),
    ("set", &["insert"]),
    ("some", &["any"]),
    ("subtract", &["minus"]),
    ("timestamp", &["unix"]),
    ("toFloat", &["parse_float"]),
    ("toInt", &["parse_int"]),
    ("to_float", &["parse_float"]),
    ("to_int", &["parse_int"]),
    ("update", &["set"]),
    ("with_index", &["enumerate"]),
];

/// Types of other languages that may be more than what is written here.
const LOOSE_TYPES: &[&str] = &[
    "Date",
    "Decimal",
    "UUID",
    "any",
    "date",
    "decimal",
    "object",
    "timestamp",
];

/// Types of other languages; what is built in by another name.
const TYPES: &[(&str, &str)] = &[
    ("Bool", "bool"),
    ("Bytes", "bytes"),
    ("Date", "time"),
    ("DateTime", "time"),
    ("Decimal", "float"),
    ("Duration", "duration"),
    ("Float", "float"),
    ("Int", "int"),
    ("Integer", "int"),
    ("Json", "json"),
    ("HashSet", "set.Set"),
    ("Set", "set.Set"),
    ("String", "string"),
    ("UUID", "string"),
    ("any", "json"),
    ("boolean", "bool"),
    ("date", "time"),
    ("datetime", "time"),
    ("decimal", "float"),
    ("double", "float"),
    ("f32", "float"),
    ("f64", "float"),
    ("i32", "int"),
    ("i64", "int"),
    ("integer", "int"),
    ("long", "int"),
    ("object", "json"),
    ("str", "string"),
    ("text", "string"),
    ("timedelta", "duration"),
    ("timestamp", "time"),
    ("u64", "int"),
    ("usize", "int"),
];

/// What a type with arguments is written as here.
const SHAPES: &[(&str, &str)] = &[
    ("Array", "[T]"),
    ("Dict", "{K: V}"),
    ("HashMap", "{K: V}"),
    ("List", "[T]"),
    ("Map", "{K: V}"),
    ("Maybe", "T?"),
    ("None", "()"),
    ("Option", "T?"),
    ("Optional", "T?"),
    ("Record", "{K: V}"),
    ("Tuple", "(A, B)"),
    ("Vec", "[T]"),
    ("array", "[T]"),
    ("dict", "{K: V}"),
    ("list", "[T]"),
    ("map", "{K: V}"),
    ("number", "int` or `float"),
    ("void", "()"),
];

fn look_up<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    let found = table.iter().find(|(it, _)| *it == name);
    found.map(|(_, ours)| *ours)
}

/// What a value is called here.
pub fn value(name: &str) -> Option<&'static str> {
    look_up(VALUES, name)
}

/// Whether a name prints elsewhere.
pub fn is_printing(name: &str) -> bool {
    PRINTING.contains(&name)
}

/// Whether a function of a type reads JSON elsewhere.
pub fn is_reading(name: &str) -> bool {
    READING.contains(&name)
}

/// What a type is called here.
pub fn type_name(name: &str) -> Option<Suggestion> {
    let ours = Name::new_static(look_up(TYPES, name)?);
    Some(match LOOSE_TYPES.contains(&name) {
        true => Suggestion::offered(ours),
        false => Suggestion::certain(ours),
    })
}

/// How a type with arguments is written here.
pub fn type_shape(name: &str) -> Option<&'static str> {
    look_up(SHAPES, name)
}

/// A type with arguments as it is written here; `None` where it takes others here, or one that is no simple type.
pub fn applied_type(name: &str, arguments: &[Name]) -> Option<String> {
    let shape = type_shape(name)?;
    let is_place = |it: char| it.is_uppercase();
    let is_simple = |it: &Name| !it.contains(['|', '>']) || it.ends_with('>');
    let places = shape.chars().filter(|it| is_place(*it)).count();
    if places != arguments.len() || places == 0 || !arguments.iter().all(is_simple) {
        return None;
    }
    let mut given = arguments.iter();
    let mut written = String::new();
    for letter in shape.chars() {
        match is_place(letter) {
            true => written.push_str(given.next()?),
            false => written.push(letter),
        }
    }
    Some(written)
}

/// The first of what a method may be called here that is among `known`.
pub fn method(name: &str, known: &[Name]) -> Option<Suggestion> {
    let first = |table: &[(&str, &[&'static str])]| {
        let is_known = |it: &&&str| known.iter().any(|known| known == **it);
        let (_, ours) = table.iter().find(|it| it.0 == name)?;
        ours.iter().find(is_known).map(|it| Name::new_static(it))
    };
    let same = first(METHODS).map(Suggestion::certain);
    same.or_else(|| first(LIKE_METHODS).map(Suggestion::offered))
}
