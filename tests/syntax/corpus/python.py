"""A module of shapes."""

import os
# ^ import os
import os.path as osp
# ^ import os.path as osp
from math import pi, sqrt as root
# ^ import math pi
# ^ import math sqrt as root
from .shapes import *
# ^ import .shapes *
from .. import (
    colour,
#   ^ import .. colour
)

#: Most corners that a shape may have.
MAX_CORNERS: int = 12  # a dozen
# <- constant MAX_CORNERS | MAX_CORNERS: int = 12 | Most corners that a shape may have.
_cache = {
# <- variable _cache | _cache = {"a": 1, "b": 2}
    "a": 1,
    "b": 2,
}

try:
    FAST = True
#   ^ constant FAST
except ImportError:
    slow = True


@register("shape")
# ^ use register
class Shape(Base, metaclass=Meta):
#     ^ class Shape | class Shape(Base, metaclass=Meta) | Something with an area.
#           ^ use Base
    """Something with an area.

    More about it.
    """

    corners: int = 0
#   ^ field Shape.corners | corners: int = 0
    Größe = "µm"
#   ^ field Shape.Größe | Größe = "µm"

    # Not a docstring, but it will do.
    @property
    @cached
    def area(self) -> float:
#       ^ method Shape.area | def area(self) -> float | Not a docstring, but it will do.
        return self.width * root(compute(self))
#                                ^ use compute

    async def draw(
#             ^ method Shape.draw | async def draw(self, canvas: Canvas, *, scale: float = 1.0) -> dict[str, Point] | Draw it.
        self,
        canvas: Canvas,  # where to
#               ^ use Canvas
        *,
        scale: float = 1.0,
    ) -> dict[str, Point]:
        r'''Draw it.'''

        def corner(index: int) -> Point:
#           ^ function Shape.draw.corner | def corner(index: int) -> Point
            return Point(index)

        local = 3
        await canvas.draw_all(corner)

    class Kind:
#         ^ class Shape.Kind | class Kind
        ROUND = 1
#       ^ field Shape.Kind.ROUND


def zażółć(a, b=(1, 2), *args, **kwargs): return a
#   ^ function zażółć | def zażółć(a, b=(1, 2), *args, **kwargs)


type Pair[T] = tuple[T, T]
#    ^ type Pair | type Pair[T] = tuple[T, T]

after = lambda x: x  # Not the documentation of the next one.
# <- variable after
def last(): ...
#   ^ function last | def last()
