<html>
<?php
namespace Org\Shapes;

use Org\Base;
//  ^ import Org Base
use Countable;
//  ^ import Countable
use Org\Other\Thing as Alias;
//  ^ import Org\Other Thing as Alias
use function Org\helper;
//  ^ import Org helper
use Org\Group\{First, Second as Two, Deep\Third};
//  ^ import Org\Group First
//  ^ import Org\Group Second as Two
//  ^ import Org\Group\Deep Third
require_once 'lib.php';
//  ^ import lib.php

const MAX = 12;
//    ^ constant MAX | const MAX = 12
define('LIMIT', 3);
// <- use define
//      ^ constant LIMIT | define('LIMIT', 3)

/**
 * A circle.
 */
#[Attribute]
final class Circle extends Base implements Shape, \Countable
//          ^ class Circle | final class Circle extends Base implements Shape, \Countable | A circle.
//                         ^ use Base
//                                         ^ use Shape
//                                                 ^ use Countable
{
    use Loggable;
//      ^ use Loggable

    // The most.
    public const MOST = 12;
//               ^ constant Circle.MOST | public const MOST = 12 | The most.
    private ?float $größe = 2.0;
//                  ^ field Circle.größe | private ?float $größe = 2.0
    public static int $count = 0, $other = 1;
//                     ^ field Circle.count | public static int $count = 0, $other = 1
//                                 ^ field Circle.other | public static int $count = 0, $other = 1

    public function __construct(private float $radius)
//                  ^ method Circle.__construct | public function __construct(private float $radius)
    {
        parent::__construct();
//              ^ use __construct
    }

    /** Its area. */
    #[Pure]
    public static function area(
//                         ^ method Circle.area | public static function area(Unit $unit, int ...$rest): float | Its area.
        Unit $unit, // which
//      ^ use Unit
        int ...$rest
    ): float {
        $local = 3;
        $inner = function ($x) use ($local) { return dig($x); };
//                                                   ^ use dig
        $this->draw(new Shovel());
//             ^ use draw
//                      ^ use Shovel
        Helper::run();
//      ^ use Helper
//              ^ use run
        $other?->go();
//               ^ use go
        return self::MOST;
    }

    abstract protected function later(): void;
//                              ^ method Circle.later | abstract protected function later(): void
}

interface Shape extends Named
//        ^ interface Shape | interface Shape extends Named
//                      ^ use Named
{
    const SIDES = 1;
//        ^ constant Shape.SIDES | const SIDES = 1
    public function sides(Unit $unit): int;
//                  ^ method Shape.sides | public function sides(Unit $unit): int
//                        ^ use Unit
}

trait Loggable
//    ^ class Loggable | trait Loggable
{
    function log() {}
//           ^ method Loggable.log | function log()
}

enum Colour: string implements HasLabel
//   ^ enum Colour | enum Colour: string implements HasLabel
//                             ^ use HasLabel
{
    case Red = 'r';
//       ^ constant Colour.Red | case Red = 'r'
    case Green = 'g';
//       ^ constant Colour.Green | case Green = 'g'
    public function label(): string { return 'x'; }
//                  ^ method Colour.label | public function label(): string
}

function top(int $a = 1): void
//       ^ function top | function top(int $a = 1): void
{
    Org\helper(compute($a));
//      ^ use helper
//             ^ use compute
}
?>
<b><?= top(1) ?></b>
//     ^ use top
<?php function last() { return 1; } ?>
//             ^ function last | function last()
