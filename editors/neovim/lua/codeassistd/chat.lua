--- Conversations about the code: `:Codeassistd chat`.
---
--- The daemon keeps what was said; a buffer shows it, and takes the next question in its last line.
local Blocks = require('codeassistd.chat_blocks')
local chat_buffer = require('codeassistd.chat_buffer')
local compat = require('codeassistd.compat')

local M = {}

local METHOD = 'codeassistd/chat'
local DEFAULT = 'default'
local NAME = 'codeassistd'
local LIST_MS = 1000
local SHARE_OF_WIDTH = 0.45

--- The answer that is on its way.
---@class codeassistd.Answering
---@field token string
---@field answer codeassistd.Answer
---@field take_back fun()

--- A conversation belongs to a workspace and has a name there.
---@class codeassistd.Chat
---@field session string
---@field root? string
---@field buffer integer
---@field answering? codeassistd.Answering
---@field selection? { buffer: integer, first: integer, last: integer } lines that go with the next question, from 1

--- The conversations that have a buffer, by it.
---@type table<integer, codeassistd.Chat>
local chats = {}
local n_asked = 0

---@param text string
local function warn(text)
  vim.notify('codeassistd: ' .. text, vim.log.levels.WARN)
end

--- The client of a conversation's workspace, also after a restart.
---@param root? string
---@return vim.lsp.Client?
local function client_of(root)
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    if client.config.root_dir == root then
      return client
    end
  end
  return nil
end

--- The client of what the user looks at.
---@return vim.lsp.Client?
local function nearest_client()
  local here = vim.api.nvim_get_current_buf()
  return chats[here] and client_of(chats[here].root)
    or vim.lsp.get_clients({ name = NAME, bufnr = here })[1]
    or vim.lsp.get_clients({ name = NAME })[1]
end

--- The client of what the user looks at, if it holds conversations; says why if it does not.
---@return vim.lsp.Client?
local function client_here()
  local client = nearest_client()
  if not client then
    warn('no server runs here; open a file first, or see :checkhealth codeassistd')
    return nil
  end
  local capabilities = client.server_capabilities or {}
  if not vim.tbl_get(capabilities, 'experimental', NAME, 'chat') then
    warn('this server has no conversations; install a newer one')
    return nil
  end
  return client
end

--- The window with the file that the user works on, seen from a conversation.
---@return integer? window
local function file_window()
  local before = vim.fn.win_getid(vim.fn.winnr('#'))
  local windows = vim.list_extend({ before }, vim.api.nvim_tabpage_list_wins(0))
  for _, window in ipairs(windows) do
    if window ~= 0 and #vim.lsp.get_clients({ name = NAME, bufnr = vim.api.nvim_win_get_buf(window) }) > 0 then
      return window
    end
  end
  return nil
end

---@param chat codeassistd.Chat
local function tell_state(chat)
  local about = chat.answering and 'answering; <C-c> ends it' or 'gp puts code into the file, gy yanks it'
  if chat.selection then
    about = ('the next question is about lines %d to %d'):format(chat.selection.first, chat.selection.last)
  end
  for _, window in ipairs(vim.fn.win_findbuf(chat.buffer)) do
    vim.wo[window].winbar = (' %s: %s'):format(chat.session, about):gsub('%%', '%%%%')
  end
end

--- What goes with a question beside its words.
---@param chat codeassistd.Chat
---@return table
local function circumstances(chat)
  local lines = chat.selection
  if lines and vim.api.nvim_buf_is_valid(lines.buffer) then
    return {
      textDocument = { uri = vim.uri_from_bufnr(lines.buffer) },
      selection = { start = { line = lines.first - 1, character = 0 }, ['end'] = { line = lines.last, character = 0 } },
    }
  end
  local window = file_window()
  return window and { textDocument = { uri = vim.uri_from_bufnr(vim.api.nvim_win_get_buf(window)) } } or {}
end

