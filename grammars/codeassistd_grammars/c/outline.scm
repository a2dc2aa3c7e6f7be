(preproc_include) @outline.whole
(preproc_def value: (_)) @outline.whole
(preproc_function_def) @outline.whole

(function_definition) @outline.elided
; Those of a function are hidden with its body.
(declaration) @outline.whole

(type_definition
  type: [
    (struct_specifier body: (_) @body)
    (union_specifier body: (_) @body)
    (enum_specifier body: (_) @body)
  ]
  declarator: (_) @tail) @outline.elided
(type_definition) @outline.whole

[
  (struct_specifier body: (_))
  (union_specifier body: (_))
  (enum_specifier body: (_))
] @outline.open
(enumerator) @outline.whole
(field_declaration) @outline.whole
