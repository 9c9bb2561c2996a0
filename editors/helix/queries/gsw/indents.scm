; How a new line is indented: one level deeper inside of brackets.

[
  (block)
  (arms)
  (prompt_body)
  (settings)
  (parameters)
  (arguments)
  (list)
  (map)
  (record)
  (type_record)
  (enum)
  (hook)
  (mock_agent)
  (imported_names)
  (parenthesized)
  (tuple)
] @indent

["}" "]" ")"] @outdent
