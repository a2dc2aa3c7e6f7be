import React from "react";
// ^ import react default as React
import * as path from 'node:path';
// ^ import node:path as path
import { a, b as c, default as d } from "./lib.js";
// ^ import ./lib.js a
// ^ import ./lib.js b as c
// ^ import ./lib.js default as d
import Main, { extra } from "./main";
// ^ import ./main default as Main
// ^ import ./main extra
import "./side-effect.css";
// ^ import ./side-effect.css
const fs = require("fs");
//    ^ constant fs
// ^ import fs as fs
const { readFile, writeFile: write } = require("fs/promises");
// ^ import fs/promises readFile
// ^ import fs/promises writeFile as write
require("./polyfill");
// ^ import ./polyfill
export { x, y as z } from "./names";
// ^ import ./names x
// ^ import ./names y as z
export * from "./all";
// ^ import ./all *

/**
 * How many at most.
 */
export const LIMIT = 10;
//           ^ constant LIMIT | const LIMIT = 10 | How many at most.

let counter = 0, total;
//  ^ variable counter | let counter = 0
//               ^ variable total | let total

// Adds two numbers,
// slowly.
export function add(a, b = 1) {
//              ^ function add | function add(a, b = 1) | Adds two numbers,
  const local = a;
  const inner = (n) => n + local;
//      ^ function add.inner | const inner = (n) =>
  return inner(b);
//       ^ use inner
}

function* naturals() { yield 1; }
//        ^ function naturals | function* naturals()

const twice = async (x) => {
//    ^ function twice | const twice = async (x) =>
  return x * 2;
};

const one = () => 1, two = function () { return 2; };
//    ^ function one | const one = () =>
//                   ^ function two | const two = function ()

class Größe extends Base.Thing {
//    ^ class Größe | class Größe extends Base.Thing
//                       ^ use Thing
  #hidden = 1;
//^ field Größe.#hidden | #hidden = 1
  static count = 0;
//       ^ field Größe.count | static count = 0
  onClick = (event) => {
//^ method Größe.onClick | onClick = (event) =>
    this.fire(event);
//       ^ use fire
  };

  constructor(value) {
//^ method Größe.constructor | constructor(value)
    super(value);
    this.made = new Map();
//                  ^ use Map
  }

  get size() { return 1; }
//    ^ method Größe.size | get size()

  static async load(
//             ^ method Größe.load | static async load(url, options = {})
    url, // where
    options = {},
  ) {
    return fetch(url);
  }
}

Größe.prototype.extra = function (n) { return n; };
//              ^ function extra | Größe.prototype.extra = function (n)

module.exports = {
  run: (task) => task(),
//^ function run | run: (task) =>
  add,
};

function View() {
//       ^ function View
  return <Panel title="x"><Row /></Panel>;
//        ^ use Panel
//                         ^ use Row
}
