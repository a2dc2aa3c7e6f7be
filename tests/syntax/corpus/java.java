package org.example.shapes;

import java.util.List;
// ^ import java.util List
import java.util.function.*;
// ^ import java.util.function *
import static java.lang.Math.PI;
// ^ import java.lang.Math PI

/**
 * A circle.
 * More about it.
 */
@Entity
@Table(name = "circles")
public final class Circle<T extends Unit> extends Base implements Shape, Comparable<Circle<T>> {
//                 ^ class Circle | public final class Circle<T extends Unit> extends Base implements Shape, Comparable<Circle<T>> | A circle.
//                                                ^ use Base
    // The most.
    public static final int MAX = 12, MIN = 1;
//                          ^ field Circle.MAX | public static final int MAX = 12, MIN = 1 | The most.
//                                    ^ field Circle.MIN
    private double größe;
//                 ^ field Circle.größe | private double größe

    public Circle(double radius) {
//         ^ method Circle.Circle | public Circle(double radius)
        this.größe = radius;
    }

    /** Its area. */
    @Override
    public <R> List<R> area(
//                     ^ method Circle.area | public <R> List<R> area(final Unit unit, int... rest) throws IOException | Its area.
        final Unit unit, // which
//            ^ use Unit
        int... rest
    ) throws IOException {
        int local = 3;
        Runnable run = () -> dig(new Shovel());
//                           ^ use dig
//                               ^ use Shovel
        return List.of();
//                  ^ use of
    }

    interface Listener {
//            ^ interface Circle.Listener | interface Listener
        int LIMIT = 3;
//          ^ constant Circle.Listener.LIMIT
        void heard(String what);
//           ^ method Circle.Listener.heard | void heard(String what)
    }
}

record Point(double x, double y) {
//     ^ class Point | record Point(double x, double y)
}

enum Colour {
//   ^ enum Colour | enum Colour
    RED,
//  ^ constant Colour.RED | RED
    GREEN(2) {
//  ^ constant Colour.GREEN | GREEN(2)
        int depth() { return 1; }
//          ^ method Colour.GREEN.depth
    };
    int depth() { return 0; }
//      ^ method Colour.depth | int depth()
}

@interface Marked {
//         ^ interface Marked | @interface Marked
    String value() default "";
//         ^ method Marked.value
}

class Wiring {
//    ^ class Wiring
    // Belongs to the first.
    @Inject Shape first;
//                ^ field Wiring.first | Shape first | Belongs to the first.
    Shape second;
//        ^ field Wiring.second | Shape second | -
    /* Beside the third. */ Shape third;
//                                ^ field Wiring.third | Shape third | -
    Shape fourth;
//        ^ field Wiring.fourth | Shape fourth | -
}
