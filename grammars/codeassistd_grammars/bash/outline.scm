(program (command name: (command_name (word) @_command)) @outline.whole
 (#any-of? @_command "source" "."))
(function_definition) @outline.elided
(program (variable_assignment) @outline.whole)
(program (declaration_command) @outline.whole)
