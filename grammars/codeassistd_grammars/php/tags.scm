[
  (class_declaration name: (name) @name)
  (trait_declaration name: (name) @name)
] @definition.class
(interface_declaration name: (name) @name) @definition.interface
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.constant
(method_declaration name: (name) @name) @definition.method
(function_definition name: (name) @name) @definition.function
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(const_declaration (const_element . (name) @name)) @definition.constant
((function_call_expression
   function: (name) @_function
   arguments: (arguments . (argument (string (string_content) @name)))) @definition.constant
 (#eq? @_function "define"))

(comment) @comment
(attribute_list) @attached

[
  (base_clause [(name) @name (qualified_name (name) @name)])
  (class_interface_clause [(name) @name (qualified_name (name) @name)])
  (use_declaration [(name) @name (qualified_name (name) @name)])
] @reference.base

(function_call_expression function: [
  (name) @name
  (qualified_name (name) @name)
]) @reference.call
(member_call_expression name: (name) @name) @reference.call
(nullsafe_member_call_expression name: (name) @name) @reference.call
(scoped_call_expression name: (name) @name) @reference.call
(scoped_call_expression scope: (name) @name) @reference.class
(class_constant_access_expression . (name) @name) @reference.class
(object_creation_expression [(name) @name (qualified_name (name) @name)]) @reference.class
(named_type [(name) @name (qualified_name (name) @name)]) @reference.type
