((variable_declaration (assignment_statement
   (variable_list . name: (identifier) @import.alias)
   (expression_list . value: (function_call
     name: (identifier) @_function
     arguments: (arguments . (string content: (string_content) @import.module))))))
 (#eq? @_function "require"))
((chunk (function_call
   name: (identifier) @_function
   arguments: (arguments . (string content: (string_content) @import.module))))
 (#eq? @_function "require"))
