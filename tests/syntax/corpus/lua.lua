-- A module.
local M = {}
--    ^ variable M | local M = {} | A module.
local json = require("json")
--  ^ import json as json
--    ^ variable json | local json = require("json")
--           ^ use require
local util = require "lib.util"
--  ^ import lib.util as util
--    ^ variable util | local util = require "lib.util"
--           ^ use require
require 'side'
-- <- use require
--  ^ import side
local LIMIT = 12
--    ^ variable LIMIT | local LIMIT = 12
COUNT = 0
-- <- variable COUNT | COUNT = 0
M.name = "größe"
  -- <- field M.name | M.name = "größe"

--- Its area.
-- More.
function M.area(unit, ...)
--         ^ method M.area | function M.area(unit, ...) | Its area.
  local x = compute(unit)
--          ^ use compute
  return x:scale(2)
--         ^ use scale
end

function M:draw(
--         ^ method M.draw | function M:draw(canvas, scale)
  canvas, -- where to
  scale
)
  self:paint(canvas)
--     ^ use paint
  util.log(scale)
--     ^ use log
end

--[[ Helps. ]]
local function helper(a) return a end
--             ^ function helper | local function helper(a) | Helps.
local other = function(x) return x end
--    ^ function other | local other = function(x)
M.later = function(x) helper(x) end
  -- <- method M.later | M.later = function(x)
--                    ^ use helper
function top() end
--       ^ function top | function top() end

local t = {
--    ^ variable t | local t = {field = 1, run = function(a) return a end}
  field = 1,
  run = function(a) return a end,
  -- <- function t.run | run = function(a)
}

Class.Inner.deep = function() return 1 end
--          ^ method Class.Inner.deep | Class.Inner.deep = function()
function a.b:d() return 2 end
--           ^ method a.b.d | function a.b:d()

return M
