--- Where the user wants no suggestions: this session, a language, a buffer.
local options = require('codeassistd.options')

local M = {}

--- What was toggled in this session, over the options.
---@type boolean?
local session = nil
---@type table<string, boolean>
local languages = {}

---@param filetype string
---@return boolean
local function is_language_off(filetype)
  local toggled = languages[filetype]
  if toggled ~= nil then
    return toggled
  end
  return vim.tbl_contains(options.get().filetypes_off, filetype)
end

---@return boolean
local function is_session_on()
  if session ~= nil then
    return session
  end
  return options.get().enabled
end

--- Why nothing is suggested in a buffer; nil where something may be.
---@param buffer integer
---@return string?
function M.reason(buffer)
  local filetype = vim.bo[buffer].filetype
  if not is_session_on() then
    return 'off for this session (:Codeassistd toggle)'
  elseif filetype ~= '' and is_language_off(filetype) then
    return ('off for %s (:Codeassistd toggle %s)'):format(filetype, filetype)
  elseif vim.b[buffer].codeassistd_enabled == false then
    return 'off for this buffer (b:codeassistd_enabled)'
  end
  return nil
end

--- Turn suggestions on or off.
---@param filetype? string for this language only
---@return boolean on
function M.toggle(filetype)
  if filetype then
    languages[filetype] = not is_language_off(filetype)
    return not languages[filetype]
  end
  session = not is_session_on()
  return session
end

return M
