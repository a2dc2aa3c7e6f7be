(package_header) @outline.whole
(import) @outline.whole
(class_declaration (enum_class_body) @body) @outline.open
(class_declaration (class_body) @body) @outline.open
(class_declaration) @outline.whole
(object_declaration (class_body) @body) @outline.open
(object_declaration) @outline.whole
(companion_object (class_body) @body) @outline.open
(enum_entry (class_body) @body) @outline.elided
(enum_entry) @outline.whole
(type_alias) @outline.whole
(function_declaration (function_body) @body) @outline.elided
(function_declaration) @outline.whole
(secondary_constructor (block) @body) @outline.elided
(secondary_constructor) @outline.whole
(class_body (property_declaration (getter) @body) @outline.elided)
(class_body (property_declaration) @outline.whole)
(source_file (property_declaration (getter) @body) @outline.elided)
(source_file (property_declaration) @outline.whole)
