(field_definition value: (arrow_function) @value) @outline.elided
(field_definition) @outline.whole
