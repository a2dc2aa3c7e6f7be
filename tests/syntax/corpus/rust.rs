use std::collections::HashMap;
// ^ import std::collections HashMap
use std::{fmt, io::{self, Read as R, Write}, sync::*};
// ^ import std fmt
// ^ import std::io
// ^ import std::io Read as R
// ^ import std::io Write
// ^ import std::sync *
use serde as s;
// ^ import serde as s
use crate::shape::Shape as Form;
// ^ import crate::shape Shape as Form
use super::*;
// ^ import super *
extern crate rand;
// ^ import rand

/// The most corners.
pub const MAX_CORNERS: usize = 12;
//        ^ constant MAX_CORNERS | pub const MAX_CORNERS: usize = 12 | The most corners.
static mut COUNT: u32 = 0;
//         ^ variable COUNT | static mut COUNT: u32 = 0

/// A circle.
///
/// More about it.
#[derive(Debug, Clone)]
#[serde(rename = "c")]
pub struct Circle<T: Unit> where T: Copy {
//         ^ class Circle | pub struct Circle<T: Unit> where T: Copy | A circle.
    /// How far.
    pub radius: f64,
//      ^ field Circle.radius | pub radius: f64 | How far.
    größe: Option<T>,
//  ^ field Circle.größe | größe: Option<T>
}

pub struct Point(f64, f64);
//         ^ class Point | pub struct Point(f64, f64)

pub enum Colour {
//       ^ enum Colour | pub enum Colour
    Red,
//  ^ constant Colour.Red | Red
    Mixed { amount: u8 },
//  ^ constant Colour.Mixed
//          ^ field Colour.Mixed.amount
}

pub trait Shape {
//        ^ interface Shape | pub trait Shape
    type Unit;
//       ^ type Shape.Unit
    fn area(&self) -> f64;
//     ^ method Shape.area | fn area(&self) -> f64
    fn double(&self) -> f64 { self.area() * 2.0 }
//     ^ method Shape.double | fn double(&self) -> f64
//                                 ^ use area
}

impl<T: Unit> Circle<T> {
    pub const ZERO: f64 = 0.0;
//            ^ constant Circle.ZERO
    // Makes one.
    #[inline]
    pub fn new<'a>(
//         ^ method Circle.new | pub fn new<'a>(radius: f64, name: &'a str) -> Self | Makes one.
        radius: f64, // how far
        name: &'a str,
    ) -> Self {
        let made = HashMap::<String, T>::new();
        compute(radius);
//      ^ use compute
        vec![made]
//      ^ use vec
    }
}

impl<T> Shape for Circle<T> {
    fn area(&self) -> f64 { 0.0 }
//     ^ method Circle.area | fn area(&self) -> f64
}

pub type Pair = (Point, Point);
//       ^ type Pair | pub type Pair = (Point, Point)
//               ^ use Point

mod tools {
//  ^ module tools | mod tools
    pub async unsafe fn dig() {}
//                      ^ function tools.dig | pub async unsafe fn dig()
}

macro_rules! square {
//           ^ macro square | macro_rules! square
    ($x:expr) => { $x * $x };
}
