/**
 * @file The grammar of Groundswell for tree-sitter: the productions of docs/reference/grammar.md.
 *
 * What the compiler decides by looking ahead – whether a word such as `step` means something, whether `{` opens a record –
 * the scanner decides too: it puts an empty mark before it. An expression exists in two modes: in a
 * head `{` opens the body; a guard is a head in which the scanner allows records and maps.
 */
/// <reference types="tree-sitter-cli/dsl" />

const FULL = "";
const HEAD = "_head";
const SIMPLE = "_simple";

/** The reserved words that an expression may start with: elsewhere the lexer takes a reserved word for a name by itself. */
const RESERVED_STARTS = [
  "await", "break", "continue", "do", "fail", "false", "for", "if", "match", "none", "not", "race", "return",
  "self", "spawn", "true", "while",
];

/** Operators by how they bind, the tightest first. */
const TIGHT = ["postfix", "prefix", "conversion", "product", "sum", "range", "otherwise", "comparison"];
const OPERATORS = [...TIGHT, "not", "and", "or"];

const commas = (rule) => optional(seq(rule, repeat(seq(",", rule)), optional(",")));

/** Elements between commas or line breaks. */
const entries = ($, rule) => {
  const separator = choice(",", $._newline);
  return optional(seq(rule, repeat(seq(separator, rule)), optional(separator)));
};

/** Entries that may stand beside each other with nothing between them, where the scanner sees a line break then. */
const separated = ($, rule) => {
  const separator = choice(",", repeat1(";"), $._newline);
  return optional(seq(rule, repeat(seq(separator, rule)), optional(separator)));
};

/** The rules that a mode has of its own; outside of it they have their names without the mode. */
function expressions(mode) {
  const own = ($, name) => (mode === FULL ? $[name] : alias($[name + mode], $[name]));
  const expression = ($) => $["_expression" + mode];
  const chain = ($) => $["_chain" + mode];
  const rules = {};
  const visible = [];

  const define = (name, rule) => {
    rules[name + mode] = rule;
    visible.push(name);
  };
  const binary = ($, ...operators) =>
    seq(field("left", expression($)), field("operator", choice(...operators)), field("right", expression($)));

  define("binary", ($) =>
    choice(
      prec.left("or", binary($, "or")),
      prec.left("and", binary($, "and")),
      prec.left("comparison", binary($, "==", "!=", "<", "<=", ">", ">=", "in", alias($._not_in, "not in"))),
      prec.right("otherwise", binary($, "??")),
      prec.left("range", binary($, "..", "..=")),
      prec.left("sum", binary($, "+", "-")),
      prec.left("product", binary($, "*", "/", "%")),
    ));
  define("unary", ($) =>
    choice(
      prec("prefix", seq(field("operator", choice("-", "await")), expression($))),
      prec("not", seq(field("operator", "not"), expression($))),
    ));
  define("conversion", ($) =>
    prec("conversion", seq(expression($), "as", optional("?"), $._conversion_type)));
  define("catch", ($) =>
    prec.left("catch", seq(expression($), "catch", choice($.arms, own($, "bare_arm")))));
  rules["bare_arm" + mode] = ($) =>
    prec("arm", seq($._pattern, $._arrow, choice($.block, expression($), own($, "assignment"))));
  rules["assignment" + mode] = ($) =>
    prec("assign", seq(
      field("left", expression($)),
      field("operator", choice("=", "+=", "-=", "*=", "/=", "%=")),
      field("right", expression($)),
    ));
  rules["block_catch" + mode] = ($) =>
    prec.left("catch", seq(choice($.block, own2($, mode, "block_catch", "catch")), "catch", choice($.arms, own($, "bare_arm"))));
  rules["_body" + mode] = ($) =>
    prec.right("open", choice($.block, own2($, mode, "block_catch", "catch"), expression($), own($, "assignment"), $._asked_text));
  define("race", ($) =>
    prec.right("prefix", seq("race", expression($), optional(seq("errors", $.identifier)))));
  define("open", ($) => prec.right("open", choice(
    seq("return", optional(expression($))),
    seq("fail", expression($)),
    seq($._contextual, "emit", expression($)),
    seq("spawn", $.block),
    seq("spawn", expression($)),
    seq("spawn", $._contextual, "detached", expression($)),
  )));
  define("text", ($) => prec.right("open", seq($._contextual, field("role", $.role), expression($))));
  define("lambda", ($) => prec.right("open", seq(
    mode === FULL ? $._lambda_mark : $._head_lambda_mark,
    $.lambda_parameters,
    "=>",
    field("body", $["_body" + mode]),
  )));
  if (mode === HEAD) {
    define("let_condition", ($) => prec("let", seq("let", $._pattern, "=", expression($))));
  }
  rules["_expression" + mode] = ($) =>
    choice(...visible.map((name) => own($, name)), $.revise, $.reflect, chain($));
  Object.assign(rules, chains(mode));
  return rules;
}

