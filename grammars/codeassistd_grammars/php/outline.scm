(namespace_definition name: (_)) @outline.whole
(namespace_use_declaration) @outline.whole
(class_declaration) @outline.open
(trait_declaration) @outline.open
(interface_declaration) @outline.open
(enum_declaration) @outline.open
(enum_case) @outline.whole
(method_declaration) @outline.elided
(function_definition) @outline.elided
(use_declaration) @outline.whole
(property_declaration) @outline.whole
(const_declaration) @outline.whole
