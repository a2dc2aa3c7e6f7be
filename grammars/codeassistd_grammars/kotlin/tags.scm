(class_declaration "interface" name: (identifier) @name (class_body) @body) @definition.interface
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration name: (identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration name: (identifier) @name (class_body) @body) @definition.class
(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name (class_body) @body) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(enum_entry (identifier) @name (class_body) @body) @definition.constant
(enum_entry (identifier) @name) @definition.constant
(type_alias type: (identifier) @name) @definition.type

; A function for another type is found as that type's.
(function_declaration (user_type (identifier) @owner) . "." . name: (identifier) @name (function_body) @body)
  @definition.function
(function_declaration name: (identifier) @name (function_body) @body) @definition.function
(function_declaration name: (identifier) @name) @definition.function

(class_parameter ["val" "var"] (identifier) @name) @definition.field
(class_body (property_declaration (variable_declaration (identifier) @name) (getter) @body) @definition.field)
(class_body (property_declaration (variable_declaration (identifier) @name)) @definition.field)
(enum_class_body (property_declaration (variable_declaration (identifier) @name)) @definition.field)
(source_file (property_declaration (variable_declaration (identifier) @name) (getter) @body) @definition.variable)
(source_file (property_declaration (variable_declaration (identifier) @name)) @definition.variable)

(line_comment) @comment
(block_comment) @comment
(annotation) @attached

(delegation_specifier [
  (user_type (identifier) @name)
  (constructor_invocation (user_type (identifier) @name))
]) @reference.base

(call_expression . (identifier) @name) @reference.call
(call_expression . (navigation_expression (identifier) @name .)) @reference.call
(user_type (identifier) @name) @reference.type
