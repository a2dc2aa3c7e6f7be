--- How things stand: what the server says of itself, and why nothing came where nothing came.
local answers = require('codeassistd.answers')
local compat = require('codeassistd.compat')
local events = require('codeassistd.events')
local off = require('codeassistd.off')

local M = {}

--- The server's own states, and those that only the editor knows: missing, off, silent.
---@alias codeassistd.State 'missing'|'starting'|'loading'|'indexing'|'ready'|'working'|'silent'|'off'|'error'

---@class codeassistd.Status
---@field state codeassistd.State
---@field detail string

--- What the server said last.
---@type codeassistd.Status?
local told = nil
--- Why no server runs; empty while one does or nobody has tried.
local missing = ''
--- Why the newest request gave nothing; empty if it gave something.
local silence = ''
--- Counts what makes an older reason say nothing any more: requests, answers, another buffer in front.
local n_moments = 0
--- The error that the user was told of.
local nagged = ''

--- Endings that say nothing about the place: the request was overtaken, or the model is not there yet.
local PASSING = { superseded = true, cancelled = true, loading = true, shown = true }

---@type codeassistd.Status?
local fired = nil

local function changed()
  local now = M.now(vim.api.nvim_get_current_buf())
  if not vim.deep_equal(now, fired) then
    fired = now
    events.fire('Status', now)
    vim.cmd.redrawstatus()
  end
end

--- The one state that says most: what keeps suggestions away comes before what goes on.
---@param buffer integer
---@return codeassistd.Status
function M.now(buffer)
  if missing ~= '' then
    return { state = 'missing', detail = missing }
  elseif not told then
    return { state = 'starting', detail = '' }
  elseif told.state == 'error' or told.state == 'loading' or told.state == 'starting' then
    return told
  end
  local why_off = off.reason(buffer)
  if why_off then
    return { state = 'off', detail = why_off }
  elseif answers.awaited(buffer) then
    return { state = 'working', detail = '' }
  elseif silence ~= '' then
    return { state = 'silent', detail = silence }
  end
  return told
end

--- For a statusline: empty in buffers without the server, else the state and what there is to know about it.
---@return string
function M.statusline()
  local buffer = vim.api.nvim_get_current_buf()
  if missing == '' and #vim.lsp.get_clients({ bufnr = buffer, name = 'codeassistd' }) == 0 then
    return ''
  end
  local now = M.now(buffer)
  local needs_detail = now.state == 'loading' or now.state == 'error' or now.state == 'missing'
  -- A per cent sign would be read as an item of the statusline.
  local detail = needs_detail and now.detail ~= '' and (' (%s)'):format((now.detail:gsub('%%', '%%%%'))) or ''
  return ('codeassistd %s%s'):format(now.state, detail)
end

--- Handle `codeassistd/status`.
---@param params codeassistd.Status
function M.handle(params)
  told, missing = { state = params.state, detail = params.detail or '' }, ''
  if told.state == 'error' and told.detail ~= nagged then
    nagged = told.detail
    vim.notify('codeassistd: ' .. told.detail, vim.log.levels.WARN)
  elseif told.state == 'ready' then
    nagged = ''
  end
  changed()
end

--- No server runs.
---@param why string empty where one is started now
function M.server_gone(why)
  told, missing, silence = nil, why, ''
  changed()
end

--- Another buffer is in front; why nothing came in the one before says nothing about it.
function M.entered()
  n_moments = n_moments + 1
  silence = ''
  changed()
end

--- A switch was turned.
function M.refresh()
  changed()
end

--- A request was sent.
function M.asked()
  n_moments = n_moments + 1
  changed()
end

--- A request was answered; if with nothing, find out why.
---@param client vim.lsp.Client
---@param is_empty boolean
function M.answered(client, is_empty)
  n_moments = n_moments + 1
  local moment = n_moments
  silence = ''
  changed()
  if not is_empty then
    return
  end
  compat.call(client, 'request', 'codeassistd/explain', vim.empty_dict(), function(_, span)
    if moment == n_moments and type(span) == 'table' and not PASSING[span.outcome] and type(span.reason) == 'string' then
      silence = span.reason
      changed()
    end
  end, 0)
end

return M
