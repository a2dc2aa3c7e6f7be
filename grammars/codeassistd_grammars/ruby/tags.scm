(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
[
  (method name: (_) @name)
  (singleton_method name: (_) @name)
] @definition.function
(assignment left: (constant) @name) @definition.constant

; Each symbol that is given to it becomes a method; the colon is no part of the name.
((call method: (identifier) @_method arguments: (argument_list (simple_symbol) @name)) @definition.field
 (#set! skip "1")
 (#any-of? @_method "attr_accessor" "attr_reader" "attr_writer"))
(alias name: (identifier) @name) @definition.method
((call method: (identifier) @_method arguments: (argument_list . (simple_symbol) @name)) @definition.method
 (#set! skip "1")
 (#any-of? @_method "alias_method" "define_method"))

(comment) @comment

(superclass [
  (constant) @name
  (scope_resolution name: (constant) @name)
]) @reference.base
((call method: (identifier) @_method arguments: (argument_list [
   (constant) @name
   (scope_resolution name: (constant) @name)
 ])) @reference.base
 (#any-of? @_method "include" "extend" "prepend"))

(call method: (_) @name) @reference.call
(constant) @name @reference.type
