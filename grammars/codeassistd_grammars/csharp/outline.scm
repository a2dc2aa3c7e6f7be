(using_directive) @outline.whole
(file_scoped_namespace_declaration) @outline.whole
(namespace_declaration) @outline.open
(class_declaration) @outline.open
(struct_declaration) @outline.open
(record_declaration) @outline.open
(interface_declaration) @outline.open
(enum_declaration) @outline.open
(enum_member_declaration) @outline.whole
(delegate_declaration) @outline.whole
(method_declaration) @outline.elided
(constructor_declaration) @outline.elided
(property_declaration accessors: (_) @body) @outline.elided
(property_declaration value: (_) @body) @outline.elided
(field_declaration) @outline.whole
(event_field_declaration) @outline.whole
