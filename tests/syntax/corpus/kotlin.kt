@file:JvmName("X")
//    ^ use JvmName
package org.shapes

import java.util.List
//  ^ import java.util.List
import org.other.Thing as Alias
//  ^ import org.other.Thing as Alias
import org.all.*
//  ^ import org.all *

/** A circle. */
@Entity
 // <- use Entity
data class Circle<T : Any>(val radius: Double, private var größe: Int, plain: Int) : Base<T>(radius), Shape {
//         ^ class Circle | data class Circle<T : Any>(val radius: Double, private var größe: Int, plain: Int) : Base<T>(radius), Shape | A circle.
//                ^ use T
//                    ^ use Any
//                             ^ field Circle.radius | val radius: Double
//                                     ^ use Double
//                                                         ^ field Circle.größe | private var größe: Int
//                                                                ^ use Int
//                                                                                   ^ use Base
//                                                                                                    ^ use Shape
    // The most.
    val max: Int = 12
//      ^ field Circle.max | val max: Int = 12 | The most.
//           ^ use Int
    var name: String = "x"
//      ^ field Circle.name | var name: String = "x"
//            ^ use String
        get() = field

    companion object {
        const val LIMIT = 3
//                ^ field Circle.LIMIT | const val LIMIT = 3
        fun build(): Circle<Int> = Circle(1.0)
//          ^ method Circle.build | fun build(): Circle<Int>
//                   ^ use Circle
//                          ^ use Int
    }

    constructor(a: Int) : this(a.toDouble(), 1)
//                 ^ use Int
//                               ^ use toDouble

    /** Its area. */
    @Deprecated("x")
//   ^ use Deprecated
    override suspend fun <R> area(
//                           ^ method Circle.area | override suspend fun <R> area(unit: Unit, vararg rest: Int): Double | Its area.
        unit: Unit, // which
//            ^ use Unit
        vararg rest: Int
//                   ^ use Int
    ): Double {
//     ^ use Double
        val local = 3
        fun inner(x: Int) = dig(x)
//          ^ function Circle.area.inner | fun inner(x: Int)
//                   ^ use Int
//                          ^ use dig
        rest.forEach { dig(it) }
//           ^ use forEach
//                     ^ use dig
        return compute(unit)
//             ^ use compute
    }

    inner class Deep
//              ^ class Circle.Deep | inner class Deep
}

interface Shape : Named {
//        ^ interface Shape | interface Shape : Named
//                ^ use Named
    fun area(unit: Unit): Double
//      ^ method Shape.area | fun area(unit: Unit): Double
//                 ^ use Unit
//                        ^ use Double
    val title: String
//      ^ field Shape.title | val title: String
//             ^ use String
}

enum class Colour(val code: Int) {
//         ^ enum Colour | enum class Colour(val code: Int)
//                    ^ field Colour.code | val code: Int
//                          ^ use Int
    RED(1),
//  ^ constant Colour.RED | RED(1)
    GREEN(2) {
//  ^ constant Colour.GREEN | GREEN(2)
        override fun depth() = 1
//                   ^ function Colour.GREEN.depth | override fun depth()
    };

    open fun depth() = 0
//           ^ method Colour.depth | open fun depth()
}

object Single : Shape {
//     ^ class Single | object Single : Shape
//              ^ use Shape
    val first = 1
//      ^ field Single.first | val first = 1
}

sealed interface Result
//               ^ interface Result | sealed interface Result
typealias Names = Map<String, Int>
//        ^ type Names | typealias Names = Map<String, Int>
//                ^ use Map
//                    ^ use String
//                            ^ use Int

const val TOP = 1
//        ^ variable TOP | const val TOP = 1
val String.loud: String get() = uppercase()
//  ^ use String
//         ^ variable loud | val String.loud: String
//                              ^ use uppercase

fun String.shout(times: Int = 1): String {
//  ^ use String
//         ^ method String.shout | fun String.shout(times: Int = 1): String
//                      ^ use Int
    return uppercase()
//         ^ use uppercase
}
fun top() = Circle(1.0).area(2)
//  ^ function top | fun top()
//          ^ use Circle
//                      ^ use area
