; A name in capitals is a constant in a module. Patterns that begin at the module are matched along the whole file, so
; there is one of them only.
((module (expression_statement (assignment left: (identifier) @name) @definition.variable))
 (#set! capitals "constant"))
((if_statement (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))
 (#set! outer-only)
 (#set! capitals "constant"))
((try_statement (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))
 (#set! outer-only)
 (#set! capitals "constant"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))

(type_alias_statement left: (type [
  (identifier) @name
  (generic_type (identifier) @name)
])) @definition.type

(class_definition name: (identifier) @name) @definition.class

(function_definition name: (identifier) @name) @definition.function

(function_definition body: (block . (expression_statement (string) @docstring)))
(class_definition body: (block . (expression_statement (string) @docstring)))

(comment) @comment
(decorator) @attached

(call
  function: [
    (identifier) @name
    (attribute attribute: (identifier) @name)
  ]) @reference.call

(decorator [
  (identifier) @name
  (attribute attribute: (identifier) @name)
]) @reference.call

(class_definition
  superclasses: (argument_list [
    (identifier) @name
    (attribute attribute: (identifier) @name)
    (subscript value: (identifier) @name)
  ])) @reference.base

(type (identifier) @name) @reference.type
(type (attribute attribute: (identifier) @name)) @reference.type
(type (generic_type (identifier) @name)) @reference.type
