//! Steps, tasks, `parallel` and modifiers, such that the order in which they run cannot be seen.

use crate::generate::Generator;
use crate::generate::scope::{Binding, Scope};
use crate::generate::statement::indented;
use crate::generate::type_choice::Ty;

impl Generator {
    /// An expression that waits, or may.
    pub(super) fn waiting_expression(&mut self, ty: &Ty, depth: usize) -> String {
        match self.random.below(9) {
            8 if !matches!(ty, Ty::Optional(_) | Ty::Json) => self.queued(ty, depth),
            6 => self.nested_modifiers(ty, depth),
            7 if self.random.one_in(2) => self.raced(ty),
            0 => {
                let name = self.fresh("s");
                let retry = *self
                    .random
                    .pick(&["", "", " retry 2 backoff 1ms", " timeout 1h"]);
                let body = self.work(ty, depth, Shared::Yes);
                format!("(step \"{name}\"{retry} {{\n{body}\n}})")
            }
            1 => {
                let body = self.work(ty, depth, Shared::No);
                format!("(await spawn {{\n{body}\n}})")
            }
            2 => {
                let body = self.work(ty, depth, Shared::Yes);
                format!("(timeout 2h {{\n{body}\n}})")
            }
            3 => {
                let other = self.scalar_type();
                let (a, b) = (self.isolated(ty, depth), self.isolated(&other, depth));
                let policy = *self.random.pick(&["", " errors first"]);
                format!("(parallel ({a}, {b}){policy}).0")
            }
            _ => match ty {
                Ty::List(of) => self.parallel_for(of, depth),
                _ => {
                    let body = self.work(ty, depth, Shared::Yes);
                    format!("(do {{\n  sleep(1ms)\n{body}\n}})")
                }
            },
        }
    }

    /// A statement that starts tasks and awaits them later, or steps.
    pub(super) fn waiting_statement(&mut self, depth: usize) -> String {
        if self.random.one_in(4) {
            return self.retried(depth);
        }
        if self.random.one_in(6) {
            return self.cancelled();
        }
        if self.random.one_in(4) {
            let ty = self.any_type(1);
            let work = self.work(&ty, depth, Shared::No);
            return format!("spawn {{\n{work}\n}}");
        }
        let (first, second) = (self.any_type(1), self.any_type(1));
        let (a, b) = (self.fresh("task"), self.fresh("task"));
        let (x, y) = (self.fresh("v"), self.fresh("v"));
        let (work, more) = (
            self.work(&first, depth, Shared::No),
            self.work(&second, depth, Shared::No),
        );
        let spawned = format!("let {a} = spawn {{\n{work}\n}}\nlet {b} = spawn {{\n{more}\n}}");
        let awaited = match self.random.below(3) {
            0 => format!("let ({x}, {y}) = await ({a}, {b})"),
            1 => format!("let {x} = await {a}\nlet {y} = await {b}"),
            _ => format!("let {y} = await {b}\nlet {x} = await {a}"),
        };
        self.scope.add(&x, first, Binding::Let);
        self.scope.add(&y, second, Binding::Let);
        format!("{spawned}\n{awaited}")
    }

    /// A step that fails a few times.
    fn retried(&mut self, depth: usize) -> String {
        let (tries, step, name) = (self.fresh("n"), self.fresh("s"), self.fresh("v"));
        let (times, further) = (self.random.below(4), self.random.below(4));
        let ty = self.any_type(1);
        let body = self.work(&ty, depth, Shared::Yes);
        let error = self.error_value(0);
        let otherwise = self.literal(&ty, 0);
        let shown = ty.text(&self.declarations);
        self.scope.add(&name, ty, Binding::Let);
        self.scope.add(&tries, Ty::Int, Binding::Let);
        let head = format!("step \"{step}\" retry {further} backoff 1ms");
        let fails = format!("  {tries} += 1\n  if {tries} <= {times} {{ fail {error} }}");
        format!(
            "var {tries} = 0\nlet {name}: {shown} = ({head} {{\n{fails}\n{body}\n}} catch {{ _ => {otherwise} }})"
        )
    }

