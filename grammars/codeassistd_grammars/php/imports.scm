(namespace_use_clause . (name) @import.name !alias)
(namespace_use_clause . (name) @import.name alias: (name) @import.alias)
(namespace_use_clause . (qualified_name prefix: (namespace_name) @import.module (name) @import.name) !alias)
(namespace_use_clause
  . (qualified_name prefix: (namespace_name) @import.module (name) @import.name)
  alias: (name) @import.alias)
(namespace_use_declaration
  (namespace_name) @import.prefix
  body: (namespace_use_group) @import.group
  (#set! separator "\\"))

(require_expression (string (string_content) @import.module))
(require_once_expression (string (string_content) @import.module))
(include_expression (string (string_content) @import.module))
(include_once_expression (string (string_content) @import.module))
