; Shared by JavaScript and TypeScript. A class's name is an identifier in one grammar and a type in the other.
(class_declaration name: (_) @name) @definition.class
(class name: (_) @name) @definition.class

[
  (function_declaration name: (identifier) @name)
  (generator_function_declaration name: (identifier) @name)
] @definition.function

(method_definition name: (_) @name) @definition.method

; A function or class held by a name.
(lexical_declaration
  kind: _ @keyword
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)] @value) @definition.function)
(variable_declaration
  "var" @keyword
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)] @value) @definition.function)
(lexical_declaration
  kind: _ @keyword
  (variable_declarator name: (identifier) @name value: (class) @value) @definition.class)

(pair
  key: (property_identifier) @name
  value: [(arrow_function) (function_expression)] @value) @definition.function

(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)] @value) @definition.function

; Other names of the file itself.
(program (lexical_declaration "const" @keyword (variable_declarator name: (identifier) @name) @definition.constant))
(program (lexical_declaration "let" @keyword (variable_declarator name: (identifier) @name) @definition.variable))
(program (variable_declaration "var" @keyword (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement
  (lexical_declaration "const" @keyword (variable_declarator name: (identifier) @name) @definition.constant))
(export_statement
  (lexical_declaration "let" @keyword (variable_declarator name: (identifier) @name) @definition.variable))

(comment) @comment
(decorator) @attached

(call_expression
  function: [
    (identifier) @name
    (member_expression property: (property_identifier) @name)
  ]) @reference.call

(new_expression
  constructor: [
    (identifier) @name
    (member_expression property: (property_identifier) @name)
  ]) @reference.class
