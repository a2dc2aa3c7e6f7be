(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression)] @value) @definition.method
(field_definition property: (_) @name) @definition.field

(class_heritage [
  (identifier) @name
  (member_expression property: (property_identifier) @name)
]) @reference.base