    /// Modifiers in modifiers, of which the innermost fails a few times.
    fn nested_modifiers(&mut self, ty: &Ty, depth: usize) -> String {
        let (tries, step) = (self.fresh("n"), self.fresh("s"));
        let counts = [
            self.random.below(5),
            self.random.below(3),
            self.random.below(3),
        ];
        let error = self.error_value(0);
        let before = self.scope.clone();
        self.scope.add(&tries, Ty::Int, Binding::Let);
        let body = self.work(ty, depth, Shared::Yes);
        self.scope = before;
        let otherwise = self.literal(ty, 0);
        let fails = format!(
            "{tries} += 1\nif {tries} <= {} {{ fail {error} }}",
            counts[0]
        );
        let inner = format!(
            "retry {} backoff 1ms {{\n{}\n{body}\n}}",
            counts[1],
            indented(&[fails])
        );
        let outer = match self.random.below(3) {
            0 => format!(
                "timeout 2h retry {} {{\n{}\n}}",
                counts[2],
                indented(&[inner])
            ),
            1 => {
                let step = format!("step \"{step}\" retry {} {{", counts[2]);
                format!("{step}\n{}\n}}", indented(&[inner]))
            }
            _ => {
                let before = self.scope.clone();
                let log = self.deferred();
                self.scope = before;
                let step = format!("step \"{step}\" timeout 3h {{");
                format!("{step}\n{}\n}}", indented(&[log, inner]))
            }
        };
        format!("(do {{\n  var {tries} = 0\n  ({outer} catch {{ _ => {otherwise} }})\n}})")
    }

    /// A task that ends before it can give anything: before it begins, or where it waits.
    fn cancelled(&mut self) -> String {
        let (task, name, ty) = (self.fresh("task"), self.fresh("v"), self.any_type(1));
        let late = self.late(&ty);
        let otherwise = self.literal(&ty, 0);
        let shown = ty.text(&self.declarations);
        // A task that waits lets all run that has been spawned before.
        let begins = *self.random.pick(&["", "await spawn { 1 }\n"]);
        self.scope.add(&name, ty, Binding::Let);
        format!(
            "let {task} = spawn {{\n{late}\n}}\n{begins}{task}.cancel()\nlet {name}: {shown} = (await {task} catch {{ Cancelled(_) => {otherwise} }})"
        )
    }

    /// The lines of a task that waits longer than others let it.
    fn late(&mut self, ty: &Ty) -> String {
        let mut lines = self.marks();
        let (step, value) = (self.fresh("s"), self.literal(ty, 1));
        match self.random.below(4) {
            0 => lines.push(format!("step \"{step}\" {{ sleep(1h) }}")),
            1 => lines.push("await spawn { sleep(1h) }".into()),
            _ => lines.push("sleep(1h)".into()),
        }
        lines.push(value);
        indented(&lines)
    }

    /// What marks a task's begin and end.
    fn marks(&mut self) -> Vec<String> {
        let logs = self.scope.variables().into_iter();
        let logs: Vec<String> = logs
            .filter(|it| it.ty == Ty::Str.list())
            .map(|it| it.name)
            .collect();
        let mut lines = Vec::new();
        if logs.is_empty() || self.random.one_in(2) {
            return lines;
        }
        let log = self.random.pick(&logs).clone();
        if self.random.one_in(2) {
            lines.push(format!("{log} += [\"{}\"]", self.fresh("m")));
        }
        for _ in 0..self.random.below(3) {
            lines.push(format!("defer {{ {log} += [\"{}\"] }}", self.fresh("d")));
        }
        lines
    }

    /// Tasks of which one ends at once; or, where errors are merged, of which one gives a value or all fail.
    fn raced(&mut self, ty: &Ty) -> String {
        let shown = ty.text(&self.declarations);
        let merges = self.random.one_in(2);
        let first = if self.random.one_in(4) {
            Ends::WithError
        } else {
            Ends::WithValue
        };
        let mut tasks = vec![self.ends_at_once(ty, first)];
        for _ in 0..1 + self.random.below(2) {
            if merges && (first == Ends::WithError || self.random.one_in(2)) {
                tasks.push(self.ends_at_once(ty, Ends::WithError));
                continue;
            }
            let late = self.late(ty);
            tasks.push(format!("spawn {{\n{late}\n}}"));
        }
        self.random.shuffle(&mut tasks);
        let list = self.fresh("t");
        let race = if merges {
            let otherwise = self.literal(ty, 0);
            format!(
                "(race {list} errors merge) catch {{ Many(es) if es.len() > 1 => {otherwise} }}"
            )
        } else {
            format!("race {list}")
        };
        format!(
            "(do {{\n  let {list}: [Task<{shown}>] = [\n{}\n  ]\n  {race}\n}})",
            indented(&[tasks.join(",\n")])
        )
    }

