#!/usr/bin/env python3
"""How compile time and the size of what is made grow with the size of a program, shape by shape.

Usage: growth.py GSWC [--size N] [--only WORD] [--budget SECONDS] [--all]
Each shape is written at N, 2N and 4N. A line is printed for what takes noticeable time and grows faster than the program does
(`--all`: for everything): processor seconds of `check`, `build` and `fmt` and bytes of the image at each size.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SHAPES = {}
# The length of a chain of operators or calls is bounded by the depth of a tree of syntax.
CHAIN = 300
# From this on a growth by more than the size of the program is worth a look, in processor seconds.
NOTICEABLE = 0.5


def shape(make):
    SHAPES[make.__name__] = make
    return make


def lines(n, text):
    return "\n".join(text.replace("#1", str(i + 1)).replace("#", str(i)) for i in range(n))


def workflow(body, result="int"):
    return f"workflow main(a: int, s: string, xs: [int]) -> {result} {{\n{body}\n}}\n"


# Declarations.


@shape
def attributes_that_are_left_open(n):
    return "fn f() {\n" + lines(n, "@a(")


@shape
def functions(n):
    return lines(n, "fn f#(x: int) -> int { x + # }") + "\n" + workflow("  var t = a\n" + lines(n, "  t = f#(t)") + "\n  t")


@shape
def functions_in_a_chain(n):
    return lines(n, "fn f#(x: int) -> int { f#1(x) + # }") + f"\nfn f{n}(x: int) -> int {{ x }}\n" + workflow("  f0(a)")


@shape
def waiting_functions_in_a_chain(n):
    return lines(n, "fn f#(x: int) -> int { f#1(x) + # }") + f"\nfn f{n}(x: int) -> int {{ sleep(1ms); x }}\n" + workflow("  f0(a)")


@shape
def functions_in_a_chain_backwards(n):
    return "fn f0(x: int) -> int { x }\n" + lines(n, "fn f#1(x: int) -> int { f#(x) + # }") + "\n" + workflow(f"  f{n}(a)")


@shape
def functions_in_a_cycle(n):
    last = f"fn f{n}(x: int) -> int {{ if x > 0 {{ f0(x - 1) }} else {{ fail E() }} }}\nerror E()\n"
    return lines(n, "fn f#(x: int) -> int { f#1(x) + # }") + "\n" + last + workflow("  f0(a)")


@shape
def errors_in_a_chain(n):
    raised = "error E#()\nfn f#(x: int) -> int { if x == # { fail E#() }\n f#1(x) }"
    return lines(n, raised) + f"\nfn f{n}(x: int) -> int {{ x }}\n" + workflow("  f0(a)")


@shape
def errors_in_a_cycle(n):
    raised = "error E#()\nfn f#(x: int) -> int { if x == # { fail E#() }\n f#1(x) }"
    return lines(n, raised) + f"\nfn f{n}(x: int) -> int {{ f0(x) }}\n" + workflow("  f0(a)")


@shape
def errors_caught(n):
    arms = lines(n, "    E# => #")
    return lines(n, "error E#()\nfn f#(x: int) -> int { fail E#() }") + "\n" + workflow("  do {\n" + lines(n, "    let _ = f#(a)") + "\n  0\n  } catch {\n" + arms + "\n  }")


@shape
def fields(n):
    literal = lines(n, "    f#: a + #")
    used = "\n".join(f"  t += r.f{i}" for i in range(n))
    return "type R {\n" + lines(n, "  f#: int") + "\n}\n" + workflow("  let r = R {\n" + literal + "\n  }\n  var t = 0\n" + used + "\n  t")


@shape
def fields_checked(n):
    return "type R {\n" + lines(n, "  f#: int where it > # and it < 1_000_000") + "\n}\n" + "prompt ask() -> R { user \"x\" }\n" + workflow("  ask().f0")


@shape
def fields_optional_and_defaults(n):
    return "type R {\n" + lines(n, "  f#: int?\n  g#: string = \"#\"") + "\n}\n" + workflow("  let r = R {}\n  r.to_json()", "json")


@shape
def fields_assigned(n):
    head = "type R {\n" + lines(n, "  f#: int = 0") + "\n}\n"
    return head + workflow("  var r = R {}\n" + lines(n, "  r.f# = a + #") + "\n  r.f0")


@shape
def records_updated(n):
    return "type R { f: int = 0, g: int = 1, h: int = 2 }\n" + workflow("  let r0 = R { f: a }\n" + lines(n, "  let r#1 = R { g: a, ..r# }") + f"\n  r{n}.f")


@shape
def types_in_a_chain(n):
    return lines(n, "type R# { next: R#1?, n: int }") + f"\ntype R{n} {{ n: int }}\nprompt ask() -> R0 {{ user \"x\" }}\n" + workflow("  ask().n")


@shape
def types_in_a_chain_twice(n):
    return lines(n, "type R# { left: R#1?, right: R#1?, n: int }") + f"\ntype R{n} {{ n: int }}\nprompt ask() -> R0 {{ user \"x\" }}\n" + workflow("  ask().n")


@shape
def types_in_a_chain_compared(n):
    n = n // 5
    return lines(n, "type R# { left: R#1, right: R#1 }") + f"\ntype R{n} {{ n: int }}\nfn same(x: R0, y: R0) -> bool {{ x == y }}\n" + workflow("  0")


@shape
def types_recursive_together(n):
    other = "type R# { a: R#1?, b: [R0], n: int }"
    return lines(n, other) + f"\ntype R{n} {{ n: int, z: R0? }}\nprompt ask() -> R0 {{ user \"x\" }}\n" + workflow("  ask().n")


@shape
def aliases_in_a_chain(n):
    return lines(n, "type A# = A#1") + f"\ntype A{n} = int\n" + "fn f(x: A0) -> A0 { x }\n" + workflow("  f(a)")


@shape
def checked_aliases_in_a_chain(n):
    return lines(n, "type A# = A#1 where it != #") + f"\ntype A{n} = int where it > -9\n" + "fn f(x: A0) -> A0 { x }\n" + workflow("  f(-1)")


@shape
def variants(n):
    arms = lines(n, "    V# => #")
    return "enum E {\n" + lines(n, "  V#") + "\n}\nfn f(e: E) -> int {\n  match e {\n" + arms + "\n  }\n}\n" + workflow("  f(V0)")


@shape
def variants_with_payload(n):
    arms = lines(n, "    V#(x, _) => x")
    return "enum E {\n" + lines(n, "  V#(x: int, y: string)") + "\n}\nprompt ask() -> E { user \"x\" }\n" + workflow("  match ask() {\n" + arms + "\n  }")


@shape
def variants_nested(n):
    arms = lines(n, "    V#(true, none) => 1\n    V#(false, _) => 2\n    V#(_, x) => x ?? 0")
    return "enum E {\n" + lines(n, "  V#(b: bool, y: int?)") + "\n}\nfn f(e: E) -> int {\n  match e {\n" + arms + "\n  }\n}\n" + workflow("  f(V0(true, 1))")


@shape
def variants_in_pairs(n):
    arms = lines(n, "    (V#, V#1) => #") + "\n    _ => 0"
    return "enum E {\n" + lines(n + 1, "  V#") + "\n}\nfn f(e: E, g: E) -> int {\n  match (e, g) {\n" + arms + "\n  }\n}\n" + workflow("  f(V0, V0)")


@shape
def literal_union(n):
    union = " | ".join(f'"v{i}"' for i in range(n))
    arms = lines(n, '    "v#" => #')
    return f"type U = {union}\nfn f(u: U) -> int {{\n  match u {{\n{arms}\n  }}\n}}\n" + workflow('  f("v0")')


@shape
def constants_in_a_chain(n):
    return lines(n, "const C#: int = C#1 + 1") + f"\nconst C{n}: int = 1\n" + workflow("  C0")


@shape
def constants_in_a_chain_twice(n):
    return lines(n, "const C#: int = (C#1 + C#1) % 1_000") + f"\nconst C{n}: int = 1\n" + workflow("  C0")


@shape
def constants_backwards(n):
    return "const C0: int = 1\n" + lines(n, "const C#1: int = C# + 1") + "\n" + workflow(f"  C{n}")


@shape
def constants(n):
    return lines(n, 'const C# = "text #"') + "\n" + workflow("  var t = 0\n" + lines(n, "  t += C#.len()") + "\n  t")


@shape
def constant_list(n):
    return "const XS = [" + ", ".join(map(str, range(n))) + "]\n" + workflow("  XS.len()")


@shape
def constant_map(n):
    return "const XS = { " + ", ".join(f'"k{i}": {i}' for i in range(n)) + " }\n" + workflow("  XS.len()")


@shape
def constant_records(n):
    return "type R { a: int, b: string }\nconst XS = [\n" + lines(n, '  R { a: #, b: "x#" },') + "\n]\n" + workflow("  XS.len()")


@shape
def methods(n):
    return "type R { n: int }\n" + lines(n, "fn R.m#(self) -> int { self.n + # }") + "\n" + workflow("  let r = R { n: a }\n  var t = 0\n" + lines(n, "  t += r.m#()") + "\n  t")


@shape
def parameters(n):
    n = min(n, CHAIN)
    head = "fn f(" + ", ".join(f"p{i}: int = {i}" for i in range(n)) + ") -> int { " + " + ".join(f"p{i}" for i in range(n)) + " }\n"
    return head + workflow("  f(1) + f(" + ", ".join(map(str, range(n))) + ")")


@shape
def parameters_from_earlier(n):
    return "fn f(p0: int" + "".join(f", p{i + 1}: int = p{i} + 1" for i in range(n)) + f") -> int {{ p{n} }}\n" + workflow("  f(1)")


@shape
def prompts(n):
    return lines(n, 'prompt p#(x: string) -> string { user "Say ${x} #" }') + "\n" + workflow("  var t = s\n" + lines(n, "  t = p#(t)") + "\n  t.len()")


@shape
def prompts_with_types(n):
    return lines(n, 'type R# { a: int, b: [string] }\nprompt p#(x: string) -> R# { user "Say ${x} #" }') + "\n" + workflow("  var t = 0\n" + lines(n, "  t += p#(s).a") + "\n  t")


@shape
def prompts_of_one_type(n):
    return "type R { a: int, b: [string] }\n" + lines(n, 'prompt p#(x: string) -> R { user "Say ${x} #" }') + "\n" + workflow("  var t = 0\n" + lines(n, "  t += p#(s).a") + "\n  t")


@shape
def prompt_examples(n):
    return "prompt p(x: string) -> int {\n" + lines(n, '  example ("x#") -> #') + '\n  user "Say ${x}"\n}\n' + workflow("  p(s)")


@shape
def prompt_turns(n):
    return "prompt p(x: string) -> int {\n" + lines(n, '  user "Say ${x} #"\n  assistant "I say #"') + '\n  user "Say ${x}"\n}\n' + workflow("  p(s)")


@shape
def agents(n):
    return lines(n, 'agent a# {\n  model: "anthropic/claude-sonnet-5-5"\n  system: "You are #."\n}\nprompt p#(x: string) -> string by a# { user "Say ${x} #" }') + "\n" + workflow("  var t = s\n" + lines(n, "  t = p#(t)") + "\n  t.len()")


@shape
def tools(n):
    names = ", ".join(f"t{i}" for i in range(n))
    return lines(n, '/// Tool #.\ntool t#(x: string) -> string reads { "${x} #" }') + f'\nagent a {{\n  model: "anthropic/claude-sonnet-5-5"\n  tools: [{names}]\n}}\nprompt p(x: string) -> string by a {{ user "Say ${{x}}" }}\n' + workflow("  p(s).len()")


@shape
def tools_of_a_server(n):
    tools = lines(n, "/// It.\ntool t#(a: string) -> json once by big")
    return 'mcp big = stdio("big")\n' + tools + "\n" + workflow("  a")


@shape
def workflows(n):
    return lines(n, "workflow w#(x: int) -> int { x + # }") + "\n" + workflow("  var t = a\n" + lines(n, "  t = w#(t)") + "\n  t")


@shape
def tests(n):
    return "fn f(x: int) -> int { x }\n" + lines(n, 'test "t#" { assert f(#) == # }') + "\n" + workflow("  0")


@shape
def humans(n):
    return lines(n, 'human h#(x: string) -> bool { user "Is ${x} #?" }') + "\n" + workflow("  var t = a\n" + lines(n, "  if h#(s) { t += 1 }") + "\n  t")


@shape
def imports_in_a_chain(n):
    files = {f"m{i}.gsw": f"import ./m{i + 1}\nfn f(x: int) -> int {{ m{i + 1}.f(x) + 1 }}\n" for i in range(n)}
    files[f"m{n}.gsw"] = "fn f(x: int) -> int { x }\n"
    files["main.gsw"] = "import ./m0\n" + workflow("  m0.f(a)")
    return files


@shape
def imports_in_a_star(n):
    files = {f"m{i}.gsw": f"fn f{i}(x: int) -> int {{ x + {i} }}\n" for i in range(n)}
    files["main.gsw"] = lines(n, "import ./m#") + "\n" + workflow("  var t = a\n" + lines(n, "  t = m#.f#(t)") + "\n  t")
    return files


@shape
def imports_in_a_ladder(n):
    """Each file imports the next two: the paths through it are exponential."""
    files = {f"m{i}.gsw": f"import ./m{i + 1}\nimport ./m{i + 2}\nfn f(x: int) -> int {{ m{i + 1}.f(x) + m{i + 2}.f(x) }}\n" for i in range(n)}
    files[f"m{n}.gsw"] = files[f"m{n + 1}.gsw"] = "fn f(x: int) -> int { x }\n"
    files["main.gsw"] = "import ./m0\n" + workflow("  m0.f(a)")
    return files


@shape
def imports_selected(n):
    names = ", ".join(f"f{i}" for i in range(n))
    return {"m.gsw": lines(n, "fn f#(x: int) -> int { x + # }") + "\n", "main.gsw": f"import ./m.{{{names}}}\n" + workflow("  var t = a\n" + lines(n, "  t = f#(t)") + "\n  t")}


@shape
def generic_instances(n):
    return "fn id<T>(x: T) -> T { x }\n" + lines(n, "type R# { n: int }") + "\n" + workflow("  var t = a\n" + lines(n, "  t += id(R# { n: # }).n") + "\n  t")


@shape
def generic_in_a_chain(n):
    return lines(n, "fn f#<T>(x: T) -> T { f#1(x) }") + f"\nfn f{n}<T>(x: T) -> T {{ x }}\n" + workflow("  f0(a) + f0(s).len()")


@shape
def generic_nested_types(n):
    """A type that grows at each call; nesting is bounded, so `n` is scaled down."""
    ty = "int"
    for _ in range(1 + n // 20):
        ty = f"[{ty}]"
    return f"fn f(x: {ty}) -> {ty} {{ x }}\n" + workflow("  f([]).len()")


@shape
def generic_pairs(n):
    """A type whose text doubles with each step."""
    body = "  let p0 = pair(a, a)\n" + lines(min(n // 10, 60), "  let p#1 = pair(p#.first, p#.first)") + "\n  0"
    return "type Pair<A> { first: A, second: A }\nfn pair<A>(x: A, y: A) -> Pair<A> { Pair { first: x, second: y } }\n" + workflow(body)


@shape
def tuples_doubled(n):
    """A type whose text doubles with each step."""
    return workflow("  let p0 = (a, a)\n" + lines(min(n // 50, 10), "  let p#1 = (p#, p#)") + "\n  0")


@shape
def pipelines(n):
    """Closures over a list, as a model writes them."""
    return workflow("  var t = 0\n" + lines(n, "  t += xs.map(x => x + #).filter(x => x > a).fold(0, (x, y) => x + y)") + "\n  t")


@shape
def pipelines_with_records(n):
    body = "  t += [R# { n: a }].map(r => R# { n: r.n + 1 }).filter(r => r.n > #).sort_by(r => r.n).len()"
    return lines(n, "type R# { n: int }") + "\n" + workflow("  var t = 0\n" + lines(n, body) + "\n  t")


@shape
def pipeline_in_a_line(n):
    n = min(n, CHAIN)
    return workflow("  xs\n" + lines(n, "    .map(x => x + #)") + "\n    .len()")


@shape
def comments(n):
    return lines(n, "// Comment #.") + "\n" + workflow(lines(n, "  // Comment #.") + "\n  a")


@shape
def comments_at_ends(n):
    return workflow("  let xs = [\n" + lines(n, "    #, // Comment #.") + "\n  ]\n  xs.len()")


@shape
def documentation(n):
    return lines(n, "/// Text #.") + "\n" + workflow("  a")


@shape
def blank_lines(n):
    return workflow("\n" * n * 10 + "  a")


@shape
def mistakes_of_names(n):
    return workflow(lines(n, "  let _ = unknown#") + "\n  a")


@shape
def mistakes_of_types(n):
    return workflow(lines(n, '  let x#: int = "a"') + "\n  a")


@shape
def mistakes_of_syntax(n):
    return workflow(lines(n, "  let = # )") + "\n  a")


@shape
def mistakes_in_names_with_many_near(n):
    return lines(n, "fn some_name_#() -> int { # }") + "\n" + workflow(lines(n, "  let _ = some_nam_#()") + "\n  a")


@shape
def unused_variables(n):
    return workflow(lines(n, "  let x# = #") + "\n  a")


@shape
def brackets_unclosed(n):
    return workflow("  " + "(" * n)


# Bodies.


@shape
def lets(n):
    return workflow("  let v0 = a\n" + lines(n, "  let v#1 = v# + 1") + f"\n  v{n}")


@shape
def lets_of_strings(n):
    return workflow("  let v0 = s\n" + lines(n, '  let v#1 = "${v#}#"') + f"\n  v{n}.len()")


@shape
def lets_alive(n):
    return workflow(lines(n, '  let v# = "${s}#"') + "\n  [" + ", ".join(f"v{i}" for i in range(n)) + "].len()")


@shape
def lets_alive_across_waits(n):
    return workflow(lines(n, '  let v# = "${s}#"\n  sleep(1ms)') + "\n  [" + ", ".join(f"v{i}" for i in range(n)) + "].len()")


@shape
def vars_assigned_in_branches(n):
    n = min(n, CHAIN)
    return workflow(lines(n, "  var v# = #") + "\n" + lines(n, "  if a == # { v# += 1 }") + "\n  " + " + ".join(f"v{i}" for i in range(n)))


@shape
def vars_captured(n):
    n = min(n, CHAIN)
    return workflow(lines(n, "  var v# = #") + "\n  let f = () => {\n" + lines(n, "    v# += 1") + "\n  }\n  f()\n  " + " + ".join(f"v{i}" for i in range(n)))


@shape
def states(n):
    return workflow(lines(n, "  state v#: int = #") + "\n" + lines(n, "  v# += a") + "\n  v0")


@shape
def ifs(n):
    return workflow("  var t = 0\n" + lines(n, "  if a == # { t += # } else { t -= 1 }") + "\n  t")


@shape
def ifs_with_strings(n):
    return workflow('  var t = ""\n' + lines(n, '  if a == # { t += "a#" } else { t = "${t}${s}" }') + "\n  t.len()")


@shape
def ifs_else(n):
    n = min(n, CHAIN)
    return workflow("  if a < 0 { 0 }\n" + lines(n, "  else if a == # { # }") + "\n  else { 1 }")


@shape
def ifs_else_strings(n):
    n = min(n, CHAIN)
    return workflow('  let t = if s == "" { "0" }\n' + lines(n, '  else if s == "x#" { "#" }') + '\n  else { s }\n  t.len()')


@shape
def ifs_with_return(n):
    return workflow(lines(n, "  if a == # { return # }") + "\n  0")


@shape
def ifs_with_return_and_strings_alive(n):
    return workflow(lines(n, '  let v# = "${s}#"\n  if a == # { return v#.len() }') + "\n  [" + ", ".join(f"v{i}" for i in range(n)) + "].len()")


@shape
def ifs_with_fail(n):
    return workflow(lines(n, '  if a == # { fail Failed("no #") }') + "\n  0")


@shape
def guards(n):
    n = min(n, CHAIN)
    return workflow(lines(n, "  let y# = xs.get(#) else { return # }") + "\n  " + " + ".join(f"y{i}" for i in range(n)))


@shape
def matches(n):
    return workflow("  var t = 0\n" + lines(n, "  t += match xs.get(#) { none => 1, 0 => 2, n if n < 0 => 3, n => n }") + "\n  t")


@shape
def match_ints(n):
    return workflow("  match a {\n" + lines(n, "    # => #1") + "\n    _ => 0\n  }")


@shape
def match_int_ranges(n):
    return workflow("  match a {\n" + "\n".join(f"    {i * 10}..={i * 10 + 5} => {i}" for i in range(n)) + "\n    _ => 0\n  }")


@shape
def match_strings(n):
    return workflow("  match s {\n" + lines(n, '    "k#" => #') + "\n    _ => 0\n  }")


@shape
def match_guards(n):
    return workflow("  match a {\n" + lines(n, "    x if x == # => #1") + "\n    _ => 0\n  }")


@shape
def match_tuples(n):
    return workflow("  match (a, s, xs) {\n" + lines(n, '    (#, "k#", [#, ..]) => #') + "\n    _ => 0\n  }")


@shape
def match_tuples_of_bools(n):
    width = min(n // 20, 40)
    arms = "\n".join("    (" + ", ".join("true" if j == i else "_" for j in range(width)) + f") => {i}" for i in range(width))
    value = "(" + ", ".join(f"a == {i}" for i in range(width)) + ")"
    return workflow(f"  match {value} {{\n{arms}\n    _ => 0\n  }}")


@shape
def match_tuples_diagonal(n):
    width = min(n // 20, 40)
    cell = lambda row, column: {row: "true", row + 1: "false"}.get(column, "_")
    arms = "\n".join("    (" + ", ".join(cell(i, j) for j in range(width)) + f") => {i}" for i in range(width))
    value = "(" + ", ".join(f"a == {i}" for i in range(width)) + ")"
    return workflow(f"  match {value} {{\n{arms}\n    _ => 0\n  }}")


@shape
def match_lists(n):
    arms = "\n".join("    [" + ", ".join(["_"] * (i % 40)) + f", {i}, ..] => {i}" if i % 40 else f"    [{i}, ..] => {i}" for i in range(n))
    return workflow(f"  match xs {{\n{arms}\n    _ => 0\n  }}")


@shape
def match_alternatives(n):
    return workflow("  match a {\n    " + " | ".join(map(str, range(n))) + " => 1\n    _ => 0\n  }")


@shape
def sums(n):
    n = min(n, CHAIN)
    return workflow("  " + " + ".join(f"a" for i in range(n)))


@shape
def sums_of_strings(n):
    n = min(n, CHAIN)
    return workflow("  let t = " + " + ".join("s" for i in range(n)) + "\n  t.len()")


@shape
def sums_of_lists(n):
    n = min(n, CHAIN)
    return workflow("  let t = " + " + ".join(f"[{i}]" for i in range(n)) + "\n  t.len()")


@shape
def conjunctions(n):
    n = min(n, CHAIN)
    return workflow("  if " + " and ".join(f"a != {i}" for i in range(n)) + " { 1 } else { 0 }")


@shape
def disjunctions(n):
    n = min(n, CHAIN)
    return workflow("  if " + " or ".join(f"a == {i}" for i in range(n)) + " { 1 } else { 0 }")


@shape
def conjunctions_with_let(n):
    n = min(n, CHAIN)
    return workflow("  if " + " and ".join(f"let x{i} = xs.get({i}) and x{i} > 0" for i in range(n)) + " { 1 } else { 0 }")


@shape
def otherwise(n):
    n = min(n, CHAIN)
    return workflow("  " + " ?? ".join(f"xs.get({i})" for i in range(n)) + " ?? 0")


@shape
def calls_in_a_chain(n):
    n = min(n, CHAIN)
    return workflow("  let t = s" + "".join(".trim()" for i in range(n)) + "\n  t.len()")


@shape
def arguments_nested(n):
    depth = min(n // 5, 230)
    return "fn f(x: int, y: int) -> int { x + y }\n" + workflow("  " + "f(" * depth + "a" + ", 1)" * depth)


@shape
def string_holes(n):
    return workflow('  let t = "' + "".join(f"x${{a}}" for i in range(n)) + '"\n  t.len()')


@shape
def string_holes_that_wait(n):
    return 'prompt p(x: string) -> string { user "${x}" }\n' + workflow('  let t = "' + "".join(f'x${{p("{i}")}}' for i in range(n)) + '"\n  t.len()')


@shape
def long_string(n):
    return workflow('  let t = "' + "x" * n * 200 + '"\n  t.len()')


@shape
def long_text(n):
    return workflow('  let t = """\n' + lines(n, "    line # of a text, \\n and so on") + '\n    """\n  t.len()')


@shape
def list_literal(n):
    return workflow("  let t = [" + ", ".join(f"a + {i}" for i in range(n)) + "]\n  t.len()")


@shape
def list_literal_of_strings(n):
    return workflow("  let t = [" + ", ".join(f'"x{i}"' for i in range(n)) + "]\n  t.len()")


@shape
def map_literal(n):
    return workflow("  let t = { " + ", ".join(f'"k{i}": a' for i in range(n)) + " }\n  t.len()")


@shape
def json_literal(n):
    return workflow('  { "a": [' + ", ".join(f'{{ "k": a, "l": "{i}" }}' for i in range(n)) + "] }", "json")


@shape
def json_literal_deep(n):
    depth = min(n // 10, 240)
    return workflow("  " + "[" * depth + "a" + "]" * depth, "json")


@shape
def json_literal_deep_map(n):
    depth = min(n // 10, 120)
    return workflow("  " + '{ "k": [' * depth + "a" + "] }" * depth, "json")


@shape
def json_constant_deep(n):
    depth = min(n // 10, 120)
    return "const J: json = " + '{ "k": [' * depth + "1" + "] }" * depth + "\n" + workflow("  J", "json")


@shape
def json_constant_wide(n):
    return "const J: json = [" + ", ".join(f'{{ "k": {i} }}' for i in range(n)) + "]\n" + workflow("  J", "json")


@shape
def list_literal_deep(n):
    depth = min(n // 10, 240)
    return workflow("  let t = " + "[" * depth + "a" + "]" * depth + "\n  t.len()")


@shape
def parentheses_deep(n):
    depth = min(n // 5, 240)
    return workflow("  " + "(" * depth + "a" + ")" * depth)


@shape
def ifs_deep(n):
    depth = min(n // 5, 240)
    return workflow("  " + "if a > 0 { " * depth + "1" + " } else { 0 }" * depth)


@shape
def matches_deep(n):
    depth = min(n // 5, 200)
    return workflow("  " + "match a { 0 => 1, _ => " * depth + "1" + " }" * depth)


@shape
def blocks_deep(n):
    depth = min(n // 5, 240)
    return workflow("  " + "do { " * depth + "a" + " }" * depth)


@shape
def closures_deep(n):
    depth = min(n // 5, 110)
    return workflow("  let f = " + "() => { let g = " * depth + "a" + "\n g }" * depth + "\n  0")


@shape
def closures_called_deep(n):
    depth = min(n // 5, 110)
    return workflow("  " + "xs.map(x => { " * depth + "a" + " }).len()" * depth)


@shape
def interpolations_deep(n):
    depth = min(n // 5, 110)
    return workflow("  let t = " + '"x${' * depth + "a" + '}"' * depth + "\n  t.len()")


@shape
def loops_deep(n):
    depth = min(n // 5, 200)
    return workflow("  var t = 0\n  " + "for x in xs { " * depth + "t += 1" + " }" * depth + "\n  t")


@shape
def catches_deep(n):
    depth = min(n // 5, 110)
    return workflow("  " + "do { " * depth + 'if a > 3 { fail Failed("x") }\n a' + " } catch { Failed(_) => a }" * depth)


@shape
def catches_in_a_chain(n):
    return "fn f(x: int) -> int { if x > 3 { fail Failed(\"x\") }\n x }\n" + workflow("  var t = 0\n" + lines(n, "  t += f(#) catch { Failed(m) => m.len() }") + "\n  t")


@shape
def steps_deep(n):
    depth = min(n // 5, 200)
    return workflow("  " + 'step "s" { ' * depth + "a" + " }" * depth)


@shape
def steps(n):
    return workflow("  var t = 0\n" + lines(n, '  t += step "s#" { a + # }') + "\n  t")


@shape
def steps_with_modifiers(n):
    return workflow("  var t = 0\n" + lines(n, '  t += step "s#" timeout 1m retry 2 { sleep(1ms)\n a + # }') + "\n  t")


@shape
def steps_with_return(n):
    return workflow(lines(n, '  step "s#" timeout 1m retry 2 { if a == # { return # } }') + "\n  0")


@shape
def steps_deep_with_returns(n):
    depth = min(n // 5, 200)
    return workflow("  " + "".join(f'step "s{i}" timeout 1m {{ if a == {i} {{ return {i} }}\n' for i in range(depth)) + "a" + " }" * depth)


@shape
def modifiers_deep(n):
    depth = min(n // 5, 200)
    return workflow("  " + "timeout 1m { " * depth + "sleep(1ms)\n a" + " }" * depth)


@shape
def retries_deep(n):
    depth = min(n // 5, 200)
    return workflow("  " + 'step "s" retry 2 { ' * depth + "sleep(1ms)\n a" + " }" * depth)


@shape
def parallels_deep(n):
    depth = min(n // 5, 110)
    return workflow("  " + "parallel for x in xs { " * depth + "1" + " }.len()" * depth)


@shape
def parallel_branches(n):
    return "fn f(x: int) -> int { sleep(1ms)\n x }\n" + workflow("  let t = parallel (" + ", ".join(f"f({i})" for i in range(n)) + ")\n  t.0")


@shape
def parallels(n):
    return "fn f(x: int) -> int { sleep(1ms)\n x }\n" + workflow("  var t = 0\n" + lines(n, "  t += (parallel for x in xs limit 2 { f(x) + # }).len()") + "\n  t")


@shape
def waits(n):
    return "fn f(x: int) -> int { sleep(1ms)\n x }\n" + workflow("  var t = a\n" + lines(n, "  t += f(t)") + "\n  t")


@shape
def tasks(n):
    return workflow(lines(n, "  let t# = spawn { sleep(1ms)\n # }") + "\n  var t = 0\n" + lines(n, "  t += await t#") + "\n  t")


@shape
def tasks_one_by_one(n):
    return workflow("  var t = 0\n" + lines(n, "  let t# = spawn { sleep(1ms)\n # }\n  t += await t#") + "\n  t")


@shape
def tasks_together(n):
    return workflow(lines(n, "  let t# = spawn { sleep(1ms)\n # }") + "\n  let all = await [" + ", ".join(f"t{i}" for i in range(n)) + "]\n  all.len()")


@shape
def tasks_that_capture(n):
    return workflow(lines(n, '  let v# = "${s}#"\n  let t# = spawn { sleep(1ms)\n v#.len() }') + "\n  var t = 0\n" + lines(n, "  t += await t#") + "\n  t")


@shape
def spawns_deep(n):
    depth = min(n // 5, 110)
    return workflow("  " + "await spawn { " * depth + "sleep(1ms)\n a" + " }" * depth)


@shape
def defers(n):
    return workflow("  var t = a\n" + lines(n, "  defer { t += # }") + "\n  t")


@shape
def defers_that_wait(n):
    return workflow("  var t = a\n" + lines(n, "  defer { sleep(1ms)\n t += # }") + "\n  t")


@shape
def defers_with_returns(n):
    return workflow("  var t = a\n" + lines(n, "  defer { t += # }\n  if t == # { return # }") + "\n  t")


@shape
def defers_with_returns_of_strings(n):
    return workflow('  var t = s\n' + lines(n, '  defer { t += "#" }\n  if t == "#" { return "${t}#" }') + "\n  t", "string")


@shape
def defers_with_breaks(n):
    return workflow("  var t = a\n  while true {\n" + lines(n, "  defer { t += # }\n  if t == # { break }\n  if t == -# { continue }") + "\n  }\n  t")


@shape
def defers_deep_with_returns(n):
    depth = min(n // 5, 100)
    return workflow("  var t = a\n  " + "".join(f"do {{ defer {{ t += {i} }}\n if t == {i} {{ return {i} }}\n" for i in range(depth)) + "t" + " }" * depth)


@shape
def defers_in_defers(n):
    depth = min(n // 5, 100)
    return workflow("  var t = a\n  " + "defer { " * depth + "t += 1" + " }" * depth + "\n  if t > 5 { return 1 }\n  t")


@shape
def undos(n):
    return workflow("  var t = a\n" + lines(n, '  undo { log.info("#") }\n  if t == # { return # }') + "\n  t")


@shape
def returns_in_loops(n):
    return workflow(lines(n, "  for x in xs { if x == # { return # } }") + "\n  0")


@shape
def loops(n):
    return workflow("  var t = 0\n" + lines(n, "  for x in xs { t += x * # }") + "\n  t")


@shape
def asserts(n):
    return workflow(lines(n, '  assert a != # and s != "x#", "why #"') + "\n  0")


@shape
def logs(n):
    return workflow(lines(n, '  log.info("at # ${a}", { "n": a })') + "\n  0")


@shape
def emits(n):
    return workflow(lines(n, '  emit { "n": a, "s": s }') + "\n  0")


@shape
def queues(n):
    return workflow("  let q: Queue<int> = queue(limit: 5)\n" + lines(n, "  q.push(#)") + "\n  q.close()\n  0")


@shape
def decodes(n):
    return lines(n, "type R# { n: int, m: string? }") + "\n" + workflow("  let j = { \"n\": a }.to_json()\n  var t = 0\n" + lines(n, "  t += (j as R#).n") + "\n  t")


@shape
def places(n):
    return "type L { n: int, xs: [int] }\ntype R { l: L }\n" + workflow("  var r = R { l: L { n: 0, xs: [1] } }\n" + lines(n, "  r.l.xs[0] += a\n  r.l.n = #") + "\n  r.l.n")


@shape
def place_deep(n):
    depth = min(n // 10, 100)
    return "".join(f"type R{i} {{ r: R{i + 1} }}\n" for i in range(depth)) + f"type R{depth} {{ n: int }}\n" + "fn f(x: R0) -> R0 {\n  var r = x\n" + lines(10, "  r" + ".r" * depth + ".n += 1") + "\n  r\n}\n" + workflow("  0")


def used(command, folder, budget):
    """Processor seconds of a command, or `None` when it takes longer than `budget`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (budget, budget))
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    if done.returncode < 0:
        return None, done.returncode, b""
    return seconds, done.returncode, done.stderr


