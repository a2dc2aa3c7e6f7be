(import_declaration) @outline.whole
(class_declaration) @outline.open
(protocol_declaration) @outline.open
(enum_entry) @outline.whole
(typealias_declaration) @outline.whole
(associatedtype_declaration) @outline.whole
(function_declaration) @outline.elided
(init_declaration) @outline.elided
(protocol_function_declaration) @outline.whole
(protocol_property_declaration) @outline.whole
(class_body (property_declaration computed_value: (_) @body) @outline.elided)
(class_body (property_declaration) @outline.whole)
(enum_class_body (property_declaration computed_value: (_) @body) @outline.elided)
(enum_class_body (property_declaration) @outline.whole)
(source_file (property_declaration computed_value: (_) @body) @outline.elided)
(source_file (property_declaration) @outline.whole)
