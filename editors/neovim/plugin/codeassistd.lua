-- Loaded at start; does nothing but define maps and start the server, so that it works without `setup()`.
if vim.g.loaded_codeassistd then
  return
end
vim.g.loaded_codeassistd = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('codeassistd needs Neovim 0.11 or newer', vim.log.levels.WARN)
  return
end

local ghost = require('codeassistd.ghost')

-- Neovim maps <Tab> itself, to jump in snippets; that one is not the user's, and goes on where nothing is shown.
local tab = vim.fn.maparg('<Tab>', 'i', false, true)
local is_default = vim.startswith(tab.desc or '', 'vim.snippet.jump')

vim.keymap.set('i', '<Plug>(codeassistd-accept)', function()
  if ghost.accept() then
    return ''
  end
  return is_default and tab.callback and tab.callback() or '<Tab>'
end, { expr = true, desc = 'Accept the suggestion, or insert a tab' })
vim.keymap.set('i', '<Plug>(codeassistd-dismiss)', ghost.dismiss, { desc = 'Dismiss the suggestion' })
vim.keymap.set('i', '<Plug>(codeassistd-trigger)', ghost.trigger, { desc = 'Ask for a suggestion now' })
-- The accept key is taken only where the user has not mapped it.
if vim.tbl_isempty(tab) or is_default then
  vim.keymap.set('i', '<Tab>', '<Plug>(codeassistd-accept)', { desc = 'Accept the suggestion, or insert a tab' })
end

ghost.attach()
vim.lsp.enable('codeassistd')
