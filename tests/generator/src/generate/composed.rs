//! Functions of an int with a shape that random statements hardly have: chains and cycles of calls with an error each, matches
//! of many arms over several values, nested `defer`s, defaults with effects, checked types in generic code,
//! workflows that take back what they did.

use crate::generate::Generator;
use crate::generate::declaration::{Field, Function};
use crate::generate::type_choice::Ty;

impl Generator {
    pub(super) fn composed(&mut self) -> String {
        let name = self.fresh("shape");
        let text = match self.random.below(6) {
            0 => self.cycle(&name),
            1 => self.table(&name),
            2 => self.deferring(&name),
            3 => self.defaulted(&name),
            4 => self.undoing(&name),
            _ => self.checked(&name),
        };
        self.declarations.functions.push(Function {
            name,
            receiver: None,
            parameters: vec![Field {
                name: "x".into(),
                ty: Ty::Int,
                has_default: false,
                has_check: false,
            }],
            result: Ty::Int,
            weight: 60,
        });
        text
    }

    /// Functions that call each other in a circle, each with an error of its own, some of which are caught.
    fn cycle(&mut self, name: &str) -> String {
        let links = 2 + self.random.below(4);
        let mut items = Vec::new();
        let mut arms = Vec::new();
        for link in 0..links {
            let error = format!("Off{name}n{link}");
            let (fails, step) = (self.random.below(6), self.random.below(5));
            let next = match link + 1 {
                next if next == links => {
                    format!("if left == 0 {{ x }} else {{ {name}_0(x + {step}, left - 1) }}")
                }
                next => format!("{name}_{next}(x + {step}, left)"),
            };
            items.push(format!("error {error}(n: int)"));
            items.push(format!(
                "fn {name}_{link}(x: int, left: int) -> int {{\n  if x % 7 == {fails} {{ fail {error}(x) }}\n  {next}\n}}"
            ));
            if self.random.one_in(2) {
                arms.push(format!("{error}(n) => n + {link}"));
            }
        }
        let caught = match arms.is_empty() {
            true => String::new(),
            false => format!(" catch {{ {} }}", arms.join(", ")),
        };
        items.push(format!(
            "fn {name}(x: int) -> int {{ {name}_0(x % 100, {}){caught} }}",
            self.random.below(3)
        ));
        items.join("\n\n")
    }

    /// A `match` of many arms over several values at once.
    fn table(&mut self, name: &str) -> String {
        let mut arms = String::new();
        for arm in 0..3 + self.random.below(12) {
            let first = *self
                .random
                .pick(&["_", "0", "1", "2", "0 | 2", "-1..=1", "3..=6"]);
            let second = *self.random.pick(&["_", "true", "false"]);
            let third = *self.random.pick(&["_", "none", "0", "1 | 2", "-2..=0"]);
            let fourth = *self.random.pick(&[
                "_",
                "[]",
                "[0, ..]",
                "[.., 1]",
                "[_, _]",
                "[a, ..] if a > 1",
            ]);
            let (fourth, guard) = fourth.split_once(" if ").unwrap_or((fourth, ""));
            let guard = match guard {
                "" => String::new(),
                guard => format!(" if {guard}"),
            };
            arms += &format!("    ({first}, {second}, {third}, {fourth}){guard} => {arm}\n");
        }
        format!(
            "fn {name}(x: int) -> int {{\n  let part = if x % 2 == 0 {{ none }} else {{ x % 3 }}\n  match (x % 5, x % 3 == 0, part, (0..x % 4).map(i => i % 2)) {{\n{arms}    _ => -1\n  }}\n}}"
        )
    }

    /// Blocks with `defer`s inside of one another, left in every way.
    fn deferring(&mut self, name: &str) -> String {
        let ways = [
            "continue",
            "break",
            "fail Failed(\"left\")",
            "return seen",
            "seen += 2",
        ];
        let (outer, inner) = (
            *self.random.pick(&ways),
            *self.random.pick(&["continue", "break", "seen += 1"]),
        );
        let (at, depth) = (self.random.below(4), 1 + self.random.below(3));
        let mut deferred = "seen = seen % 1_000 + 1".to_owned();
        for level in 0..depth {
            deferred = format!(
                "for j{level} in 0..2 {{\n  defer {{\n{deferred}\n  }}\n  if j{level} == x % 2 {{ {inner} }}\n  seen = seen % 1_000 * 3 + j{level}\n}}"
            );
        }
        format!(
            "fn {name}(x: int) -> int {{\n  var seen = 0\n  let last = do {{\n    defer {{ seen += 5 }}\n    for i in 0..4 {{\n      defer {{\n{deferred}\n      }}\n      if i == {at} {{ {outer} }}\n      defer {{ seen += i }}\n      seen += x % 3\n    }}\n    \"${{seen}}\"\n  }}\n  seen + last.len()\n}}"
        )
    }

