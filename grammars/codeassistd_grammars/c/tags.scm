; Shared by C and C++. A declarator wraps its name in stars, brackets and parameters to any depth; `@declarator` is
; unwrapped by `codeassistd.syntax.declarator`, which also tells a function from a variable.
(function_definition declarator: (_) @declarator) @definition.function

; Inside a function a prototype has the shape of a C++ variable with arguments, and a variable is local.
((declaration declarator: (_) @declarator) @definition.variable
 (#set! outer-only)
 (#set! callable "function"))

((field_declaration declarator: (_) @declarator) @definition.field
 (#set! callable "method"))

[
  (struct_specifier name: (type_identifier) @name body: (_))
  (union_specifier name: (type_identifier) @name body: (_))
] @definition.class
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant

; A type that has its name behind its body. What is inside belongs to the name before the body, if there is one.
((type_definition
   type: [
     (struct_specifier name: (_) body: (_) @body)
     (union_specifier name: (_) body: (_) @body)
   ]
   declarator: (_) @declarator) @definition.class
 (#set! no-owner))
(type_definition
  type: [
    (struct_specifier !name body: (_) @body)
    (union_specifier !name body: (_) @body)
  ]
  declarator: (_) @declarator) @definition.class
(type_definition type: (enum_specifier body: (_) @body) declarator: (_) @declarator) @definition.enum
(type_definition declarator: (_) @declarator) @definition.type

; Without a value it is a guard or a flag.
(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

(comment) @comment

(call_expression
  function: [
    (identifier) @name
    (field_expression field: (field_identifier) @name)
  ]) @reference.call
(type_identifier) @name @reference.type
