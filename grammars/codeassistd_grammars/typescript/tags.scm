(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(enum_body name: (property_identifier) @name @definition.constant)
(enum_body (enum_assignment name: (property_identifier) @name) @definition.constant)
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module

(function_signature name: (identifier) @name) @definition.function
(method_signature name: (_) @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method

(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression)] @value) @definition.method
(public_field_definition name: (_) @name) @definition.field
(interface_body (property_signature name: (_) @name) @definition.field)

(ambient_declaration
  (lexical_declaration kind: _ @keyword (variable_declarator name: (identifier) @name) @definition.constant))

(extends_clause value: [
  (identifier) @name
  (member_expression property: (property_identifier) @name)
]) @reference.base
(implements_clause [
  (type_identifier) @name
  (generic_type name: (type_identifier) @name)
]) @reference.base
(extends_type_clause [
  (type_identifier) @name
  (generic_type name: (type_identifier) @name)
]) @reference.base
(type_identifier) @name @reference.type