--- What was read for an answer, and what is to be said about it.
---@param result table
---@return string[]
local function notes_of(result)
  local notes = {}
  if result.ended == 'length' then
    notes[#notes + 1] = '_The answer is as long as chat.max_tokens allows; ask to go on._'
  end
  for _, warning in ipairs(result.warnings) do
    notes[#notes + 1] = ('_Note: %s_'):format(warning)
  end
  local parts = vim.tbl_map(function(part)
    return ('%s %d'):format(part.label, part.n_tokens)
  end, result.parts)
  local about = #parts > 0 and table.concat(parts, ', ') .. '; ' or ''
  notes[#notes + 1] = ('_Read: %s%d tokens in all, %d of them from the cache_'):format(about, result.n_prompt, result.n_cached)
  return notes
end

---@param chat codeassistd.Chat
---@param text? string
---@param notes string[]
local function finish(chat, text, notes)
  local answering = chat.answering
  chat.answering = nil
  if answering and vim.api.nvim_buf_is_valid(chat.buffer) then
    chat_buffer.finish(chat.buffer, answering.answer, text, notes)
    tell_state(chat)
  end
end

---@param chat codeassistd.Chat
---@param text string
local function ask(chat, text)
  if vim.trim(text) == '' then
    return
  end
  local client = client_of(chat.root)
  if chat.answering or not client then
    chat_buffer.put_back(chat.buffer, text)
    warn(chat.answering and 'it still answers; <C-c> ends that' or 'no server runs for this workspace; see :checkhealth codeassistd')
    return
  end
  n_asked = n_asked + 1
  local token = ('codeassistd-chat-%d'):format(n_asked)
  local params = vim.tbl_extend('error', circumstances(chat), {
    session = chat.session,
    text = text,
    partialResultToken = token,
  })
  chat.selection = nil
  local mine = { token = token, answer = chat_buffer.begin(chat.buffer), take_back = function() end }
  chat.answering = mine
  local _, id = compat.call(client, 'request', METHOD, params, function(failure, result)
    if chat.answering ~= mine then
      return
    end
    if failure then
      finish(chat, nil, { ('_Error: %s_'):format(failure.message) })
    else
      finish(chat, result.text, notes_of(result))
    end
  end, chat.buffer)
  mine.take_back = function()
    if id then
      compat.call(client, 'cancel_request', id)
    end
  end
  tell_state(chat)
end

--- End the answer of a conversation; what was said stays.
---@param chat codeassistd.Chat
local function cancel(chat)
  if chat.answering then
    chat.answering.take_back()
    -- Neovim tells nobody of the answer to a request that was taken back.
    finish(chat, nil, { '_Ended by you._' })
  end
end

--- The block of code at the cursor of a conversation; says so if there is none.
---@param chat codeassistd.Chat
---@return string[]?
local function block(chat)
  local lines = vim.api.nvim_buf_get_lines(chat.buffer, 0, -1, false)
  local code = Blocks.at(lines, vim.api.nvim_win_get_cursor(0)[1])
  if not code then
    warn('no block of code here or above')
  end
  return code
end

---@param chat codeassistd.Chat
local function yank(chat)
  local code = block(chat)
  if code then
    vim.fn.setreg(vim.v.register, code, 'l')
    vim.notify(('codeassistd: %d lines yanked'):format(#code))
  end
end

--- Put the block of code into the file: in place of a blank line with the cursor, below another.
---@param chat codeassistd.Chat
local function put(chat)
  local code, window = block(chat), file_window()
  if not code then
    return
  end
  if not window then
    warn('no window with a file is open')
    return
  end
  local buffer = vim.api.nvim_win_get_buf(window)
  if not vim.bo[buffer].modifiable then
    warn('the file cannot be changed')
    return
  end
  local row = vim.api.nvim_win_get_cursor(window)[1]
  local line = vim.api.nvim_buf_get_lines(buffer, row - 1, row, false)[1]
  local is_blank = not line:find('%S')
  local fitted = Blocks.indented(code, line:match('^%s*'))
  vim.api.nvim_buf_set_lines(buffer, is_blank and row - 1 or row, row, false, fitted)
  vim.api.nvim_set_current_win(window)
  vim.cmd.stopinsert()
  vim.api.nvim_win_set_cursor(window, { is_blank and row or row + 1, 0 })
end

---@param chat codeassistd.Chat
---@param client vim.lsp.Client
local function restore(chat, client)
  compat.call(client, 'request', METHOD .. '/open', { session = chat.session }, function(failure, result)
    if failure then
      warn(failure.message)
      return
    end
    for _, turn in ipairs(vim.api.nvim_buf_is_valid(chat.buffer) and result.turns or {}) do
      chat_buffer.add(chat.buffer, chat_buffer.turn(turn))
    end
  end, 0)
end

---@param session string
---@param client vim.lsp.Client
---@return codeassistd.Chat
local function make(session, client)
  local chat = { session = session, root = client.config.root_dir }
  local function with(run)
    return function(...)
      run(chat, ...)
    end
  end
  local name = ('codeassistd://%s/%s'):format(chat.root or '', session)
  chat.buffer = chat_buffer.make(name, { ask = with(ask), cancel = with(cancel), put = with(put), yank = with(yank) })
  chats[chat.buffer] = chat
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = chat.buffer,
    callback = function()
      cancel(chat)
      chats[chat.buffer] = nil
    end,
  })
  restore(chat, client)
  return chat
end

---@param session string
---@param root? string
---@return codeassistd.Chat?
local function known(session, root)
  for _, chat in pairs(chats) do
    if chat.session == session and chat.root == root then
      return chat
    end
  end
  return nil
end

--- Show a conversation beside the file, and begin to write in it.
---@param buffer integer
local function show(buffer)
  local window = vim.fn.bufwinid(buffer)
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd(('botright vertical %d split'):format(math.floor(vim.o.columns * SHARE_OF_WIDTH)))
    vim.api.nvim_win_set_buf(0, buffer)
    vim.wo.wrap, vim.wo.linebreak, vim.wo.number, vim.wo.relativenumber = true, true, false, false
  end
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buffer), 0 })
  vim.cmd.startinsert({ bang = true })
