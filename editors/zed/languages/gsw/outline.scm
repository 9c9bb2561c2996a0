; The outline of a file.

(function "fn" @context receiver: (identifier)? @context name: (identifier) @name) @item
(workflow "workflow" @context name: (identifier) @name) @item
(tool "tool" @context name: (identifier) @name) @item
(prompt "prompt" @context name: (identifier) @name) @item
(human "human" @context name: (identifier) @name) @item
(external "external" @context name: (identifier) @name) @item
(agent "agent" @context name: (identifier) @name) @item
(mcp "mcp" @context name: (identifier) @name) @item
(hook "hook" @context name: (identifier) @name) @item
(const "const" @context name: (identifier) @name) @item
(type_record "type" @context name: (identifier) @name) @item
(type_alias "type" @context name: (identifier) @name) @item
(enum "enum" @context name: (identifier) @name) @item
(variant name: (identifier) @name) @item
(error "error" @context name: (identifier) @name) @item
(test "test" @context name: (string) @name) @item
(step "step" @context name: (string) @name) @item
