; A component that is used as an element is called, in effect.
[
  (jsx_opening_element name: (identifier) @name)
  (jsx_self_closing_element name: (identifier) @name)
] @reference.call
