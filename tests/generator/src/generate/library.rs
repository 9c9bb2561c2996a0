//! Generic declarations that programs may use; written by hand, because their types are the point.

pub const TEXT: &str = r#"type Crate<T> {
  value: T
  marks: [string] = ["new"]
}

enum Tree<T> { Leaf, Node(left: Tree<T>, value: T, right: Tree<T>) }

type Mode = "fast" | "slow" | "off"

type Percent = int where it >= 0 and it <= 100

type Handler { name: string, run: fn(int) -> int }

fn adder(n: int) -> fn(int) -> int { x => x + n }

fn compose(f: fn(int) -> int, g: fn(int) -> int) -> fn(int) -> int { x => g(f(x)) }

fn keep(f: fn(int) -> int) -> fn(int) -> int { x => f(x) }

fn run(f: fn() -> int) -> int { f() }

fn slowly(n: int) -> int { sleep(0s); n }

fn insert<T>(tree: Tree<T>, x: T) -> Tree<T> {
  match tree {
    Leaf => Node(Leaf, x, Leaf)
    Node(l, v, r) if x < v => Node(insert(l, x), v, r)
    Node(l, v, r) => Node(l, v, insert(r, x))
  }
}

fn Tree.walk<T>(self) -> [T] {
  match self {
    Leaf => []
    Node(l, v, r) => l.walk() + [v] + r.walk()
  }
}

fn Crate.open<T>(self) -> T { self.value }

fn choose<T>(c: bool, a: T, b: T) -> T { if c { a } else { b } }

fn twice<T>(x: T, f: fn(T) -> T) -> T { f(f(x)) }

fn smaller<T>(a: T, b: T) -> T { if b < a { b } else { a } }

fn same<T>(a: T, b: T) -> bool { a == b }

fn attempt<T>(f: fn() -> T) -> T? {
  f() catch { _ => none }
}

fn pass<A, B>(x: A, f: fn(A) -> B) -> (A, B) { (x, f(x)) }

fn triangle(n: int) -> int { if n <= 0 { 0 } else { n + triangle(n - 1) } }"#;
