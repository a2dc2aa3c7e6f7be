(function_declaration) @outline.elided
(variable_declaration (assignment_statement (expression_list . value: (function_definition) @value))) @outline.elided
(chunk (assignment_statement (expression_list . value: (function_definition) @value)) @outline.elided)
(chunk (variable_declaration) @outline.whole)
(chunk (assignment_statement) @outline.whole)
