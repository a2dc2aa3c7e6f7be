// Package shapes draws.
package shapes

import (
	"fmt"
// ^ import fmt
	str "strings"
// ^ import strings as str
	. "math"
// ^ import math as .
)

import "os"
// ^ import os

// MaxCorners is the most a shape has.
const MaxCorners = 12
//    ^ constant MaxCorners | const MaxCorners = 12 | MaxCorners is the most a shape has.

const (
	Red Colour = iota // the first
	// <- constant Red
	Green
	// <- constant Green | const Green
)

var cache = map[string]int{}
//  ^ variable cache | var cache = map[string]int{}

var (
	a, b int
	// <- variable a
//  ^ variable b | var a, b int
)

// Colour of a shape.
type Colour int
//   ^ type Colour | type Colour int | Colour of a shape.

// Shape has an area.
type Shape interface {
//   ^ interface Shape | type Shape interface | Shape has an area.
	// Area in mm.
	Area(unit Unit) float64
	// <- method Shape.Area | Area(unit Unit) float64 | Area in mm.
	fmt.Stringer
}

type Circle[T any] struct {
//   ^ class Circle | type Circle[T any] struct
	Base
	Radius, größe float64 `json:"radius"`
	// <- field Circle.Radius
//       ^ field Circle.größe
	next          *Circle[T]
	// <- field Circle.next | next *Circle[T]
//                 ^ use Circle
}

type (
	Alias = Colour
	// <- type Alias | type Alias = Colour
	Pair  struct{ left, right int }
	// <- class Pair | type Pair struct
//             ^ field Pair.left
//                   ^ field Pair.right
)

// New makes one.
func New(radius float64) *Shape {
//   ^ function New | func New(radius float64) *Shape | New makes one.
	local := 1
	return build(fmt.Sprint(local))
//         ^ use build
//                   ^ use Sprint
}

func (c *Circle[T]) Area(
//                  ^ method Circle.Area | func (c *Circle[T]) Area(unit Unit) float64
	unit Unit,
) float64 {
	return c.Radius
}

func (Colour) String() string { return "" }
//            ^ method Colour.String | func (Colour) String() string

func Map[T, U any](items []T, f func(T) U) []U { return nil }
//   ^ function Map | func Map[T, U any](items []T, f func(T) U) []U
