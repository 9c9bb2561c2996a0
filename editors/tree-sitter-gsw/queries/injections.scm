; Other languages inside: docs are Markdown, the first argument of `regex` is a regular expression.

((doc_comment) @injection.content
  (#set! injection.language "markdown_inline"))

((module_doc) @injection.content
  (#set! injection.language "markdown_inline"))

((call
  function: [
    (identifier) @_function
    (field name: (identifier) @_function)
  ]
  (arguments . (string (raw_string) @injection.content)))
  (#eq? @_function "regex")
  (#set! injection.language "regex"))
