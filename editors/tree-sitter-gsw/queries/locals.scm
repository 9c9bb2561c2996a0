; Scopes, and the names that they define and use.

[
  (function) (workflow) (tool) (prompt) (human) (hook_handler) (test) (block) (arm) (bare_arm) (lambda) (for) (parallel_for)
] @local.scope

(function name: (identifier) @local.definition.function)
(workflow name: (identifier) @local.definition.function)
(tool name: (identifier) @local.definition.function)
(prompt name: (identifier) @local.definition.function)
(human name: (identifier) @local.definition.function)
(const name: (identifier) @local.definition.constant)
(type_record name: (identifier) @local.definition.type)
(type_alias name: (identifier) @local.definition.type)
(enum name: (identifier) @local.definition.type)
(error name: (identifier) @local.definition.type)
(parameter name: (identifier) @local.definition.parameter)
(lambda_parameter (identifier) @local.definition.parameter)
(lambda_parameters . (identifier) @local.definition.parameter)
(state name: (identifier) @local.definition.var)
(let . (identifier) @local.definition.var)
(var . (identifier) @local.definition.var)
(for . (identifier) @local.definition.var)
(parallel_for . (identifier) @local.definition.var)
(let (tuple_pattern (identifier) @local.definition.var))
(for (tuple_pattern (identifier) @local.definition.var))
(parallel_for (tuple_pattern (identifier) @local.definition.var))
(variant_pattern (pattern_fields (identifier) @local.definition.var))
(pattern_field (identifier) @local.definition.var .)
(short_field) @local.definition.var

(identifier) @local.reference
