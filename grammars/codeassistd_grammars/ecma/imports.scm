(import_statement . source: (string) @import.module)
(import_statement
  (import_clause (identifier) @import.alias)
  source: (string) @import.module
  (#set! name "default"))
(import_statement
  (import_clause (namespace_import (identifier) @import.alias))
  source: (string) @import.module)
(import_statement
  (import_clause (named_imports (import_specifier name: _ @import.name !alias)))
  source: (string) @import.module)
(import_statement
  (import_clause (named_imports (import_specifier name: _ @import.name alias: (identifier) @import.alias)))
  source: (string) @import.module)

; What a file hands on it has imported, too.
(export_statement "*" @import.name source: (string) @import.module)
(export_statement
  (namespace_export (identifier) @import.alias)
  source: (string) @import.module)
(export_statement
  (export_clause (export_specifier name: _ @import.name !alias))
  source: (string) @import.module)
(export_statement
  (export_clause (export_specifier name: _ @import.name alias: (_) @import.alias))
  source: (string) @import.module)

((variable_declarator
   name: [
     (identifier) @import.alias
     (object_pattern (shorthand_property_identifier_pattern) @import.name)
     (object_pattern (pair_pattern key: (_) @import.name value: (identifier) @import.alias))
   ]
   value: (call_expression function: (identifier) @_function arguments: (arguments . (string) @import.module)))
 (#eq? @_function "require"))
((expression_statement
   (call_expression function: (identifier) @_function arguments: (arguments . (string) @import.module)))
 (#eq? @_function "require"))
