//! What is written instead of methods of other languages.

const CAPITAL: &str = "`s.slice(0, 1).upper() + s.slice(1)` capitalizes a string";

const CHARACTERS: &str = "texts are compared: `c >= \"0\" and c <= \"9\"`; `std/regex` knows classes of characters, `regex.new(r\"^\\d+$\").matches(c)`";

const MEAN: &str = "the mean of floats is `xs.sum() / xs.len().to_float()`";

const LOOP: &str = "to do something for each element, write a loop: `for x in xs { … }`";

pub(super) const JOINED: &str = "lists and strings are joined with `+`: `xs + ys`";

const LEFT_OUT: &str = "`xs.filter(x => x != y)` leaves elements out, and `xs.take(i) + xs.drop(i + 1)` the one at `i`";

const FIRST: &str = "values never change: `xs.first()` is the first element, `xs.drop(1)` the rest";

const OR: &str = "`?? value` gives a default value for `none`: `m.get(key) ?? 0`";

const SETS: &str = "`set.of(xs)` of `std/set` has `union`, `intersect` and `minus`";

const BY_KEY: &str = "`xs.map(x => (x.id, x)).to_map()` makes a map";

const RANDOM: &str = "`std/random` has `random.pick(xs)` and `random.shuffle(xs)`";

const OF_TEXT: &str = "`std/text` has it: `text.wrap(s, 80)`, `text.indent(s, \"  \")`, `text.truncate(s, 20)`, `text.dedent(s)`";

const OF_MATH: &str = "`std/math` has it as a function: `math.sin(x)`";

const REMAINDER: &str =
    "the remainder is `a % b`, and `a / b` of two ints is the quotient without the fractional part";

const LENGTHS: &str = "to turn a number into a duration, write `1s * n`";

const LATER: &str = "a time and a duration are added and subtracted: `t + 2d`; `a - b` of two times is the duration between them";

const COMPARED: &str = "values are compared with `<` and `>`";

const DATE: &str = "a part of a time as text is `t.format(\"%Y-%m-%d\")`";

const BITS: &str = "there are no bitwise operators";

const DEFAULTED: &str =
    "`m.update(key, default, x => …)` begins with the default value where the key is absent";

const BLANK: &str = "`s.trim().is_empty()`";

const CASED: &str =
    "`s == s.upper()` is whether all of it is in capitals, `s == s.lower()` whether none is";

const CASE: &str = "`a.lower() == b.lower()`";

const POSITIONS: &str =
    "`xs.take(i) + [x] + xs.drop(i)` has `x` at `i`; `xs[i] = x` replaces what is there";

const UNWRAP: &str = "`?? value` and `?? fail Failed(\"…\")` handle `none`";

pub(super) const COPIED: &str = "a changed copy of a record is written `Order { id: 3, ..order }`";

pub(super) const TURN: &str =
    "a conversation goes on with a prompt: `ask(\"…\") with { session: chat }`";

pub(super) const ASKED: &str = "an agent is asked by its prompts: `prompt ask(question: string) -> string by helper { user \"${question}\" }`, then `ask(\"…\")`";

pub(super) const OUTCOME: &str =
    "a `Result` is destructured: `match r { Ok(value) => …, Err(error) => … }`";

const FIND_MAP: &str = "`xs.filter_map(f).first()`";

pub(super) const AWAIT: &str = "wait for a task with `await t`";

const SAME: &str = "values never change, so nothing needs to be copied";

const STEPS: &str = "`(0..n).filter(i => i % 2 == 0)`, or `while i < n { i += 2 }`";

const PRESENT: &str =
    "`if let value = x { … }` unwraps an optional, and `?? value` gives a default value for `none`";

const NUMBER_TEXT: &str = "for a number, write `n.to_string().pad_start(3)`";

const CHARACTER: &str = "`s.slice(i, i + 1)` is the character at `i`, and `xs[i]` the element";

pub(super) const CODE_POINTS: &str = "there are no character codes: strings are compared with `<`, and `\"abc\".index_of(c)` is a position in an alphabet";

const LAST: &str = "`xs.drop(xs.len() - n)` has the last `n` elements, `s.slice(s.len() - n)` the last `n` characters";

const WITHOUT_LAST: &str = "`xs.take(xs.len() - n)` leaves out the last `n` elements, `s.slice(0, s.len() - n)` the last `n` characters";

const FROM_END: &str = "`xs.reverse()` begins at the end: `xs.reverse().find(f)`, `xs.reverse().fold(0, (sum, x) => …)`";

const FIRST_ONLY: &str = "`replace` replaces all; `s.split_once(\"a\")` splits a string at the first one: `if let (before, rest) = s.split_once(\"a\") { … }`";

const STRIPPED: &str = "`s.strip_prefix(\"x\") ?? s` is `s` without it; alone it gives `none` where there is nothing to remove, as `strip_suffix` does";

const AT_ONCE: &str =
    "for concurrent work, write a loop, which gives a list: `parallel for x in xs { f(x) }`";

