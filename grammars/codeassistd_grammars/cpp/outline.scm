(class_specifier body: (_)) @outline.open
(namespace_definition) @outline.open
(alias_declaration) @outline.whole
(concept_definition) @outline.whole
(function_definition (field_initializer_list) @body) @outline.elided
