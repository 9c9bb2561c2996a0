; The outline: declarations with their docs, and who calls what.

(function name: (identifier) @name) @definition.function
(workflow name: (identifier) @name) @definition.function
(tool name: (identifier) @name) @definition.function
(prompt name: (identifier) @name) @definition.function
(human name: (identifier) @name) @definition.function
(external name: (identifier) @name) @definition.function
(agent name: (identifier) @name) @definition.constant
(mcp name: (identifier) @name) @definition.constant
(const name: (identifier) @name) @definition.constant
(hook name: (identifier) @name) @definition.constant
(type_record name: (identifier) @name) @definition.class
(type_alias name: (identifier) @name) @definition.type
(enum name: (identifier) @name) @definition.class
(error name: (identifier) @name) @definition.class

(call function: (identifier) @name) @reference.call
(call function: (field name: (identifier) @name)) @reference.call