    /// Defaults that raise, call functions that are given before them, and wait.
    fn defaulted(&mut self, name: &str) -> String {
        let limit = self.random.below(9);
        let given = *self
            .random
            .pick(&["", ", n => n * 2", ", n => { sleep(0s); n + 3 }"]);
        format!(
            "error Over{name}(n: int)\n\nfn {name}_checked(n: int) -> int {{ if n > {limit} {{ fail Over{name}(n) }} else {{ n }} }}\n\ntype Rest{name} {{ n: int where {name}_checked(it) >= 0, left: int = {name}_checked({}) }}\n\nfn {name}_full(x: int, f: fn(int) -> int = n => n, y: int = f(x % 5), z: int = {name}_checked(y)) -> int {{ x % 9 + y + z }}\n\nfn {name}(x: int) -> int {{\n  let rest = Rest{name} {{ n: (x % 11).abs() }}.left catch {{ Over{name}(n) => n, AssertionFailed(_) => -1 }}\n  rest + {name}_full(x{given})\n}}",
            self.random.below(12)
        )
    }

    /// Workflows in one another that fail or not, with `undo`s everywhere. A tool with a key remembers its first
    /// caller.
    fn undoing(&mut self, name: &str) -> String {
        let (inner_fails, outer_fails) = (self.random.below(5), self.random.below(4));
        let ways = ["", " retry 1", " timeout 1h"];
        let (first, last) = (*self.random.pick(&ways), *self.random.pick(&ways));
        let caught = *self
            .random
            .pick(&["", " catch { Failed(_) => 7 }", " catch { _ => 8 }"]);
        let broken = [
            "{name}_step(1)",
            "{name}_kept(\"2\", 40)",
            "fail Failed(\"not back\")",
        ];
        let broken = self.random.pick(&broken).replace("{name}", name);
        format!(
            "tool {name}_kept(key: string, n: int) -> int idempotent by \"{name} ${{key}}\" {{ n }}\n\nfn {name}_step(i: int) {{\n  undo{first} {{ {name}_kept(\"${{i % 3}}\", i + 10) }}\n}}\n\nworkflow {name}_inner(x: int) -> int {{\n  var seen = x\n  undo {{ {name}_kept(\"1\", seen) }}\n  seen += 1\n  {name}_step(x)\n  if x % 5 == {inner_fails} {{ fail Failed(\"inner\") }}\n  seen\n}}\n\nworkflow {name}_outer(x: int) -> int {{\n  undo{last} {{ {broken} }}\n  for i in 0..x % 4 {{ {name}_step(i) }}\n  let inner = {name}_inner(x){caught}\n  if x % 4 == {outer_fails} {{ fail Failed(\"outer\") }}\n  inner\n}}\n\nfn {name}(x: int) -> int {{\n  let value = {name}_outer((x % 50).abs()) catch {{ Failed(_) => -1 }}\n  value + {name}_kept(\"0\", 100) + {name}_kept(\"1\", 200) * 3 + {name}_kept(\"2\", 300) * 7\n}}"
        )
    }

    /// Checked types in generic functions and in generic types inside of one another.
    fn checked(&mut self, name: &str) -> String {
        let most = 5 + self.random.below(30);
        let operator = *self
            .random
            .pick(&["a + b", "a - b", "a * b", "-a", "a + b - b"]);
        format!(
            "type Share{name} = int where it >= -{most} and it <= {most}\n\ntype Pack{name}<T> {{ v: T }}\n\ntype Few{name}<T> = [T] where it.len() < 3\n\nfn {name}_made<T>(a: T, b: T) -> T {{ let _unused = b\n  {operator} }}\n\nfn {name}(x: int) -> int {{\n  let share: Share{name} = x % {most}\n  let other: Share{name} = {name}_made(share, 2) catch {{ AssertionFailed(_) => 1 }}\n  let sum = [share, other].sum() catch {{ AssertionFailed(_) => 0 }}\n  let few: Few{name}<Share{name}> = if x % 2 == 0 {{ [share] }} else {{ [share, other] }}\n  let packed = Pack{name} {{ v: Pack{name} {{ v: few }} }}\n  let same = packed == Pack{name} {{ v: Pack{name} {{ v: [share] }} }}\n  \"${{packed}}\".len() + sum + (if same {{ 1 }} else {{ 0 }})\n}}"
        )
    }
}
