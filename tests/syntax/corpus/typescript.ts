import type { Point } from "./point";
// ^ import ./point Point
import fs = require("fs");
// ^ import fs as fs

/** A thing with an area. */
export interface Shape<T> extends Named {
//               ^ interface Shape | interface Shape<T> extends Named | A thing with an area.
  readonly name: string;
//         ^ field Shape.name | readonly name: string
  area(unit: Unit): number;
//^ method Shape.area | area(unit: Unit): number
//           ^ use Unit
}

export type Unit = "mm" | "µm";
//          ^ type Unit | type Unit = "mm" | "µm"

export enum Colour {
//          ^ enum Colour | enum Colour
  Red,
//^ constant Colour.Red | Red
  Green = "green",
//^ constant Colour.Green | Green = "green"
}

@Component({
  selector: "app",
})
export class Circle<T> extends Base implements Shape<T> {
//           ^ class Circle | class Circle<T> extends Base implements Shape<T>
//                                             ^ use Shape
  private radius: number = 1;
//        ^ field Circle.radius | private radius: number = 1
  @Input() label?: string;
//         ^ field Circle.label | label?: string

  constructor(private readonly point: Point) {
//^ method Circle.constructor | constructor(private readonly point: Point)
    super();
  }

  // Its area.
  @memo
  public area(unit: Unit): number {
//       ^ method Circle.area | public area(unit: Unit): number | Its area.
    return Math.PI * this.radius ** 2;
  }
}

export abstract class Base {
//                    ^ class Base | abstract class Base
  abstract close(): void;
//         ^ method Base.close | abstract close(): void
}

export const scale = <T,>(shape: Shape<T>, by: number): Shape<T> => ({ ...shape });
//           ^ function scale | const scale = <T,>(shape: Shape<T>, by: number): Shape<T> =>

export function parse(text: string): Unit;
//              ^ function parse | function parse(text: string): Unit
export function parse(text: any): any {
//              ^ function parse | function parse(text: any): any
  return text as Unit;
}

namespace Tools {
//        ^ module Tools | namespace Tools
  export const depth = 3;
//             ^ constant Tools.depth | const depth = 3
}

declare const VERSION: string;
//            ^ constant VERSION | const VERSION: string
