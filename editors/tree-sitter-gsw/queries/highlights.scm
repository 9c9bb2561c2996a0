; What is coloured how. Later patterns win over earlier ones.

(identifier) @variable
((identifier) @type (#match? @type "^_*[A-Z]"))
((identifier) @constant (#match? @constant "^[A-Z][A-Z0-9_]+$"))
(self) @variable.builtin
(wildcard) @variable.builtin

; Literals

(string) @string
(raw_string) @string
(escape_sequence) @string.escape
(interpolation "${" @punctuation.special "}" @punctuation.special)
[(integer) (float) (duration)] @number
[(true) (false)] @boolean
(none) @constant.builtin

; Comments

(comment) @comment
(doc_comment) @comment.documentation
(module_doc) @comment.documentation

; Declarations

(function name: (identifier) @function)
(function receiver: (identifier) @type)
(workflow name: (identifier) @function)
(tool name: (identifier) @function)
(prompt name: (identifier) @function)
(human name: (identifier) @function)
(external name: (identifier) @function)
(hook_handler name: (identifier) @function)
(agent name: (identifier) @constant)
(mcp name: (identifier) @constant)
(hook name: (identifier) @constant)
(skill name: (identifier) @constant)
(const name: (identifier) @constant)
(type_record name: (identifier) @type)
(type_alias name: (identifier) @type)
(enum name: (identifier) @type)
(error name: (identifier) @type)
(variant name: (identifier) @constructor)
(generics (identifier) @type)
(attribute "@" @attribute name: (identifier) @attribute)
(was "@" @attribute "was" @attribute)
(import_path) @module
(imported_name alias: (identifier) @variable)

; Parameters, fields and settings

(parameter name: (identifier) @variable.parameter)
(lambda_parameter (identifier) @variable.parameter)
(lambda_parameters . (identifier) @variable.parameter)
(named_argument name: (identifier) @variable.parameter)
(field_declaration name: (identifier) @property)
(field name: (identifier) @property)
(record_field name: (identifier) @property)
(pattern_field name: (identifier) @property)
(short_field) @property
(setting_name) @property

; Calls

(call function: (identifier) @function.call)
(call function: (field name: (identifier) @function.method.call))
(call
  function: (identifier) @constructor
  (#match? @constructor "^_*[A-Z]"))

; Types

(type_path) @type
(type_path (identifier) @type)
((type_path) @type.builtin
  (#match? @type.builtin "^(bool|bytes|duration|float|image|int|json|path|string|time)$"))
(effect) @attribute
(errors (identifier) @constant)

; Words

[
  "agent" "const" "enum" "error" "external" "fn" "hook" "human" "mcp" "permissions" "prompt" "skill" "test" "tool" "type"
  "workflow"
] @keyword
["import" "as"] @keyword.import
(conversion "as" @keyword.operator)
["let" "var" "state" "defer" "where" "with" "by" "uses" "assert" "fails" "mock" "then" "call" "answer"] @keyword
["private" "pure" "reads" "once" "idempotent" "trusted"] @keyword.modifier
["if" "else" "match"] @keyword.conditional
["for" "while" "in" "break" "continue" "do"] @keyword.repeat
(break) @keyword.repeat
(continue) @keyword.repeat
["return" "emit"] @keyword.return
["catch" "fail"] @keyword.exception
["await" "spawn" "detached" "race" "parallel"] @keyword.coroutine
["step" "undo" "reflect" "revise" "example" "pass" "repeat" "cassette"] @keyword
["timeout" "retry" "backoff" "max" "limit" "errors" "budget" "until"] @keyword.modifier
(role) @keyword
["and" "or" "not" "in"] @keyword.operator

; Marks

[
  "=" "+=" "-=" "*=" "/=" "%=" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "??" "?" ".." "..=" "|" "!" "->" "=>"
] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "." "?."] @punctuation.delimiter
