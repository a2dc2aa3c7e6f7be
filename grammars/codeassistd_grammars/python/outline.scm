(import_statement) @outline.whole
(import_from_statement) @outline.whole

(module (expression_statement (assignment left: (identifier))) @outline.whole)
(class_definition body: (block (expression_statement (assignment left: (identifier))) @outline.whole))
(type_alias_statement) @outline.whole

(class_definition) @outline.open
(function_definition) @outline.elided
