-- Drives the real server from a real Neovim: `nvim --headless --clean -l` is given this file by run.sh.
--
-- Arguments: the folder `editors`, a project with a mistake in it, the parser (`gsw.so`) or nothing.

local editors, project, parser = arg[1], arg[2], arg[3]
local passed = 0

local function check(claim, holds, seen)
  if not holds then
    io.stderr:write(("FAILED: %s\n%s\n"):format(claim, vim.inspect(seen)))
    os.exit(1)
  end
  passed = passed + 1
end

--- Waits for something to be there and gives it.
local function eventually(claim, find)
  local found
  vim.wait(60000, function()
    found = find()
    return found ~= nil and found ~= false
  end, 20)
  check(claim, found, vim.api.nvim_buf_get_lines(0, 0, -1, false))
  return found
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

--- The cursor before the first place where `needle` stands.
local function go_to(needle)
  vim.fn.cursor(1, 1)
  check("there is " .. needle, vim.fn.search("\\V" .. needle, "cW") > 0, text())
end

vim.opt.runtimepath:prepend(editors .. "/neovim")
if parser then
  check("the parser loads", vim.treesitter.language.add("gsw", { path = parser }), parser)
  -- Queries are looked for in folders named after their language.
  vim.opt.runtimepath:prepend(vim.fs.dirname(parser))
end
vim.cmd("runtime plugin/gsw.lua")
vim.cmd("filetype on")
vim.cmd.edit(project .. "/main.gsw")
check("the file is a program", vim.bo.filetype == "gsw", vim.bo.filetype)

local client = eventually("the server starts", function()
  return vim.lsp.get_clients({ bufnr = 0 })[1]
end)
check("its root is the project", client.root_dir == vim.fs.normalize(project), client.root_dir)

-- Diagnostics
local report = eventually("a mistake is reported", function()
  return vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })[1]
end)
check("it is the unknown name", report.code == "unknown-name", report)

-- A fix
go_to("titel")
vim.lsp.buf.code_action({
  apply = true,
  filter = function(action)
    return action.kind == "quickfix"
  end,
})
eventually("the fix is made", function()
  return not text():find("titel", 1, true)
end)
eventually("and the report is gone", function()
  return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == 0
end)

-- Rename
go_to("shout")
vim.lsp.buf.rename("louder")
eventually("every use is renamed", function()
  local _, count = text():gsub("louder", "")
  return count == 2
end)

-- Format
vim.lsp.buf.format({ timeout_ms = 60000 })
check("the text has the one style", text():find("fn louder(text: string) -> string {", 1, true), text())

-- Completion
go_to("text.upper")
vim.fn.search("\\.", "W")
local params = function()
  return vim.lsp.util.make_position_params(0, client.offset_encoding)
end
local position = params()
-- After the dot.
position.position.character = position.position.character + 1
local answer = client:request_sync("textDocument/completion", position, 60000, 0)
local items = answer.result.items or answer.result
local labels = vim.tbl_map(function(item)
  return item.label
end, items)
check("methods of a string are offered", vim.tbl_contains(labels, "upper"), labels)

-- Hover and lenses
go_to("louder")
local hover = client:request_sync("textDocument/hover", params(), 60000, 0)
check("hover says the type", vim.inspect(hover.result):find("-> string", 1, true), hover)
vim.lsp.codelens.refresh({ bufnr = 0 })
eventually("the workflow has a lens", function()
  return #vim.lsp.codelens.get(0) > 0
end)

-- Colours
if parser then
  vim.treesitter.start(0, "gsw")
  vim.treesitter.get_parser(0, "gsw"):parse(true)
  go_to("workflow")
  local captures = vim.tbl_map(function(it)
    return it.capture
  end, vim.treesitter.get_captures_at_pos(0, vim.fn.line(".") - 1, 0))
  check("a keyword has its colour", vim.tbl_contains(captures, "keyword"), captures)
  for _, query in ipairs({ "highlights", "folds", "injections", "locals", "indents" }) do
    check(query .. " can be read", vim.treesitter.query.get("gsw", query), query)
  end
  check("a body folds", vim.treesitter.foldexpr(vim.fn.line(".")):find(">"), vim.treesitter.foldexpr(vim.fn.line(".")))
end

client:stop()
check("the server ends when it is asked to", vim.wait(60000, function()
  return client:is_stopped()
end), client)
print(("neovim: %d passed, 0 failed"):format(passed))
os.exit(0)
