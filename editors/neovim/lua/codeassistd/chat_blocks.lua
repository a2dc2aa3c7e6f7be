--- Fenced blocks of code in an answer: finding one, and making it fit where it goes. Pure.
local M = {}

--- The fence that opens or closes a block.
---@param line string
---@return string? fence the marks alone
local function fence_of(line)
  return line:match('^%s*(```+)') or line:match('^%s*(~~~+)')
end

--- The lines of a block, without its fences.
---@class codeassistd.Block
---@field first integer row of the first line of code, from 1
---@field lines string[]

--- All blocks in order; one that is still being written ends with the text.
---@param lines string[]
---@return codeassistd.Block[]
function M.all(lines)
  local blocks, open, fence = {}, nil, nil
  for row, line in ipairs(lines) do
    local marks = fence_of(line)
    if not open and marks then
      open, fence = { first = row + 1, lines = {} }, marks
    elseif open and marks and vim.startswith(marks, fence) and vim.trim(line) == marks then
      blocks[#blocks + 1] = open
      open = nil
    elseif open then
      open.lines[#open.lines + 1] = line
    end
  end
  blocks[#blocks + 1] = open
  return blocks
end

--- The block at a row, else the nearest above it, as the newest one is when the cursor stands on the prompt.
---@param lines string[]
---@param row integer from 1
---@return string[]? code nil where there is none
function M.at(lines, row)
  local found = nil
  for _, block in ipairs(M.all(lines)) do
    if block.first - 1 <= row then
      found = block.lines
    end
  end
  return found
end

---@param line string
---@return string
local function indent_of(line)
  return line:match('^%s*')
end

--- Code with another indentation: what all its lines share is taken away, and `indent` put in front.
---@param code string[]
---@param indent string
---@return string[]
function M.indented(code, indent)
  local shared = nil
  for _, line in ipairs(code) do
    if line:find('%S') then
      local own = indent_of(line)
      while shared and not vim.startswith(own, shared) do
        shared = shared:sub(1, -2)
      end
      shared = shared or own
    end
  end
  return vim.tbl_map(function(line)
    return line:find('%S') and indent .. line:sub(#(shared or '') + 1) or ''
  end, code)
end

return M