end

--- Open a conversation.
---@param session? string "default" by default
---@param lines? { first: integer, last: integer } what the next question is about
function M.open(session, lines)
  local client = client_here()
  if not client then
    return
  end
  session = session or DEFAULT
  local here = vim.api.nvim_get_current_buf()
  local chat = known(session, client.config.root_dir) or make(session, client)
  if lines and not chats[here] then
    chat.selection = { buffer = here, first = lines.first, last = lines.last }
  end
  show(chat.buffer)
  tell_state(chat)
end

--- The names of the workspace's conversations, the newest first; none where the server does not answer at once.
---@return string[]
function M.names()
  local client = nearest_client()
  local answer = client and compat.call(client, 'request_sync', METHOD .. '/list', vim.empty_dict(), LIST_MS, 0)
  local sessions = answer and answer.result and answer.result.sessions or {}
  return vim.tbl_map(function(one)
    return one.session
  end, sessions)
end

--- Choose a conversation from a list, and open it.
function M.choose()
  local names = client_here() and M.names() or {}
  if #names == 0 then
    warn('no conversation in this workspace yet; :Codeassistd chat begins one')
    return
  end
  vim.ui.select(names, { prompt = 'Conversation' }, function(session)
    if session then
      M.open(session)
    end
  end)
end

--- Delete a conversation, also on the disk.
---@param session? string that of the current buffer by default
function M.delete(session)
  local client = client_here()
  local here = chats[vim.api.nvim_get_current_buf()]
  session = session or (here and here.session)
  if not client then
    return
  end
  if not session then
    warn('which conversation? :Codeassistd chat-delete {name}')
    return
  end
  compat.call(client, 'request', METHOD .. '/delete', { session = session }, function(failure)
    if failure then
      warn(failure.message)
      return
    end
    local chat = known(session, client.config.root_dir)
    if chat then
      vim.api.nvim_buf_delete(chat.buffer, { force = true })
    end
    vim.notify(('codeassistd: the conversation %s is deleted'):format(session))
  end, 0)
end

--- Take a piece of an answer from the server's `$/progress`.
---@param params { token: any, value: any }
---@return boolean taken false where it is somebody else's
function M.progressed(params)
  for _, chat in pairs(chats) do
    if chat.answering and chat.answering.token == params.token then
      chat_buffer.grow(chat.buffer, chat.answering.answer, params.value.text)
      return true
    end
  end
  return type(params.token) == 'string' and vim.startswith(params.token, 'codeassistd-chat-')
end

return M
