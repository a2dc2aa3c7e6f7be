(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant

(line_comment) @comment
(block_comment) @comment
(marker_annotation) @attached
(annotation) @attached

(method_invocation name: (identifier) @name) @reference.call
(object_creation_expression type: [
  (type_identifier) @name
  (generic_type (type_identifier) @name)
]) @reference.class
(superclass [
  (type_identifier) @name
  (generic_type (type_identifier) @name)
]) @reference.base
(super_interfaces (type_list [
  (type_identifier) @name
  (generic_type (type_identifier) @name)
])) @reference.base
(extends_interfaces (type_list [
  (type_identifier) @name
  (generic_type (type_identifier) @name)
])) @reference.base
(method_reference (identifier) @name .) @reference.call
(type_identifier) @name @reference.type
