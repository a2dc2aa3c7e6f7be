#include <stdio.h>
// ^ import stdio.h
#include "lib/shape.h"
// ^ import lib/shape.h

#ifndef GUARD
#define GUARD
/* The most corners. */
#define MAX_CORNERS 12
//      ^ macro MAX_CORNERS | #define MAX_CORNERS 12 | The most corners.
#define SQUARE(x) ((x) * (x))
//      ^ macro SQUARE | #define SQUARE(x)

/* A point. */
struct point {
//     ^ class point | struct point | A point.
    double x, *y;
//         ^ field point.x | double x, *y
//             ^ field point.y
    char name[16];
//       ^ field point.name | char name[16]
    int (*compare)(struct point *, struct point *);
//        ^ field point.compare
};

typedef struct {
    int größe;
//      ^ field Circle.größe
} Circle;
//^ class Circle | typedef struct { ... } Circle

typedef struct node { struct node *next; } Node;
//             ^ class node | struct node
//                                 ^ field node.next
//                                         ^ class Node | typedef struct node { ... } Node

typedef unsigned int (*handler_t)(int);
//                     ^ type handler_t | typedef unsigned int (*handler_t)(int)

enum colour { RED, GREEN = 2 };
//   ^ enum colour | enum colour
//            ^ constant colour.RED | RED
//                 ^ constant colour.GREEN | GREEN = 2

/* Declared
   here. */
extern int area(const struct point *p, int unit);
//         ^ function area | extern int area(const struct point *p, int unit) | Declared

static int counter = 0, *last;
//         ^ variable counter
//                       ^ variable last

static const char **names(
//                  ^ function names | static const char **names(int n, char *first)
    int n, // how many
    char *first)
{
    int local = area(0, n);
//              ^ use area
    first->compare(1);
//         ^ use compare
    return 0;
}

int (*choose(int which))(int) { return 0; }
//    ^ function choose | int (*choose(int which))(int)
#endif
