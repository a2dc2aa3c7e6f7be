; What C++ has beyond C.
(class_specifier name: (_) @name body: (_)) @definition.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.class
(namespace_definition name: (_) @name) @definition.module
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

; The values that a constructor begins with are no part of its head.
(function_definition declarator: (_) @declarator (field_initializer_list) @body) @definition.function

(base_class_clause [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier name: (type_identifier) @name)
  (qualified_identifier name: (template_type name: (type_identifier) @name))
]) @reference.base

(attribute_declaration) @attached
(template_declaration parameters: (_) @attached)

(call_expression
  function: [
    (qualified_identifier name: (identifier) @name)
    (qualified_identifier name: (qualified_identifier name: (identifier) @name))
    (template_function name: (identifier) @name)
    (qualified_identifier name: (template_function name: (identifier) @name))
  ]) @reference.call
