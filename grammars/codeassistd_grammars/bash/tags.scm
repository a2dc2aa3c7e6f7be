(function_definition name: (word) @name) @definition.function

; Names of the file itself; those in a function are mostly local.
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)

(comment) @comment

(command name: (command_name (word) @name)) @reference.call
