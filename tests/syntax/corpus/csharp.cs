using System;
//  ^ import System
using System.Collections.Generic;
//  ^ import System.Collections.Generic
using static System.Math;
//  ^ import System.Math
using Builder = System.Text.StringBuilder;
//  ^ import System.Text.StringBuilder as Builder

namespace Org.Shapes
//        ^ module Org.Shapes | namespace Org.Shapes
{
    /// <summary>A circle.</summary>
    [Serializable]
//   ^ use Serializable
    public sealed class Circle<T> : Base<T>, IShape, Other.Thing where T : struct
//                      ^ class Org.Shapes.Circle | public sealed class Circle<T> : Base<T>, IShape, Other.Thing where T : struct | A circle.
//                             ^ use T
//                                  ^ use Base
//                                           ^ use IShape
//                                                         ^ use Thing
    {
        // The most.
        public const int Max = 12, Min = 1;
//                       ^ field Org.Shapes.Circle.Max | public const int Max = 12, Min = 1 | The most.
//                                 ^ field Org.Shapes.Circle.Min | public const int Max = 12, Min = 1 | The most.
        private double größe = 2.0;
//                     ^ field Org.Shapes.Circle.größe | private double größe = 2.0
        public event EventHandler Changed;
//                   ^ use EventHandler
//                                ^ field Org.Shapes.Circle.Changed | public event EventHandler Changed
        public string Name { get; set; } = "x";
//                    ^ field Org.Shapes.Circle.Name | public string Name
        public double Doubled => größe * 2;
//                    ^ field Org.Shapes.Circle.Doubled | public double Doubled

        public Circle(double radius) : base(radius)
//             ^ method Org.Shapes.Circle.Circle | public Circle(double radius) : base(radius)
        {
            größe = radius;
        }

        // Its area.
        [Obsolete("x")]
//       ^ use Obsolete
        public async Task<R> Draw<R>(
//                   ^ use Task
//                        ^ use R
//                           ^ method Org.Shapes.Circle.Draw | public async Task<R> Draw<R>(Unit unit, params int[] rest) | Its area.
            Unit unit, // which
//          ^ use Unit
            params int[] rest)
        {
            int local = 3;
            void Inner(int x) { Dig(x); }
//               ^ function Org.Shapes.Circle.Draw.Inner | void Inner(int x)
//                              ^ use Dig
            var made = new Shovel<int>();
//                         ^ use Shovel
            made.Dig<int>(1);
//               ^ use Dig
            other?.Run();
//                 ^ use Run
            return Compute();
//                 ^ use Compute
        }

        int Short() => 1;
//          ^ method Org.Shapes.Circle.Short | int Short()
    }

    interface IShape : INamed
//            ^ interface Org.Shapes.IShape | interface IShape : INamed
//                     ^ use INamed
    {
        double Area(Unit unit);
//             ^ method Org.Shapes.IShape.Area | double Area(Unit unit)
//                  ^ use Unit
        string Title { get; }
//             ^ field Org.Shapes.IShape.Title | string Title
    }

    public enum Colour { Red, Green = 2 }
//              ^ enum Org.Shapes.Colour | public enum Colour
//                       ^ constant Org.Shapes.Colour.Red | Red
//                            ^ constant Org.Shapes.Colour.Green | Green = 2

    struct Point
//         ^ class Org.Shapes.Point | struct Point
    {
        public int X;
//                 ^ field Org.Shapes.Point.X | public int X
    }

    record Pair(int Left, int Right) : Both(Left);
//         ^ class Org.Shapes.Pair | record Pair(int Left, int Right) : Both(Left)
//                                     ^ use Both
    delegate void Handler(object sender);
//                ^ type Org.Shapes.Handler | delegate void Handler(object sender)
}
