import Foundation
//  ^ import Foundation
import struct Swift.Int
//  ^ import Swift.Int
@testable import Shapes
 // <- use testable
//  ^ import Shapes

/// A circle.
@MainActor
 // <- use MainActor
public final class Circle<T: Any>: Base<T>, Shape {
//                 ^ class Circle | public final class Circle<T: Any>: Base<T>, Shape | A circle.
//                        ^ use T
//                           ^ use Any
//                                 ^ use Base
//                                          ^ use Shape
    // The most.
    static let max: Int = 12
//             ^ field Circle.max | static let max: Int = 12 | The most.
//                  ^ use Int
    var radius: Double
//      ^ field Circle.radius | var radius: Double
//              ^ use Double
    var doubled: Double { return radius * 2 }
//      ^ field Circle.doubled | var doubled: Double
//               ^ use Double
    private(set) lazy var größe = 2.0, other = 1
//                        ^ field Circle.größe | private(set) lazy var größe = 2.0, other = 1
//                                     ^ field Circle.other | private(set) lazy var größe = 2.0, other = 1

    init(radius: Double) {
//  ^ method Circle.init | init(radius: Double)
//               ^ use Double
        self.radius = radius
    }

    /// Its area.
    @discardableResult
//   ^ use discardableResult
    override func area(
//                ^ method Circle.area | override func area(_ unit: Unit, rest: Int...) async throws -> Double | Its area.
        _ unit: Unit, // which
//              ^ use Unit
        rest: Int...
//            ^ use Int
    ) async throws -> Double {
//                    ^ use Double
        let local = 3
        func inner(x: Int) { dig(x) }
//           ^ function Circle.area.inner | func inner(x: Int)
//                    ^ use Int
//                           ^ use dig
        rest.forEach { dig($0) }
//           ^ use forEach
//                     ^ use dig
        return Shovel().compute(unit)
//             ^ use Shovel
//                      ^ use compute
    }

    class Deep {}
//        ^ class Circle.Deep | class Deep
}

protocol Shape: Named {
//       ^ interface Shape | protocol Shape: Named
//              ^ use Named
    associatedtype Item
//                 ^ type Shape.Item | associatedtype Item
    var title: String { get }
//      ^ field Shape.title | var title: String { get }
//             ^ use String
    func area(unit: Unit) -> Double
//       ^ method Shape.area | func area(unit: Unit) -> Double
//                  ^ use Unit
//                           ^ use Double
}

enum Colour: String, Codable {
//   ^ enum Colour | enum Colour: String, Codable
//           ^ use String
//                   ^ use Codable
    case red = "r", green
//       ^ constant Colour.red | case red = "r", green
//                  ^ constant Colour.green | case red = "r", green
    case blue(Int)
//       ^ constant Colour.blue | case blue(Int)
//            ^ use Int
    func depth() -> Int { 0 }
//       ^ method Colour.depth | func depth() -> Int
//                  ^ use Int
}

struct Point: Equatable {
//     ^ class Point | struct Point: Equatable
//            ^ use Equatable
    var x, y: Int
//      ^ field Point.x | var x, y: Int
//         ^ field Point.y | var x, y: Int
//            ^ use Int
}

extension Circle: Codable {
//                ^ use Codable
    func more() {}
//       ^ method Circle.more | func more()
}

actor Bank {
//    ^ class Bank | actor Bank
    var money = 1
//      ^ field Bank.money | var money = 1
}

typealias Pair = (Int, Int)
//        ^ type Pair | typealias Pair = (Int, Int)
//                ^ use Int
let top = 1
//  ^ variable top | let top = 1
var cache: [String: Int] = [:]
//  ^ variable cache | var cache: [String: Int] = [:]
//          ^ use String
//                  ^ use Int

func shout(times: Int = 1) -> String {
//   ^ function shout | func shout(times: Int = 1) -> String
//                ^ use Int
//                            ^ use String
    return foo(times)
//         ^ use foo
}
