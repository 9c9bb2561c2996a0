//! What people who come from another language write, and what it is called here.

use gsw_source::Name;

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

/// Names of methods, and those of ours that may be meant, the likelier first.
const METHODS: &[(&str, &[&str])] = &[
    ("add", &["insert"]),
    ("and_then", &["flat_map"]),
    ("append", &["insert", "add"]),
    ("as_str", &["to_string"]),
    ("at", &["get", "slice"]),
    ("charAt", &["get", "slice"]),
    ("char_at", &["slice"]),
    ("collect", &["to_list"]),
    ("contains", &["has"]),
    ("containsKey", &["has"]),
    ("contains_key", &["has"]),
    ("dedup", &["unique"]),
    ("dayOfWeek", &["weekday"]),
    ("day_of_week", &["weekday"]),
    ("delete", &["remove"]),
    ("distinct", &["unique"]),
    ("drop", &["slice"]),
    ("elementAt", &["get"]),
    ("endsWith", &["ends_with"]),
    ("epoch", &["unix"]),
    ("every", &["all"]),
    ("exists", &["any"]),
    ("extend", &["merge"]),
    ("findIndex", &["find_index", "index_of"]),
    ("find_index", &["index_of"]),
    ("first", &["slice"]),
    ("flatMap", &["flat_map"]),
    ("group", &["group_by"]),
    ("has", &["contains"]),
    ("hasPrefix", &["starts_with"]),
    ("hasSuffix", &["ends_with"]),
    ("has_prefix", &["starts_with"]),
    ("has_suffix", &["ends_with"]),
    ("head", &["first"]),
    ("includes", &["contains", "has"]),
    ("indexOf", &["index_of"]),
    ("indexed", &["enumerate"]),
    ("isNaN", &["is_nan"]),
    ("is_present", &["is_some"]),
    ("iso", &["format"]),
    ("isoformat", &["format"]),
    ("items", &["entries"]),
    ("keySet", &["keys"]),
    ("last", &["slice"]),
    ("lastIndexOf", &["last_index_of"]),
    ("lenght", &["len"]),
    ("length", &["len"]),
    ("ljust", &["pad_end"]),
    ("lstrip", &["trim_start"]),
    ("match", &["matches"]),
    ("maxBy", &["max_by"]),
    ("max_by_key", &["max_by"]),
    ("minBy", &["min_by"]),
    ("min_by_key", &["min_by"]),
    ("nth", &["get"]),
    ("orElse", &["get"]),
    ("padLeft", &["pad_start"]),
    ("padRight", &["pad_end"]),
    ("pad_left", &["pad_start"]),
    ("pad_right", &["pad_end"]),
    ("put", &["insert"]),
    ("reduce", &["fold"]),
    ("remove_prefix", &["strip_prefix"]),
    ("remove_suffix", &["strip_suffix"]),
    ("removeprefix", &["strip_prefix"]),
    ("removesuffix", &["strip_suffix"]),
    ("reversed", &["reverse"]),
    ("rfind", &["last_index_of"]),
    ("rjust", &["pad_start"]),
    ("round_to", &["fixed"]),
    ("rstrip", &["trim_end"]),
    ("select", &["filter", "map"]),
    ("set", &["insert"]),
    ("size", &["len"]),
    ("skip", &["drop"]),
    ("some", &["any"]),
    ("sorted", &["sort"]),
    ("split_whitespace", &["words"]),
    ("startsWith", &["starts_with"]),
    ("str", &["to_string"]),
    ("strftime", &["format"]),
    ("strip", &["trim"]),
    ("substr", &["slice"]),
    ("substring", &["slice"]),
    ("tail", &["drop"]),
    ("take", &["slice"]),
    ("timestamp", &["unix"]),
    ("toFixed", &["fixed"]),
    ("toFloat", &["to_float"]),
    ("toISOString", &["format"]),
    ("toInt", &["to_int", "parse_int"]),
    ("toList", &["entries", "chars", "to_list"]),
    ("toLowerCase", &["lower"]),
    ("toString", &["to_string"]),
    ("toUpperCase", &["upper"]),
    ("to_float", &["parse_float"]),
    ("to_int", &["parse_int"]),
    ("to_iso", &["format"]),
    ("to_iso8601", &["format"]),
    ("to_list", &["entries", "chars"]),
    ("to_lower", &["lower"]),
    ("to_lowercase", &["lower"]),
    ("to_str", &["to_string"]),
    ("to_upper", &["upper"]),
    ("to_uppercase", &["upper"]),
    ("trimEnd", &["trim_end"]),
    ("trimStart", &["trim_start"]),
    ("trim_left", &["trim_start"]),
    ("trim_prefix", &["strip_prefix"]),
    ("trim_right", &["trim_end"]),
    ("trim_suffix", &["strip_suffix"]),
    ("uniq", &["unique"]),
    ("update", &["set"]),
    ("where", &["filter"]),
    ("withIndex", &["enumerate"]),
    ("with_index", &["enumerate"]),
];

/// Types of other languages; what is built in by another name.
const TYPES: &[(&str, &str)] = &[
    ("Bool", "bool"),
    ("Bytes", "bytes"),
    ("Duration", "duration"),
    ("Float", "float"),
    ("Int", "int"),
    ("Integer", "int"),
    ("Json", "json"),
    ("HashSet", "set.Set"),
    ("Set", "set.Set"),
    ("String", "string"),
    ("any", "json"),
    ("boolean", "bool"),
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

/// What a type is called here.
pub fn type_name(name: &str) -> Option<&'static str> {
    look_up(TYPES, name)
}

/// How a type with arguments is written here.
pub fn type_shape(name: &str) -> Option<&'static str> {
    look_up(SHAPES, name)
}

/// The first of what a method may be called here that is among `known`.
pub fn method(name: &str, known: &[Name]) -> Option<Name> {
    let ours = look_up(METHODS, name)?;
    let is_known = |it: &&&str| known.iter().any(|known| known == **it);
    ours.iter().find(is_known).map(|it| Name::new_static(it))
}
