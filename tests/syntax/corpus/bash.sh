#!/usr/bin/env bash
# Build it.
source ./lib.sh
# <- use source
#   ^ import ./lib.sh
. "$DIR/other.sh"
# <- use .
#   ^ import $DIR/other.sh

# The most.
readonly MAX=12
#        ^ variable MAX | readonly MAX=12 | The most.
LIMIT=3 # Not the documentation of the next one.
# <- variable LIMIT | LIMIT=3
export PATHS="größe"
#      ^ variable PATHS | export PATHS="größe"
declare -a LIST=(1 2)
#          ^ variable LIST | declare -a LIST=(1 2)

# Its area.
# More.
area() {
# <- function area | area() | Its area.
  local unit=$1
  compute "$unit" | scale
# ^ use compute
#                   ^ use scale
  result=$(helper)
#          ^ use helper
}

function draw {
#        ^ function draw | function draw
  area 1
# ^ use area
}

function both() ( paint x )
#        ^ function both | function both()
#                 ^ use paint

if true; then
#  ^ use true
  FAST=1
fi
