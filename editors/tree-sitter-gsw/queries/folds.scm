; What folds.

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
] @fold

(doc_comment)+ @fold
(comment)+ @fold
