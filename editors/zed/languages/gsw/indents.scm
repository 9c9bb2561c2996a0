; How a new line is indented: one level deeper inside of brackets.

(_ "{" "}" @end) @indent
(_ "[" "]" @end) @indent
(_ "(" ")" @end) @indent
