(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @owner
        (pointer_type (type_identifier) @owner)
        (generic_type type: (type_identifier) @owner)
        (pointer_type (generic_type type: (type_identifier) @owner))
      ]))
  name: (field_identifier) @name) @definition.method

(type_declaration "type" @keyword
  (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @definition.class)
(type_declaration "type" @keyword
  (type_spec name: (_) @name type: (interface_type "{" @body)) @definition.interface)
(type_declaration "type" @keyword (type_spec name: (_) @name) @definition.type)
(type_declaration "type" @keyword (type_alias name: (_) @name) @definition.type)

(field_declaration name: (field_identifier) @name) @definition.field
(method_elem name: (field_identifier) @name) @definition.method

(source_file (const_declaration "const" @keyword (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration "var" @keyword (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration "var" @keyword (var_spec_list (var_spec name: (identifier) @name) @definition.variable)))

; What is embedded lends its methods.
(field_declaration !name type: [
  (type_identifier) @name
  (qualified_type name: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)
]) @reference.base

(comment) @comment

(call_expression
  function: [
    (identifier) @name
    (selector_expression field: (field_identifier) @name)
    (parenthesized_expression (identifier) @name)
  ]) @reference.call
(type_identifier) @name @reference.type