pub(super) const WHOLE: &str = "`x.to_int()` leaves out the fractional part";

pub(super) const ELEMENTS: &str = "`s.to_list()` is the list of its elements: `for x in s.to_list() { … }`, `s.to_list().map(x => …)`";

/// Methods of other languages that are something else than a method here.
pub(super) const OTHERWISE: &[(&str, &str)] = &[
    ("acos", OF_MATH),
    ("addAll", JOINED),
    ("add_all", JOINED),
    ("add_days", LATER),
    ("add_hours", LATER),
    ("add_minutes", LATER),
    ("after", COMPARED),
    ("asin", OF_MATH),
    ("associate_by", BY_KEY),
    ("atan", OF_MATH),
    ("average", MEAN),
    ("avg", MEAN),
    ("await", AWAIT),
    ("before", COMPARED),
    ("bit_and", BITS),
    ("bit_or", BITS),
    ("bit_xor", BITS),
    ("capitalize", CAPITAL),
    (
        "catch",
        "`catch { … }` goes after the expression that it guards",
    ),
    ("cbrt", OF_MATH),
    ("choice", RANDOM),
    ("clear", "assign an empty one: `xs = []`, `m = {}`"),
    ("clone", SAME),
    ("cmp", COMPARED),
    ("compare", COMPARED),
    ("compareTo", COMPARED),
    ("compare_to", COMPARED),
    ("concat", JOINED),
    ("copy", SAME),
    ("cos", OF_MATH),
    (
        "count",
        "the number of elements is `.len()`, and the number of occurrences in a string is `s.split(\"a\").len() - 1`",
    ),
    ("date", DATE),
    ("dedent", OF_TEXT),
    ("delete", LEFT_OUT),
    ("dequeue", FIRST),
    ("diff", LATER),
    ("difference", SETS),
    ("div", REMAINDER),
    ("divmod", REMAINDER),
    ("each", LOOP),
    ("eq_ignore_case", CASE),
    ("equalsIgnoreCase", CASE),
    ("equals_ignore_case", CASE),
    ("exp", OF_MATH),
    ("expect", UNWRAP),
    ("extend", JOINED),
    ("first_or", OR),
    ("floor_div", REMAINDER),
    ("forEach", LOOP),
    ("findMap", FIND_MAP),
    ("find_map", FIND_MAP),
    ("for_each", LOOP),
    ("format", "put values into text with `\"${…}\"`"),
    ("getOrDefault", OR),
    ("getOrElse", OR),
    ("getOrPut", DEFAULTED),
    ("get_or", OR),
    ("get_or_default", OR),
    ("get_or_else", OR),
    ("get_or_insert", DEFAULTED),
    ("indent", OF_TEXT),
    ("insert", POSITIONS),
    ("intersect", SETS),
    ("intersection", SETS),
    ("isBlank", BLANK),
    ("is_after", COMPARED),
    ("is_alpha", CHARACTERS),
    ("is_alphanumeric", CHARACTERS),
    ("is_before", COMPARED),
    ("is_blank", BLANK),
    ("is_digit", CHARACTERS),
    ("is_even", REMAINDER),
    ("is_lower", CASED),
    ("is_numeric", CHARACTERS),
    ("is_odd", REMAINDER),
    ("is_upper", CASED),
    ("is_whitespace", CHARACTERS),
    ("isalpha", CHARACTERS),
    ("isdigit", CHARACTERS),
    ("iter", "iterate over a list or map directly: `for x in xs`"),
    (
        "join",
        "strings are joined: `xs.map(x => \"${x}\").join(\", \")`",
    ),
    ("key_by", BY_KEY),
    ("ln", OF_MATH),
    ("log", OF_MATH),
    ("log10", OF_MATH),
    ("log2", OF_MATH),
    ("mean", MEAN),
    ("minus", LATER),
    ("minus_days", LATER),
    ("mod", REMAINDER),
    ("modulo", REMAINDER),
    ("none", "`not xs.any(f)`"),
    ("ok_or", UNWRAP),
    ("or_default", OR),
    ("or_else", OR),
    ("or_fail", UNWRAP),
    ("pad_end", NUMBER_TEXT),
    ("pad_start", NUMBER_TEXT),
    ("parse_bool", "`s == \"true\"`"),
    ("plus", JOINED),
    ("plus_days", LATER),
    (
        "pop",
        "values never change: `xs.last()` is the last element, `xs.slice(0, xs.len() - 1)` the rest",
    ),
    ("pop_front", FIRST),
    ("product", "`xs.fold(1, (a, b) => a * b)`"),
    ("rem", REMAINDER),
    ("remove", LEFT_OUT),
    ("removeAt", LEFT_OUT),
    ("remove_at", LEFT_OUT),
    (
        "repeat",
        "a list of `n` equal elements is `(0..n).map(_ => x)`",
    ),
    ("sample", RANDOM),
    ("setdefault", DEFAULTED),
    ("shift", FIRST),
    ("shift_left", BITS),
    ("shift_right", BITS),
    ("shuffle", RANDOM),
    ("sin", OF_MATH),
    ("since", LATER),
    ("split_at", "`(xs.take(n), xs.drop(n))`"),
    ("step_by", STEPS),
    ("sub", LATER),
    ("subtract", LATER),
    (
        "swap",
        "`(xs[i], xs[j]) = (xs[j], xs[i])` swaps two elements of a `var`",
    ),
    ("tan", OF_MATH),
    ("then", AWAIT),
    (
        "times",
        "to do something `n` times, write a loop: `for i in 0..n { … }`",
    ),
    ("title", CAPITAL),
    ("toSet", SETS),
    ("to_bool", "`s == \"true\"`"),
    ("to_date", DATE),
    ("to_dict", BY_KEY),
    ("to_duration", LENGTHS),
    ("to_set", SETS),
    ("trunc", WHOLE),
    ("truncate", OF_TEXT),
    ("union", SETS),
    ("until", LATER),
    ("unwrap", UNWRAP),
    ("unwrap_or", OR),
    ("unwrap_or_default", OR),
    ("unwrap_or_else", OR),
    (
        "unzip",
        "`pairs.map((a, _) => a)` and `pairs.map((_, b) => b)`",
    ),
    ("value", PRESENT),
    ("value_or", OR),
    ("without", SETS),
    ("wrap", OF_TEXT),
    ("xor", BITS),
    ("charAt", CHARACTER),
    ("char_at", CHARACTER),
    ("at", CHARACTER),
    ("charCodeAt", CODE_POINTS),
    ("char_code_at", CODE_POINTS),
    ("codePointAt", CODE_POINTS),
    ("code_point", CODE_POINTS),
    ("code_points", CODE_POINTS),
    ("ord", CODE_POINTS),
    ("chr", CODE_POINTS),
    ("codePoint", CODE_POINTS),
    ("takeLast", LAST),
    ("takeRight", LAST),
    ("take_last", LAST),
    ("take_right", LAST),
    ("dropLast", WITHOUT_LAST),
    ("dropRight", WITHOUT_LAST),
    ("drop_last", WITHOUT_LAST),
    ("drop_right", WITHOUT_LAST),
    ("findLast", FROM_END),
    ("findLastIndex", FROM_END),
    ("find_last", FROM_END),
    ("find_last_index", FROM_END),
    ("foldRight", FROM_END),
    ("fold_right", FROM_END),
    ("foldr", FROM_END),
    ("reduceRight", FROM_END),
    ("reduce_right", FROM_END),
    ("rfold", FROM_END),
    (
        "substr",
        "`s.slice(i, i + n)` takes the end of the part, not its length",
    ),
    ("replaceFirst", FIRST_ONLY),
    ("replace_first", FIRST_ONLY),
    ("replacen", FIRST_ONLY),
    (
        "json",
        "`json.parse(text) as Order` of `std/json` reads JSON, and `value.to_json()` makes it",
    ),
    (
        "splice",
        "`xs.take(i) + xs.drop(i + n)` leaves out `n` elements at `i`, and `xs.slice(i, i + n)` has just these",
    ),
    ("sqr", "the square is `x * x`, the square root `x.sqrt()`"),
    ("floorMod", REMAINDER),
    ("floor_mod", REMAINDER),
    ("tail", FIRST),
    ("orElse", OR),
    ("removePrefix", STRIPPED),
    ("removeSuffix", STRIPPED),
    ("remove_prefix", STRIPPED),
    ("remove_suffix", STRIPPED),
    ("removeprefix", STRIPPED),
    ("removesuffix", STRIPPED),
    ("trim_prefix", STRIPPED),
    ("trim_suffix", STRIPPED),
    ("trimPrefix", STRIPPED),
    ("trimSuffix", STRIPPED),
    (
        "round_to",
        "to round to two decimal places, write `(x * 100.0).round() / 100.0`, or `x.fixed(2)` for a string",
    ),
    ("parallel_map", AT_ONCE),
    ("parallelMap", AT_ONCE),
    ("par_map", AT_ONCE),
    ("pmap", AT_ONCE),
    ("async_map", AT_ONCE),
    ("amap", AT_ONCE),
    ("map_async", AT_ONCE),
    ("map_parallel", AT_ONCE),
    ("par_iter", AT_ONCE),
    (
        "zfill",
        "to pad it with zeros, write `s.pad_start(n, \"0\")`",
    ),
];

/// What is written instead of methods that lists have and texts do not.
pub(super) const OF_TEXTS: &[(&str, &str)] = &[
    (
        "find",
        "`s.index_of(part)` is the index of a substring, or `none`",
    ),
    (
        "first",
        "`s.slice(0, 1)` is the first character of a text, or `\"\"`",
    ),
    (
        "last",
        "`s.slice(s.len() - 1)` is the last character of a text, or `\"\"`",
    ),
    (
        "take",
        "`s.slice(0, n)` has the first `n` characters of a text",
    ),
];
