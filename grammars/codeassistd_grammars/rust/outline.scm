(use_declaration) @outline.whole
(struct_item body: (field_declaration_list)) @outline.open
(struct_item) @outline.whole
(union_item) @outline.open
(enum_item) @outline.open
(trait_item) @outline.open
(impl_item) @outline.open
(mod_item) @outline.open
(function_item) @outline.elided
(macro_definition ["{" "(" "["] @body) @outline.elided
(function_signature_item) @outline.whole
(associated_type) @outline.whole
(type_item) @outline.whole
(const_item) @outline.whole
(static_item) @outline.whole
(field_declaration) @outline.whole
(enum_variant) @outline.whole
