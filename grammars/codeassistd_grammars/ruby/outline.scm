(program (call method: (identifier) @_method) @outline.whole
 (#any-of? @_method "require" "require_relative" "load"))
(class) @outline.open
(module) @outline.open
(method) @outline.elided
(singleton_method) @outline.elided
(body_statement (assignment left: (constant)) @outline.whole)
(program (assignment left: (constant)) @outline.whole)
(body_statement (call method: (identifier) @_method) @outline.whole
 (#any-of? @_method "include" "extend" "prepend" "attr_accessor" "attr_reader" "attr_writer" "alias_method"))
