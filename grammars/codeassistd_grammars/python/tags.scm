; A name in capitals is a constant, in a module or a class; the patterns below would call it a variable.
([
  (module (expression_statement (assignment left: (identifier) @name) @definition.constant))
  (module (if_statement (block (expression_statement (assignment left: (identifier) @name) @definition.constant))))
  (module (try_statement (block (expression_statement (assignment left: (identifier) @name) @definition.constant))))
 ]
 (#match? @name "^_*[A-Z][A-Z0-9_]*$"))

[
  (module (expression_statement (assignment left: (identifier) @name) @definition.variable))
  (module (if_statement (block (expression_statement (assignment left: (identifier) @name) @definition.variable))))
  (module (try_statement (block (expression_statement (assignment left: (identifier) @name) @definition.variable))))
  (class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))
]

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
