//! The sources of the standard library, by module path. What they mean is the compiler's business.

#![warn(clippy::wildcard_enum_match_arm)]

/// Every module: its path as imported, and its text.
pub const MODULES: &[(&str, &str)] = &[
    ("std/bytes", include_str!("../bytes.gsw")),
    ("std/context", include_str!("../context.gsw")),
    ("std/csv", include_str!("../csv.gsw")),
    ("std/document", include_str!("../document.gsw")),
    ("std/env", include_str!("../env.gsw")),
    ("std/duration", include_str!("../duration.gsw")),
    ("std/error", include_str!("../error.gsw")),
    ("std/exec", include_str!("../exec.gsw")),
    ("std/float", include_str!("../float.gsw")),
    ("std/fs", include_str!("../fs.gsw")),
    ("std/http", include_str!("../http.gsw")),
    ("std/image", include_str!("../image.gsw")),
    ("std/int", include_str!("../int.gsw")),
    ("std/introspect", include_str!("../introspect.gsw")),
    ("std/json", include_str!("../json.gsw")),
    ("std/list", include_str!("../list.gsw")),
    ("std/log", include_str!("../log.gsw")),
    ("std/map", include_str!("../map.gsw")),
    ("std/math", include_str!("../math.gsw")),
    ("std/optional", include_str!("../optional.gsw")),
    ("std/prelude", include_str!("../prelude.gsw")),
    ("std/queue", include_str!("../queue.gsw")),
    ("std/random", include_str!("../random.gsw")),
    ("std/regex", include_str!("../regex.gsw")),
    ("std/set", include_str!("../set.gsw")),
    ("std/string", include_str!("../string.gsw")),
    ("std/task", include_str!("../task.gsw")),
    ("std/text", include_str!("../text.gsw")),
    ("std/time", include_str!("../time.gsw")),
    ("std/value", include_str!("../value.gsw")),
    ("std/workflows", include_str!("../workflows.gsw")),
];
