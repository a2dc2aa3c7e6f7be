(import_statement) @outline.whole

(class_declaration) @outline.open
[
  (function_declaration)
  (generator_function_declaration)
  (method_definition)
] @outline.elided

; A function held by a name.
(lexical_declaration
  kind: _ @keyword
  (variable_declarator value: [(arrow_function) (function_expression) (generator_function)] @value) @outline.elided)
(variable_declaration
  "var" @keyword
  (variable_declarator value: [(arrow_function) (function_expression) (generator_function)] @value) @outline.elided)
(expression_statement
  (assignment_expression
    left: (member_expression)
    right: [(arrow_function) (function_expression)] @value)) @outline.elided

(program (lexical_declaration kind: _ @keyword (variable_declarator) @outline.whole))
(program (variable_declaration "var" @keyword (variable_declarator) @outline.whole))
(export_statement (lexical_declaration kind: _ @keyword (variable_declarator) @outline.whole))