    /// A value that goes through a queue.
    fn queued(&mut self, ty: &Ty, depth: usize) -> String {
        let shown = ty.text(&self.declarations);
        let (queue, name) = (self.fresh("q"), self.fresh("v"));
        let limit = 1 + self.random.below(2);
        let mut lines = vec![format!(
            "let {queue}: Queue<{shown}> = queue(limit: {limit})"
        )];
        let (first, second) = (self.literal(ty, 1), self.literal(ty, 1));
        match self.random.below(3) {
            // No task waits.
            0 => {
                let before = self.scope.clone();
                let value = self.anchored(ty, depth.saturating_sub(1));
                self.scope = before;
                lines.push(format!("{queue}.push({value})"));
                lines.push(format!("let {name}: {shown} = {queue}.pop() ?? {first}"));
            }
            // A task that pops waits for a task to push, and for its end.
            1 => {
                let items = *self.random.pick(&["", "", "close"]);
                lines.push(match items {
                    "" => format!(
                        "spawn {{\n  {queue}.push({first})\n  {queue}.push({second})\n  {queue}.close()\n}}"
                    ),
                    _ => format!("spawn {{ {queue}.close() }}"),
                });
                lines.push(format!("var {name}: {shown} = {second}"));
                let item = self.fresh("i");
                lines.push(format!("for {item} in {queue} {{ {name} = {item} }}"));
            }
            // A task that pushes waits for a task to pop.
            _ => {
                lines.push(format!("let taken = spawn {{ {queue}.pop() }}"));
                for _ in 0..=limit {
                    lines.push(format!("{queue}.push({first})"));
                }
                lines.push(format!("let {name}: {shown} = (await taken) ?? {second}"));
            }
        }
        lines.push(name);
        format!("(do {{\n{}\n}})", indented(&lines))
    }

    /// A task that never waits.
    fn ends_at_once(&mut self, ty: &Ty, ends: Ends) -> String {
        let mut lines = self.marks();
        match ends {
            Ends::WithError => lines.push(format!("fail {}", self.error_value(0))),
            Ends::WithValue => {
                let (name, value) = (self.fresh("t"), self.literal(ty, 2));
                let shown = ty.text(&self.declarations);
                lines.push(format!("let {name}: {shown} = {value}\n{name}"));
            }
        }
        format!("spawn {{\n{}\n}}", indented(&lines))
    }

    fn parallel_for(&mut self, of: &Ty, depth: usize) -> String {
        let from = self.any_type(1);
        let xs = self.anchored(&from.clone().list(), depth - 1);
        let item = self.fresh("i");
        let before = self.scope.clone();
        self.alone();
        self.scope.add(&item, from, Binding::Let);
        let mut lines = self.statements(1, depth - 1);
        let policy = *self
            .random
            .pick(&["", "", " errors settle", " errors merge"]);
        lines.push(self.anchored(of, depth - 1));
        self.scope = before;
        let limit = *self.random.pick(&["", " limit 1", " limit 2"]);
        let text = format!(
            "parallel for {item} in ({xs}){limit}{policy} {{\n{}\n}}",
            indented(&lines)
        );
        if policy == " errors merge" {
            let otherwise = self.literal(&of.clone().list(), 0);
            return format!("({text} catch {{ Many(es) if es.len() > 1 => {otherwise} }})");
        }
        if policy != " errors settle" {
            return format!("({text})");
        }
        let value = self.fresh("b");
        let otherwise = self.literal(of, 0);
        let ty = of.text(&self.declarations);
        let fallback = self.fresh("t");
        format!(
            "(do {{\n  let {fallback}: {ty} = {otherwise}\n  ({text}).map(r => match r {{ Ok({value}) => {value}, Err(_) => {fallback} }})\n}})"
        )
    }

    /// An expression that other code may run at any time.
    fn isolated(&mut self, ty: &Ty, depth: usize) -> String {
        let before = self.scope.clone();
        self.alone();
        let text = self.anchored(ty, depth - 1);
        self.scope = before;
        text
    }

    fn alone(&mut self) {
        self.scope.forget_variables();
        self.scope.enter_function();
    }

    /// The lines of a block that gives `ty`.
    fn work(&mut self, ty: &Ty, depth: usize, shared: Shared) -> String {
        let before: Scope = self.scope.clone();
        if shared == Shared::No {
            self.alone();
        }
        let below = depth.saturating_sub(1);
        let mut lines = self.statements(1, below);
        lines.push(self.anchored(ty, below));
        self.scope = before;
        indented(&lines)
    }
}

/// Whether a block may use variables of the code around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shared {
    Yes,
    /// Others may run at the same time.
    No,
}

/// How a task ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    WithValue,
    WithError,
}
