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

vim.keymap.set('i', '<Plug>(codeassistd-accept)', function()
  return ghost.accept() and '' or '<Tab>'
end, { expr = true, desc = 'Accept the suggestion, or insert a tab' })
vim.keymap.set('i', '<Plug>(codeassistd-dismiss)', ghost.dismiss, { desc = 'Dismiss the suggestion' })
vim.keymap.set('i', '<Plug>(codeassistd-trigger)', ghost.trigger, { desc = 'Ask for a suggestion now' })
-- The accept key is taken only where nobody has mapped it yet.
if vim.fn.maparg('<Tab>', 'i') == '' then
  vim.keymap.set('i', '<Tab>', '<Plug>(codeassistd-accept)', { desc = 'Accept the suggestion, or insert a tab' })
end

ghost.attach()
vim.lsp.enable('codeassistd')
