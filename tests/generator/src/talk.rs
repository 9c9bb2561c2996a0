//! Random conversations: prompts whose bodies are statements around texts, each beside a function that lists the expected
//! messages.

use crate::generate::random::Random;

/// How deep statements may be nested.
const DEEPEST: usize = 3;

/// A program whose `main` asks so many prompts, one after the other, and gives what each of them is to say: roles and texts in the
/// order in which they are reached, blank ones too.
#[must_use]
pub fn talk_program(seed: u64, prompts: usize) -> String {
    let mut talk = Talk {
        random: Random::new(seed),
        names: 0,
    };
    let mut items = vec![HEAD.to_owned()];
    let mut calls = String::new();
    let mut said = Vec::new();
    for prompt in 0..prompts {
        let Both { asked, listed } = talk.block(0, &["title".to_owned()]);
        items.push(format!(
            "prompt talk{prompt}(n: int, title: string, xs: [string]) -> string by echo {{\n{asked}user \"end ${{n}} ${{title}} ${{xs}}\"\n}}"
        ));
        items.push(format!(
            "fn said{prompt}(n: int, title: string, xs: [string]) -> [(string, string)] {{\nvar said: [(string, string)] = []\n{listed}said + [(\"user\", \"end ${{n}} ${{title}} ${{xs}}\")]\n}}"
        ));
        let n = talk.random.below(4);
        let xs = ["[]", r#"["a"]"#, r#"["b c", "", "d"]"#][talk.random.below(3)];
        calls.push_str(&format!("talk{prompt}({n}, \"t{prompt}\", {xs})\n"));
        said.push(format!("said{prompt}({n}, \"t{prompt}\", {xs})"));
    }
    let said = said.join(",\n");
    items.push(format!(
        "workflow main() -> [[(string, string)]] {{\n{calls}[\n{said},\n]\n}}"
    ));
    items.join("\n\n") + "\n"
}

const HEAD: &str = r#"agent echo { model: "sim/default" }

fn quoted(text: string) -> string { "<${text}>" }"#;

struct Talk {
    random: Random,
    names: usize,
}

/// Statements of a prompt, and their equivalents in its function.
#[derive(Default)]
struct Both {
    asked: String,
    listed: String,
}

impl Both {
    fn same(&mut self, text: &str) {
        self.asked.push_str(text);
        self.listed.push_str(text);
    }

    fn add(&mut self, other: &Self) {
        self.asked.push_str(&other.asked);
        self.listed.push_str(&other.listed);
    }
}

impl Talk {
    /// Statements that may name these strings, and `n` and `xs`.
    fn block(&mut self, depth: usize, known: &[String]) -> Both {
        let mut known = known.to_vec();
        let mut both = Both::default();
        for _ in 0..1 + self.random.below(4) {
            match self.random.below(if depth < DEEPEST { 10 } else { 6 }) {
                0 => {
                    let name = self.fresh();
                    let value = self.text(&known);
                    both.same(&format!("let {name} = {value}\n"));
                    known.push(name);
                }
                1..=5 => both.add(&self.said(&known)),
                6 => self.branches(&mut both, depth, &known),
                7 => {
                    let name = self.fresh();
                    both.same(&format!("for {name} in xs {{\n"));
                    self.inside(&mut both, depth, &known, Some(name));
                    both.same("}\n");
                }
                8 => {
                    let name = self.fresh();
                    both.same(&format!("if let {name} = xs.first() and n > 0 {{\n"));
                    self.inside(&mut both, depth, &known, Some(name));
                    both.same("}\n");
                }
                _ => self.arms(&mut both, depth, &known),
            }
        }
        both
    }

    fn inside(&mut self, both: &mut Both, depth: usize, known: &[String], name: Option<String>) {
        let known: Vec<String> = known.iter().cloned().chain(name).collect();
        both.add(&self.block(depth + 1, &known));
    }

    fn branches(&mut self, both: &mut Both, depth: usize, known: &[String]) {
        let condition = self.condition();
        both.same(&format!("if {condition} {{\n"));
        self.inside(both, depth, known, None);
        if self.random.one_in(2) {
            both.same("} else {\n");
            self.inside(both, depth, known, None);
        }
        both.same("}\n");
    }

    fn arms(&mut self, both: &mut Both, depth: usize, known: &[String]) {
        both.same("match n {\n0 => {\n");
        self.inside(both, depth, known, None);
        // An arm may be a text without braces; the function needs some for its assignment.
        let Both { asked, listed } = self.said(known);
        both.same("}\n1 => ");
        both.asked.push_str(&asked);
        both.listed
            .push_str(&format!("{{ {} }}\n", listed.trim_end()));
        both.same("_ => {\n");
        self.inside(both, depth, known, None);
        both.same("}\n}\n");
    }

    /// A text of some role.
    fn said(&mut self, known: &[String]) -> Both {
        let role = *self
            .random
            .pick(&["user", "user", "assistant", "assistant", "system"]);
        let text = self.text(known);
        let text = match self.random.one_in(3) {
            true => format!("({text})"),
            false => text,
        };
        Both {
            asked: format!("{role} {text}\n"),
            listed: format!("said += [(\"{role}\", {text})]\n"),
        }
    }

    fn text(&mut self, known: &[String]) -> String {
        let name = self.random.pick(known).clone();
        let number = self.random.below(100);
        match self.random.below(9) {
            0 => name,
            1 => format!("quoted({name})"),
            2 => format!("\"say ${{{name}}} {number}\""),
            3 => {
                let condition = self.condition();
                format!("if {condition} {{ {name} }} else {{ \"no {number}\" }}")
            }
            4 => format!("match n {{ 0 => \"none\", 1 | 2 => {name}, _ => \"many\" }}"),
            5 => format!("{name}.upper() + \"!\""),
            6 => (*self.random.pick(&["\"\"", "\" \"", "\"\\n\""])).into(),
            7 => format!("xs.get({}) ?? {name}", number % 4),
            _ => format!("\"number {number}\""),
        }
    }

    fn condition(&mut self) -> String {
        let number = self.random.below(4);
        match self.random.below(3) {
            0 => format!("n > {number}"),
            1 => format!("xs.len() < {number}"),
            _ => format!("\"{number}\" in title or n == {number}"),
        }
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        // Words of texts are names, too, where no text follows.
        let stem = *self.random.pick(&["t", "user_", "example", "word"]);
        format!("{stem}{}", self.names)
    }
}