/** `name` of a mode under another name. */
const own2 = ($, mode, name, shown) => alias($[name + mode], $[shown]);

/** Operands with fields, calls and indices. */
function chains(mode) {
  const own = ($, name) => (mode === FULL ? $[name] : alias($[name + mode], $[name]));
  const chain = ($) => $["_chain" + mode];
  const called = ["call", "by", "with"];
  const links = mode === SIMPLE ? ["field", "all_of", "index", "call"] : ["field", "all_of", "index", ...called];
  const rules = {
    ["field" + mode]: ($) =>
      prec("postfix", seq(chain($), field("operator", choice(".", "?.")), field("name", choice($.identifier, $.integer)))),
    ["all_of" + mode]: ($) => prec("postfix", seq(chain($), ".", "*")),
    ["index" + mode]: ($) => prec("postfix", seq(chain($), "[", $._expression, "]")),
    ["call" + mode]: ($) => prec("postfix", seq(field("function", chain($)), $.arguments)),
    ["_chain" + mode]: ($) => choice($["_operand" + mode], ...links.map((name) => own($, name))),
    ["_operand" + mode]: ($) => choice(
      $.identifier, $.self, $._literal, $.string, $.parenthesized, $.unit,
      ...(mode === SIMPLE ? [] : [$.tuple, $.list, $._keyword_expression]),
      ...(mode === FULL ? [$.map, $.record] : []),
      ...(mode === HEAD ? [seq($._guard_record, choice($.map, alias($.record_literal, $.record)))] : []),
    ),
  };
  if (mode !== SIMPLE) {
    const callee = ($) => choice(...called.map((name) => own($, name)));
    rules["by" + mode] = ($) => prec.right("postfix", seq(callee($), "by", $._chain_simple));
    rules["with" + mode] = ($) => prec("postfix", seq(callee($), $._with_mark, "with", $.settings));
  }
  return rules;
}

