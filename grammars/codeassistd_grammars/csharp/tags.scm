[
  (class_declaration name: (identifier) @name)
  (struct_declaration name: (identifier) @name)
  (record_declaration name: (identifier) @name)
] @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.constant
(delegate_declaration name: (identifier) @name) @definition.type
(namespace_declaration name: (_) @name) @definition.module

[
  (method_declaration name: (identifier) @name)
  (constructor_declaration name: (identifier) @name)
] @definition.method
(local_function_statement name: (identifier) @name) @definition.function

(property_declaration name: (identifier) @name accessors: (_) @body) @definition.field
(property_declaration name: (identifier) @name value: (_) @body) @definition.field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field

(comment) @comment
(attribute_list) @attached

(base_list [
  (identifier) @name
  (generic_name (identifier) @name)
  (qualified_name name: (identifier) @name)
  (qualified_name name: (generic_name (identifier) @name))
  (primary_constructor_base_type type: (identifier) @name)
  (primary_constructor_base_type type: (generic_name (identifier) @name))
]) @reference.base

(invocation_expression function: [
  (identifier) @name
  (generic_name (identifier) @name)
  (member_access_expression name: (identifier) @name)
  (member_access_expression name: (generic_name (identifier) @name))
  (conditional_access_expression (member_binding_expression name: (identifier) @name))
]) @reference.call
(_ type: (identifier) @name) @reference.type
(_ returns: (identifier) @name) @reference.type
(generic_name (identifier) @name) @reference.type
(type_argument_list (identifier) @name) @reference.type
(attribute name: (identifier) @name) @reference.class
