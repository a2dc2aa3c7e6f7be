#include <vector>
// ^ import vector
#include "shape.hpp"
// ^ import shape.hpp

namespace shapes::flat {
//        ^ module shapes::flat | namespace shapes::flat

/// A circle.
template <typename T>
class Circle : public Base<T> {
//    ^ class shapes.flat.Circle | class Circle : public Base<T> | A circle.
//                    ^ use Base
public:
    explicit Circle(double radius) : radius_(radius), count(0) {}
//           ^ method shapes.flat.Circle.Circle | explicit Circle(double radius)
    Circle(const Circle &other);
//  ^ method shapes.flat.Circle.Circle | Circle(const Circle &other)
    virtual ~Circle() = default;
//          ^ method shapes.flat.Circle.~Circle
    double area(Unit unit) const override { return compute(unit); }
//         ^ method shapes.flat.Circle.area | double area(Unit unit) const override
//                                                 ^ use compute
    Circle &operator=(const Circle &other);
//          ^ method shapes.flat.Circle.operator= | Circle &operator=(const Circle &other)
    static std::vector<T> *all();
//                         ^ method shapes.flat.Circle.all | static std::vector<T> *all()

private:
    double radius_ = 1.0;
//         ^ field shapes.flat.Circle.radius_ | double radius_ = 1.0
    T &ref;
//     ^ field shapes.flat.Circle.ref
    enum class Kind { Round, Flat };
//             ^ enum shapes.flat.Circle.Kind | enum class Kind
//                    ^ constant shapes.flat.Circle.Kind.Round
//                           ^ constant shapes.flat.Circle.Kind.Flat
};

using Pair = std::pair<int, int>;
//    ^ type shapes.flat.Pair | using Pair = std::pair<int, int>

}  // namespace shapes::flat

// Its area.
double shapes::flat::Circle<int>::area(Unit unit) const {
//                                ^ method shapes.flat.Circle.area | double shapes::flat::Circle<int>::area(Unit unit) const | Its area.
    Shape local(unit);
    return std::max<int>(local.width(), shapes::deep(1));
//              ^ use max
//                             ^ use width
//                                              ^ use deep
}

Circle::Circle(int size) : size_(size) {}
//      ^ method Circle.Circle | Circle::Circle(int size)

Größe &Circle::größe() { return g; }
//             ^ method Circle.größe | Größe &Circle::größe()

template <class T>
T *make(T &&from) { return nullptr; }
// ^ function make | T *make(T &&from)
// <- use T

struct Plain { int x; };
//     ^ class Plain | struct Plain
//                 ^ field Plain.x

auto later = [](int x) { return x; };
//   ^ variable later

concept_t const limit{3};
//              ^ variable limit
