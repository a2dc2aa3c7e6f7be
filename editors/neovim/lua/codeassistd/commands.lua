--- `:Codeassistd {what}`.
local server = require('codeassistd.server')

local M = {}

local MINUTES = { '0', '5', '15', '30', '60', '240' }

---@param lines string[]
local function say(lines)
  vim.api.nvim_echo({ { table.concat(lines, '\n') } }, true, {})
end

--- Show what the program says, in a window of its own.
---@param title string
---@param arguments string[]
local function show_output(title, arguments)
  local command = server.program(arguments)
  if not command then
    vim.notify('codeassistd: the server is not started by a command line', vim.log.levels.WARN)
    return
  end
  if vim.fn.executable(command[1]) == 0 then
    vim.notify('codeassistd: ' .. server.fault(), vim.log.levels.WARN)
    return
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { title .. ' ...' })
  vim.cmd('botright sbuffer ' .. buffer)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, desc = 'Close' })
  vim.system(command, { text = true, stdin = false }, vim.schedule_wrap(function(done)
    if vim.api.nvim_buf_is_valid(buffer) then
      local output = vim.trim(done.stdout .. done.stderr)
      vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(output, '\n'))
      vim.bo[buffer].modifiable = false
    end
  end))
end

local function status()
  local now = require('codeassistd').status()
  local lines = { ('codeassistd: %s%s'):format(now.state, now.detail == '' and '' or (' (%s)'):format(now.detail)) }
  local clients = server.clients()
  if #clients == 0 then
    lines[#lines + 1] = 'no server runs; see :checkhealth codeassistd'
  end
  for _, client in ipairs(clients) do
    local n_buffers = vim.tbl_count(client.attached_buffers)
    local command = client.config.cmd
    local how = type(command) == 'table' and table.concat(command, ' ') or 'a function'
    local buffers = n_buffers == 1 and 'buffer' or 'buffers'
    lines[#lines + 1] = ('server %d: %d %s, %s'):format(client.id, n_buffers, buffers, how)
  end
  say(lines)
end

local function explain()
  show_output('the last request', { 'explain', 'show' })
end

---@param filetype? string
local function toggle(filetype)
  local is_on = require('codeassistd').toggle(filetype)
  say({ ('codeassistd: suggestions are %s%s'):format(is_on and 'on' or 'off', filetype and ' for ' .. filetype or '') })
end

---@param minutes? string
local function snooze(minutes)
  local number = tonumber(minutes or '30')
  if not number or number < 0 or number % 1 ~= 0 then
    vim.notify('codeassistd: :Codeassistd snooze takes whole minutes; 0 ends it', vim.log.levels.ERROR)
    return
  end
  require('codeassistd').snooze(number)
end

---@return string[]
local function conversations()
  return require('codeassistd.chat').names()
end

--- A word after `:Codeassistd`.
---@class codeassistd.Command
---@field run fun(argument?: string, lines?: { first: integer, last: integer })
---@field complete? fun(): string[]

---@type table<string, codeassistd.Command>
local COMMANDS = {
  chat = {
    run = function(session, lines)
      require('codeassistd.chat').open(session, lines)
    end,
    complete = conversations,
  },
  ['chat-delete'] = {
    run = function(session)
      require('codeassistd.chat').delete(session)
    end,
    complete = conversations,
  },
  chats = {
    run = function()
      require('codeassistd.chat').choose()
    end,
  },
  doctor = {
    run = function()
      show_output('doctor', { 'doctor' })
    end,
  },
  explain = { run = explain },
  log = {
    run = function()
      show_output('log', { 'logs', '-n', '500' })
    end,
  },
  restart = {
    run = function()
      require('codeassistd').restart()
    end,
  },
  snooze = {
    run = snooze,
    complete = function()
      return MINUTES
    end,
  },
  status = { run = status },
  toggle = {
    run = toggle,
    complete = function()
      return vim.bo.filetype == '' and {} or { vim.bo.filetype }
    end,
  },
  trigger = {
    run = function()
      require('codeassistd').trigger()
    end,
  },
}

---@return string[]
local function names()
  local all = vim.tbl_keys(COMMANDS)
  table.sort(all)
  return all
end

---@param lead string
---@param line string
---@return string[]
local function complete(lead, line)
  local words = vim.split(line, '%s+', { trimempty = true })
  local choices = names()
  if #words > 2 or (#words == 2 and lead == '') then
    local command = COMMANDS[words[2]]
    choices = command and command.complete and command.complete() or {}
  end
  return vim.tbl_filter(function(choice)
    return vim.startswith(choice, lead)
  end, choices)
end

--- Define the command.
function M.define()
  vim.api.nvim_create_user_command('Codeassistd', function(call)
    local command = COMMANDS[call.fargs[1]]
    if not command then
      local known = table.concat(names(), ', ')
      vim.notify(('codeassistd: no command %s; there are %s'):format(call.fargs[1], known), vim.log.levels.ERROR)
      return
    end
    local lines = call.range > 0 and { first = call.line1, last = call.line2 } or nil
    command.run(call.fargs[2] and table.concat(call.fargs, ' ', 2), lines)
  end, {
    nargs = '+',
    range = true,
    complete = complete,
    desc = 'Suggestions and conversations: status, toggle, snooze, chat, log, restart, explain, doctor',
  })
end

return M
