((call method: (identifier) @_method arguments: (argument_list . (string (string_content) @import.module)))
 (#any-of? @_method "require" "require_relative" "load"))