module.exports = grammar({
  name: "gsw",

  word: ($) => $.identifier,

  extras: ($) => [/[\s\uFEFF]/, $.comment, $.doc_comment, $.module_doc],

  externals: ($) => [
    $._newline,
    $._contextual,
    $._modified_mark,
    $._statement_text,
    $._prompt_line,
    $._example_mark,
    $._setting_mark,
    $._settings_mark,
    $._record_mark,
    $._lambda_mark,
    $._head_lambda_mark,
    $._mock_agent_mark,
    $._with_mark,
    $._guard_record,
    $._guard_begin,
    $._guard_end,
    $._prompt_begin,
    $._prompt_end,
    $._line_content,
    $._block_content,
    $.raw_string,
    $._error_sentinel,
  ],

  precedences: () => [
    [...OPERATORS, "catch", "assign", "open"],
    // A `let` in a condition ends before `and`, but what it matches may be guarded by a `catch`.
    [...TIGHT, "let", "and", "or"],
    ["catch", "let", "open"],
    // An arm without braces ends before a `catch`, but may assign.
    [...OPERATORS, "arm", "catch"],
    ["assign", "arm", "open"],
  ],

  supertypes: () => [],

  rules: {
    source_file: ($) => repeat($.item),

    // Declarations.

    item: ($) => seq(repeat($.attribute), optional("private"), $._declaration, repeat(";")),
    _declaration: ($) => choice(
      $.import, $.function, $.type_alias, $.type_record, $.enum, $.error, $.const, $.agent, $.prompt, $.workflow, $.tool,
      $.mcp, $.hook, $.human, $.external, $.skill, $.test, $.permissions,
    ),
    attribute: ($) => seq("@", field("name", $.identifier), optional(seq("(", commas($._expression), ")"))),

    import: ($) => seq(
      "import",
      field("path", $.import_path),
      optional(choice(
        seq("as", field("alias", $.identifier)),
        seq(".", $.imported_names),
      )),
    ),
    import_path: () => token(seq(repeat(/\.\.?\//), /[A-Za-z_]\w*/, repeat(/[\/-][A-Za-z_]\w*/))),
    imported_names: ($) => seq("{", entries($, $.imported_name), "}"),
    imported_name: ($) => seq(field("name", $.identifier), optional(seq("as", field("alias", $.identifier)))),

    function: ($) => seq(
      "fn",
      optional(seq(field("receiver", $.identifier), ".")),
      $._signature,
      optional(field("body", $.block)),
    ),
    workflow: ($) => seq("workflow", $._signature, field("body", $.block)),
    tool: ($) => seq("tool", $._signature, optional(field("body", $.block))),
    external: ($) => seq("external", $._signature),
    prompt: ($) => seq("prompt", $._signature, field("body", $.prompt_body)),
    human: ($) => seq("human", $._signature, field("body", $.prompt_body)),
    agent: ($) => seq("agent", field("name", $.identifier), $.settings),
    permissions: ($) => seq("permissions", $.settings),
    mcp: ($) => seq("mcp", field("name", $.identifier), "=", $._expression),
    const: ($) => seq("const", field("name", $.identifier), optional(seq(":", $._type)), "=", $._expression),
    hook: ($) => seq(
      "hook",
      field("name", $.identifier),
      "{",
      repeat(seq($.hook_handler, optional(choice(",", $._newline)))),
      "}",
    ),
    hook_handler: ($) => seq(field("name", $.identifier), $.parameters, field("body", $.block)),
    skill: ($) => seq("skill", field("name", $.identifier), optional($.skill_body)),
    skill_body: ($) => seq("{", repeat(choice($.skill_body, $.string, $._skill_token)), "}"),
    _skill_token: () => /[^{}"\s]+/,
    test: ($) => seq(
      "test",
      field("name", $.string),
      optional($.test_rows),
      repeat($.test_clause),
      field("body", $.block),
    ),
    test_rows: ($) => seq("for", $._pattern, "in", $._expression_head),
    test_clause: ($) => choice(seq("pass", $._literal), seq("repeat", $._literal), seq("cassette", $.string)),

    type_alias: ($) => seq(
      "type",
      field("name", $.identifier),
      optional($.generics),
      "=",
      $._type,
      optional($.check),
    ),
    type_record: ($) => seq(
      "type",
      field("name", $.identifier),
      optional($.generics),
      "{",
      entries($, $.field_declaration),
      "}",
    ),
    check: ($) => seq("where", $._expression),
    field_declaration: ($) => seq(
      repeat($.attribute),
      field("name", $.identifier),
      ":",
      $._type,
      optional($.default),
      optional($.check),
    ),
    default: ($) => seq("=", $._expression),
    enum: ($) => seq(
      "enum",
      field("name", $.identifier),
      optional($.generics),
      "{",
      entries($, $.variant),
      "}",
    ),
    variant: ($) => seq(repeat($.attribute), field("name", $.identifier), optional($.parameters)),
    error: ($) => seq("error", field("name", $.identifier), optional($.parameters)),

    // Heads.

    generics: ($) => seq("<", commas($.identifier), ">"),
    parameters: ($) => seq("(", commas($.parameter), ")"),
    parameter: ($) => seq(
      repeat($.attribute),
      field("name", $.identifier),
      optional(seq(":", $._type, optional("trusted"))),
      optional($.default),
    ),
    _signature: ($) => seq(
      field("name", $.identifier),
      optional($.generics),
      $.parameters,
      optional(field("result", $.result)),
      optional($.throws),
      optional($.repeat_class),
      optional($.asked),
      repeat($._modifier),
    ),
    result: ($) => seq("->", $._type, optional("trusted")),
    // Of a function's type, which trusts nothing: the word belongs to the signature around it.
    _plain_result: ($) => seq("->", $._type),
    asked: ($) => seq("by", $._chain_simple),
    repeat_class: ($) => choice("pure", "reads", "once", seq("idempotent", "by", $._chain_simple)),

    _modifier: ($) => choice($.timeout, $.retry, $.reflect_modifier, $.budget, $.limit, $.errors),
    timeout: ($) => seq("timeout", $._expression_head),
    limit: ($) => seq("limit", $._expression_head),
    errors: ($) => seq("errors", $.identifier),
    budget: ($) => seq("budget", $.arguments),
    retry: ($) => prec.right(seq("retry", $._expression_head, repeat(choice($.backoff, $.max)))),
    backoff: ($) => seq("backoff", $._expression_head),
    max: ($) => seq("max", $._expression_head),
    reflect_modifier: ($) => seq("reflect", $._expression_head, optional(seq("with", $._expression_head))),

    // Settings and prompts.

    settings: ($) => seq("{", separated($, $.setting), "}"),
    setting: ($) => prec("open", seq(
      field("name", $.setting_name),
      ":",
      choice(seq($._settings_mark, $.settings), $._expression),
    )),
    setting_name: ($) => seq($.identifier, repeat(seq(".", $.identifier))),
    prompt_body: ($) => seq(
      "{",
      $._prompt_begin,
      separated($, choice($._prompt_entry, $._statement)),
      "}",
      $._prompt_end,
    ),
    _prompt_entry: ($) => choice(
      seq($._prompt_line, alias($.prompt_line, $.text)),
      seq($._example_mark, $.example),
      seq($._setting_mark, $.setting),
    ),
    prompt_line: ($) => prec("open", seq(field("role", $.role), $._expression)),
    role: () => choice("system", "user", "assistant"),
    example: ($) => prec("open", seq("example", $.arguments, "->", $._expression)),

    // Statements.

    block: ($) => prec(1, seq(
      "{",
      repeat(";"),
      optional(seq($._statement, repeat(seq($._separator, $._statement)), optional($._separator))),
      "}",
    )),
    _separator: ($) => choice($._newline, repeat1(";")),
    _statement: ($) => choice(
      $.let, $.var, $.state, $.defer, $.assert, $.mock, $.mock_agent,
      $._asked_text,
      $._expression,
      $.assignment,
    ),
    _asked_text: ($) => seq($._statement_text, alias($.prompt_line, $.text)),
    let: ($) => seq("let", $._pattern, optional(seq(":", $._type)), "=", $._expression, optional(seq("else", $.block))),
    var: ($) => seq("var", $._pattern, optional(seq(":", $._type)), "=", $._expression),
    state: ($) => seq($._contextual, "state", field("name", $.identifier), ":", $._type, "=", $._expression),
    defer: ($) => seq("defer", $.block),
    assert: ($) => prec.right(seq(
      "assert",
      $._expression,
      optional(seq("fails", field("fails", $._pattern))),
      optional(seq(",", field("message", $._expression))),
    )),
    mock: ($) => seq(
      optional(seq("let", field("calls", $._pattern), "=")),
      $._contextual,
      "mock",
      $.mocked_path,
      $.pattern_fields,
      "->",
      $._expression,
      repeat(seq("then", $._expression)),
    ),
    mocked_path: ($) => seq($.identifier, repeat(seq(".", $.identifier))),
    mock_agent: ($) => seq(
      $._mock_agent_mark,
      "mock",
      "agent",
      $.mocked_path,
      "{",
      repeat(";"),
      repeat(seq($.script_turn, optional($._separator))),
      "}",
    ),
    script_turn: ($) => choice(
      seq("call", $._expression, repeat(seq(",", "call", $._expression))),
      seq("answer", $._expression),
      seq("fail", $._expression),
    ),

    // Expressions.

    ...expressions(FULL),
    ...expressions(HEAD),
    ...chains(SIMPLE),

    self: () => "self",
    list: ($) => seq("[", commas($._expression), "]"),
    unit: () => seq("(", ")"),
    parenthesized: ($) => seq("(", $._expression, optional(","), ")"),
    tuple: ($) => seq("(", $._expression, repeat1(seq(",", $._expression)), optional(","), ")"),
    map: ($) => seq("{", entries($, $.map_entry), "}"),
    map_entry: ($) => seq(field("key", $._expression), ":", field("value", $._expression)),
    record: ($) => seq($._record_mark, $._record_literal),
    record_literal: ($) => $._record_literal,
    _record_literal: ($) => seq(
      field("type", $.record_path),
      "{",
      entries($, choice($.record_field, $.record_base)),
      "}",
    ),
    record_path: ($) => seq($.identifier, optional(seq(".", $.identifier))),
    record_field: ($) => seq(field("name", $.identifier), optional(seq(":", $._expression))),
    record_base: ($) => seq("..", $._expression),
    arguments: ($) => seq("(", commas($._argument), ")"),
    _argument: ($) => choice($._expression, $.named_argument),
    named_argument: ($) => seq(field("name", $._any_word), ":", $._expression),
    _any_word: ($) => choice($.identifier, ...RESERVED_STARTS.map((word) => alias(word, $.identifier))),
    lambda_parameters: ($) => choice($.identifier, $.wildcard, seq("(", commas($.lambda_parameter), ")")),
    lambda_parameter: ($) => seq(choice($.identifier, $.wildcard, $.tuple_pattern), optional(seq(":", $._type))),

    _keyword_expression: ($) => choice(
      $.do, $.if, $.match, $.for, $.while, $.step, $.undo, $.parallel_for, $.parallel, $.modified, $.break, $.continue,
    ),
    break: () => "break",
    continue: () => "continue",
    do: ($) => seq("do", $.block),
    if: ($) => prec.right(seq("if", field("condition", $._expression_head), $.block, optional(seq("else", choice($.if, $.block))))),
    match: ($) => seq("match", field("value", $._expression_head), $.arms),
    arms: ($) => seq("{", entries($, $.arm), "}"),
    arm: ($) => seq($._pattern, $._arrow, field("body", $._body)),
    guard: ($) => seq("if", $._guard_begin, $._expression_head),
    _arrow: ($) => choice("=>", seq($.guard, "=>", $._guard_end)),
    for: ($) => seq("for", $._pattern, "in", $._expression_head, $.block),
    while: ($) => seq("while", field("condition", $._expression_head), $.block),
    step: ($) => seq(
      optional($.was),
      $._contextual,
      "step",
      field("name", choice($.string)),
      repeat($._modifier),
      $.block,
    ),
    was: ($) => seq("@", "was", "(", $.string, ")"),
    undo: ($) => seq($._contextual, "undo", repeat($._modifier), $.block),
    parallel_for: ($) => seq(
      $._contextual,
      "parallel",
      "for",
      $._pattern,
      "in",
      $._expression_head,
      repeat($._modifier),
      $.block,
    ),
    _not_in: () => seq("not", "in"),
    parallel: ($) => prec.right(seq(
      $._contextual, "parallel", "(", commas($._expression), ")", optional($.errors),
    )),
    modified: ($) => seq($._modified_mark, repeat1($._modifier), $.block),
    reflect: ($) => prec.right("prefix", seq(
      $._contextual,
      "reflect",
      $._chain_simple,
      optional(seq("with", $.settings)),
      repeat($.reflect_part),
    )),
    reflect_part: ($) => seq(choice("max", "until", "by"), $._chain_simple),
    revise: ($) => prec("prefix", seq($._contextual, "revise", $._chain_head)),

    // Patterns.

    _pattern: ($) => choice($._primary_pattern, $.or_pattern),
    or_pattern: ($) => prec.right(seq($._primary_pattern, repeat1(seq("|", $._primary_pattern)))),
    _primary_pattern: ($) => choice(
      $.wildcard, $.identifier, $.path_pattern, $.variant_pattern, $.record_pattern, $.literal_pattern, $.range_pattern,
      $.tuple_pattern, $.list_pattern,
    ),
    wildcard: () => "_",
    _dotted: ($) => seq($.identifier, repeat1(seq(".", $.identifier))),
    path_pattern: ($) => $._dotted,
    pattern_path: ($) => choice($.identifier, $._dotted),
    variant_pattern: ($) => seq($.pattern_path, $.pattern_fields),
    record_pattern: ($) => seq(
      $.pattern_path,
      "{",
      entries($, choice($.pattern_field, alias($.identifier, $.short_field), $.rest)),
      "}",
    ),
    pattern_fields: ($) => seq("(", commas(choice($.pattern_field, $._pattern, $.rest)), ")"),
    pattern_field: ($) => seq(field("name", $.identifier), ":", $._pattern),
    rest: ($) => seq("..", optional($.identifier)),
    literal_pattern: ($) => choice(seq(optional("-"), $._literal), $.string),
    range_pattern: ($) => seq(
      optional("-"), $._literal, field("operator", choice("..", "..=")), optional("-"), $._literal,
    ),
    tuple_pattern: ($) => seq("(", commas($._pattern), ")"),
    list_pattern: ($) => seq("[", commas(choice($._pattern, $.rest)), "]"),

    // Types.

    _type: ($) => prec.right(choice($._optional_type, $.union_type)),
    union_type: ($) => prec.right(seq($._optional_type, repeat1(seq("|", $._optional_type)))),
    _optional_type: ($) => prec.right(choice($._primary_type, $.optional_type)),
    optional_type: ($) => prec.right(seq($._primary_type, repeat1(choice("?", "??")))),
    _conversion_type: ($) => prec.right(choice($._conversion_member, alias($.conversion_union, $.union_type))),
    conversion_union: ($) => prec.right(seq($._conversion_member, repeat1(seq("|", $._conversion_member)))),
    _conversion_member: ($) => prec.right(choice($._primary_type, alias($.conversion_optional, $.optional_type))),
    conversion_optional: ($) => prec.right(seq($._primary_type, repeat1("?"))),
    _primary_type: ($) => choice(
      $.named_type, $.string, $.list_type, $.map_type, $.tuple_type, $.function_type,
    ),
    named_type: ($) => prec.dynamic(1, prec.right(seq($.type_path, optional($.type_arguments)))),
    type_path: ($) => prec.right(seq($.identifier, repeat(seq(".", $.identifier)))),
    type_arguments: ($) => seq("<", commas($._type), ">"),
    list_type: ($) => seq("[", $._type, "]"),
    map_type: ($) => seq("{", $._type, ":", $._type, "}"),
    tuple_type: ($) => seq("(", commas($._type), ")"),
    function_type: ($) => prec.right(seq(
      "fn", $.parameter_types, optional(alias($._plain_result, $.result)), optional($.throws), optional($.uses),
    )),
    parameter_types: ($) => seq("(", commas($._type), ")"),
    throws: ($) => prec.right(seq("!", $._optional_type, repeat(seq("|", $._optional_type)))),
    uses: ($) => prec.right(seq("uses", $.effect, repeat(seq("+", $.effect)))),
    effect: ($) => prec.right(seq($.identifier, repeat(seq(".", $.identifier)))),

    // Literals.

    _literal: ($) => choice($.integer, $.float, $.duration, $.true, $.false, $.none),
    true: () => "true",
    false: () => "false",
    none: () => "none",
    integer: () => /0[xX][0-9a-fA-F_]+|[0-9][0-9_]*/,
    float: () => /[0-9][0-9_]*(\.[0-9][0-9_]*([eE][+-]?[0-9][0-9_]*)?|[eE][+-]?[0-9][0-9_]*)/,
    duration: () => /([0-9][0-9_]*(ms|s|m|h|d))+/,
    string: ($) => choice(
      seq(
        '"',
        repeat(choice(alias($._line_content, $.string_content), $.escape_sequence, $.interpolation)),
        token.immediate('"'),
      ),
      seq(
        '"""',
        repeat(choice(alias($._block_content, $.string_content), $.escape_sequence, $.interpolation)),
        token.immediate('"""'),
      ),
      $.raw_string,
    ),
    escape_sequence: () => token.immediate(/\\(u\{[0-9a-fA-F]*\}|[^u]|u)/),
    interpolation: ($) => seq(token.immediate("${"), $._expression, "}"),

    identifier: () => /[A-Za-z_][A-Za-z0-9_]*/,
    doc_comment: () => token(prec(1, /\/\/\/([^\/\n][^\n]*)?/)),
    module_doc: () => token(prec(1, /\/\/![^\n]*/)),
    // Four slashes and more are no documentation; which they are is decided before their length is.
    comment: () => token(choice(prec(2, /\/\/\/\/[^\n]*/), /\/\/[^\n]*/)),
  },
});
