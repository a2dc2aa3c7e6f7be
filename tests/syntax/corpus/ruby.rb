require 'json'
# <- use require
#   ^ import json
require_relative "shapes/base"
# <- use require_relative
#   ^ import shapes/base

# Draws shapes.
module Shapes
#      ^ module Shapes | module Shapes | Draws shapes.
  MAX = 12
# ^ constant Shapes.MAX | MAX = 12

  # A circle.
  # More.
  class Circle < Base::Shape
#       ^ class Shapes.Circle | class Circle < Base::Shape | A circle.
#                ^ use Base
#                      ^ use Shape
    include Comparable
#   ^ use include
#           ^ use Comparable
    attr_accessor :radius, :größe
#   ^ use attr_accessor
#                  ^ field Shapes.Circle.radius | attr_accessor :radius, :größe
#                           ^ field Shapes.Circle.größe | attr_accessor :radius, :größe

    # The most.
    LIMIT = 3
#   ^ constant Shapes.Circle.LIMIT | LIMIT = 3 | The most.

    # Its area.
    def area(unit, # which
#       ^ method Shapes.Circle.area | def area(unit, *rest, key: 1, &block) | Its area.
             *rest, key: 1, &block)
      local = 3
      @radius = compute(unit)
#               ^ use compute
      rest.each { |x| dig x }
#          ^ use each
#                     ^ use dig
      Shovel.new(1).run!
#     ^ use Shovel
#            ^ use new
#                   ^ use run!
    end

    def self.build(a) = new(a)
#            ^ method Shapes.Circle.build | def self.build(a)
#                       ^ use new

    def ==(other)
#       ^ method Shapes.Circle.== | def ==(other)
      true
    end

    def size=(v); @size = v; end
#       ^ method Shapes.Circle.size= | def size=(v)

    class << self
      def make; end
#         ^ method Shapes.Circle.make | def make; end
    end
    alias_method :surface, :area
#   ^ use alias_method
#                 ^ method Shapes.Circle.surface | alias_method :surface, :area

    private

    def hidden?
#       ^ method Shapes.Circle.hidden? | def hidden?
      check
    end
  end

  class Circle::Part; end
#       ^ class Shapes.Circle::Part | class Circle::Part; end
#               ^ use Part
end

Point = Struct.new(:x, :y)
# <- constant Point | Point = Struct.new(:x, :y)
#       ^ use Struct
#              ^ use new

def top(a, b = 2)
#   ^ function top | def top(a, b = 2)
  puts a
# ^ use puts
end
