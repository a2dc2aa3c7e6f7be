(abstract_class_declaration) @outline.open
(interface_declaration) @outline.open
(enum_declaration) @outline.open
(internal_module) @outline.open
(module) @outline.open
(type_alias_declaration) @outline.whole
(enum_body (enum_assignment) @outline.whole)
(enum_body (property_identifier) @outline.whole)
(interface_body (property_signature) @outline.whole)
(interface_body (method_signature) @outline.whole)
(class_body (method_signature) @outline.whole)
(abstract_method_signature) @outline.whole
(function_signature) @outline.whole
(public_field_definition value: (arrow_function) @value) @outline.elided
(public_field_definition) @outline.whole