def write(folder, made):
    for name, text in (made if isinstance(made, dict) else {"main.gsw": made}).items():
        (folder / name).write_text(text)


def measure(gswc, make, n, budget):
    """By command, seconds; and the size of the image."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write(folder, make(n))
        figures = {}
        image = folder / "image"
        for name, words in [("check", ["check"]), ("build", ["build", "--emit", "image", "-o", str(image)]), ("fmt", ["fmt", "--check"])]:
            seconds, code, said = used([gswc, words[0], "main.gsw", *words[1:]], folder, budget)
            figures[name] = seconds
            if code not in (0, 1):
                figures["code"] = code
            errors = [it for it in said.decode(errors="replace").splitlines() if "error[" in it]
            if name == "check" and errors:
                figures["said"] = errors[0][:200]
        figures["bytes"] = image.stat().st_size if image.exists() else None
        return figures


def growth(figures):
    """The worst of the two factors from one size to the next."""
    known = [it for it in figures if it is not None]
    if len(known) < len(figures):
        return float("inf") if known else 1.0
    return max(after / max(before, 1e-9) for before, after in zip(known, known[1:]))


def is_steep(what, figures, sizes):
    if what == "bytes":
        return all(figures) and growth(figures) > 2.5
    return any(it is None for it in figures) or figures[-1] > NOTICEABLE and figures[-1] / max(figures[-2], 0.001) > 2.5


def shown(what, it):
    if it is None:
        return "-"
    return f"{it:,}" if what == "bytes" else f"{it:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gswc")
    parser.add_argument("--size", type=int, default=250)
    parser.add_argument("--only", default="")
    parser.add_argument("--budget", type=int, default=20)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--write", help="write the program of the shapes that match to this folder and stop")
    options = parser.parse_args()
    gswc = os.path.abspath(options.gswc)
    sizes = [options.size, options.size * 2, options.size * 4]
    for name, make in SHAPES.items():
        if options.only not in name:
            continue
        if options.write:
            folder = Path(options.write) / name
            folder.mkdir(parents=True, exist_ok=True)
            write(folder, make(options.size))
            continue
        rows = [measure(gswc, make, n, options.budget) for n in sizes]
        said = next((row["said"] for row in rows if "said" in row), None)
        if said and not name.startswith(("mistakes", "brackets", "unused")):
            print(f"{name}: {said}", flush=True)
        if codes := [row["code"] for row in rows if "code" in row]:
            print(f"{name}: exit codes {codes}", flush=True)
        for what in ("check", "build", "fmt", "bytes"):
            figures = [row[what] for row in rows]
            if options.all or is_steep(what, figures, sizes):
                print(f"{name:36} {what:6} " + " ".join(f"{shown(what, it):>10}" for it in figures), flush=True)


if __name__ == "__main__":
    sys.exit(main())
