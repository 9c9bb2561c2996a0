//! From typed bodies to the structure of workflows.

use gsw_infer::hir::{
    Arm, Body, BodyPart, Callee, ErrorPolicy, ExpressionId, ExpressionKind, Lambda, Modifiers,
    Pattern, RacePolicy,
};
use gsw_infer::{Child, children, infer_item};
use gsw_names::{is_std, item_signature};
use gsw_source::{Db, ItemId, ItemKind, Project};
use gsw_syntax::{file_item_ids, item_ast};
use rustc_hash::FxHashMap;

use super::label;
use super::leave::leaving;
use super::prompt::prompt;
use super::{Graph, Group, GroupKind, Lane, Node, Work, WorkKind, Workflow};

/// The structure of the entry module's workflows, or of the one called `name`, with every workflow that they call.
/// `None` when there is no such workflow.
#[must_use]
pub fn program_graph(db: &dyn Db, name: Option<&str>) -> Option<Graph> {
    let project = Project::try_get(db)?;
    let entry = *project.modules(db).get(project.entry(db))?;
    let all = file_item_ids(db, entry).iter().copied();
    let asked = all.filter(|it| {
        it.kind(db) == ItemKind::Workflow && name.is_none_or(|name| it.name(db) == name)
    });
    let mut waiting: Vec<ItemId> = asked.collect();
    if waiting.is_empty() && name.is_some() {
        return None;
    }
    // `main` is what a reader looks for first.
    waiting.sort_by_key(|it| it.name(db) != "main");
    let mut graph = Graph::default();
    let mut next = 0;
    while let Some(item) = waiting.get(next).copied() {
        next += 1;
        let mut collector = Collector {
            db,
            functions: FxHashMap::default(),
            called: Vec::new(),
        };
        graph.workflows.push(collector.workflow(item));
        for called in collector.called {
            if !waiting.contains(&called) {
                waiting.push(called);
            }
        }
    }
    Some(graph)
}

/// The modifiers in the head of a workflow or tool, as in source.
pub(crate) fn modifier_marks(db: &dyn Db, item: ItemId) -> Vec<String> {
    let bodies = infer_item(db, item);
    let main = bodies.bodies.iter().find(|it| it.part == BodyPart::Main);
    main.map_or_else(Vec::new, |it| label::marks(db, it, &bodies.modifiers))
}

struct Collector<'db> {
    db: &'db dyn Db,
    /// The functions visited so far; each is shown once, so that a picture is no longer than its program.
    functions: FxHashMap<ItemId, Shown>,
    /// The workflows that are called, in order.
    called: Vec<ItemId>,
}

/// What is known of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// It is being visited.
    Partly,
    /// Something happens in it, and that is shown.
    Wholly,
    /// Nothing happens in it, unless a function does something that it is in, and that it calls.
    Open,
    Never,
}

impl Collector<'_> {
    fn workflow(&mut self, item: ItemId) -> Workflow {
        let db = self.db;
        let bodies = infer_item(db, item);
        let main = bodies.bodies.iter().find(|it| it.part == BodyPart::Main);
        let docs = item_ast(db, item).and_then(|it| it.docs.clone());
        let mut workflow = Workflow {
            name: item.name(db).to_string(),
            heading: heading(db, item),
            // A picture has no code in its texts.
            docs: docs.and_then(|it| Some(it.lines().next()?.replace('`', ""))),
            marks: modifier_marks(db, item),
            body: Vec::new(),
        };
        if let Some(body) = main {
            self.expression(body, body.root, &mut workflow.body);
        }
        workflow
    }

    /// What happens in an expression, in the order of evaluation.
    #[expect(
        clippy::too_many_lines,
        reason = "one line a form: rustc names what a new form must join"
    )]
    fn expression(&mut self, body: &Body, id: ExpressionId, found: &mut Vec<Node>) {
        use ExpressionKind as Kind;
        let kind = &body.expression(id).kind;
        match kind {
            Kind::Call { callee, arguments } => self.call(body, callee, arguments, found),
            Kind::PromptCall {
                item,
                agent,
                arguments,
                ..
            } => {
                self.arguments(body, arguments, found);
                found.push(Node::Work(prompt(self.db, *item, *agent)));
            }
            Kind::SpawnDetached {
                item,
                arguments,
                id: _,
            } => {
                self.arguments(body, arguments, found);
                found.push(self.work(WorkKind::Detached, *item));
                self.called.push(*item);
            }
            Kind::Step {
                was: _,
                name,
                modifiers,
                body: inside,
            } => found.push(self.step(body, *name, modifiers, *inside)),
            Kind::Modified {
                modifiers,
                body: inside,
            } => self.modified(body, modifiers, *inside, found),
            Kind::ParallelFor {
                iterable,
                limit,
                policy,
                body: inside,
            } => {
                self.expression(body, *iterable, found);
                found.push(self.parallel_for(body, *iterable, *limit, *policy, inside));
            }
            Kind::Parallel { branches, policy } => self.parallel(body, branches, *policy, found),
            Kind::Race { tasks, policy } => self.race(body, *tasks, *policy, found),
            Kind::Spawn(inside) => {
                let nodes = self.nodes(body, inside.body);
                push_group(found, GroupKind::Spawn, "in the background", nodes);
            }
            Kind::Undo(inside) => {
                let nodes = self.nodes(body, inside.body);
                push_group(found, GroupKind::Catch, "to take it back", nodes);
            }
            Kind::For {
                pattern,
                iterable,
                body: inside,
            } => self.for_loop(body, pattern, *iterable, *inside, found),
            Kind::While {
                condition,
                body: inside,
            } => self.while_loop(body, *condition, *inside, found),
            Kind::If {
                condition,
                then,
                otherwise,
            } => self.choice(body, *condition, *then, *otherwise, found),
            Kind::Match { value, arms } => self.matching(body, *value, arms, found),
            Kind::Catch { value, arms } => self.catch(body, *value, arms, found),
            // Nothing happens in these but what happens in their parts.
            Kind::Int(_)
            | Kind::Float(_)
            | Kind::Bool(_)
            | Kind::None
            | Kind::Unit
            | Kind::Duration(_)
            | Kind::String(_)
            | Kind::Local(_)
            | Kind::Constant(_)
            | Kind::FunctionValue { .. }
            | Kind::ConstructorValue { .. }
            | Kind::Lambda(_)
            | Kind::Record { .. }
            | Kind::Variant { .. }
            | Kind::ErrorValue { .. }
            | Kind::List(_)
            | Kind::Map(_)
            | Kind::Tuple(_)
            | Kind::Field { .. }
            | Kind::TupleField { .. }
            | Kind::JsonField { .. }
            | Kind::Index { .. }
            | Kind::Interpolation(_)
            | Kind::Unary { .. }
            | Kind::Binary { .. }
            | Kind::In { .. }
            | Kind::Otherwise { .. }
            | Kind::Chain { .. }
            | Kind::Range { .. }
            | Kind::Coerce { .. }
            | Kind::As(_)
            | Kind::Matches { .. }
            | Kind::Block { .. }
            | Kind::Return(_)
            | Kind::Break
            | Kind::Continue
            | Kind::Fail(_)
            | Kind::Emit(_)
            | Kind::PromptText { .. }
            | Kind::OfferedTool { .. }
            | Kind::Await(_)
            | Kind::Invalid => self.parts(body, kind, found),
        }
    }

    fn parts(&mut self, body: &Body, kind: &ExpressionKind, found: &mut Vec<Node>) {
        for child in children(kind) {
            match child {
                Child::Inline(id) => self.expression(body, id, found),
                // What a stored function does happens where it is called, which is not known here.
                Child::Closure(lambda, _) => self.expression(body, lambda.body, found),
            }
        }
    }

    fn nodes(&mut self, body: &Body, id: ExpressionId) -> Vec<Node> {
        let mut nodes = Vec::new();
        self.expression(body, id, &mut nodes);
        nodes
    }

    fn lane(&mut self, body: &Body, id: ExpressionId, label: String) -> Lane {
        let body = self.nodes(body, id);
        Lane { label, body }
    }

    /// One of the ways of a choice, which may end where it is.
    fn way(&mut self, body: &Body, id: ExpressionId, label: String) -> Lane {
        let mut way = self.lane(body, id, label);
        // Where all ways of a choice at its end are left, each of them says so.
        if !way.body.last().is_some_and(Node::is_left) {
            way.body.extend(leaving(body, id).map(Node::Leave));
        }
        way
    }

    fn arguments(&mut self, body: &Body, arguments: &[(u32, ExpressionId)], found: &mut Vec<Node>) {
        for (_, argument) in arguments {
            self.expression(body, *argument, found);
        }
    }

    /// A call: what its arguments do first; a function among them may run any number of times.
    fn call(
        &mut self,
        body: &Body,
        callee: &Callee,
        arguments: &[(u32, ExpressionId)],
        found: &mut Vec<Node>,
    ) {
        let mut given = Vec::new();
        for (_, argument) in arguments {
            let kind = &body.expression(*argument).kind;
            if let ExpressionKind::Lambda(lambda) = kind {
                self.expression(body, lambda.body, &mut given);
            } else if let ExpressionKind::FunctionValue { item, .. } = kind {
                self.item(*item, &mut given);
            } else {
                self.expression(body, *argument, found);
            }
        }
        match callee {
            Callee::Item { item, .. } => {
                let title = format!("{}(…)", item.name(self.db));
                push_group(found, GroupKind::Loop, &title, given);
                self.item(*item, found);
            }
            Callee::Value(value) => {
                self.expression(body, *value, found);
                found.extend(given);
            }
            Callee::EnumValues(_) => {}
        }
    }

    /// A tool, or a question to a person or to the outside, with the modifiers of its head.
    fn modified_work(&self, kind: WorkKind, item: ItemId, found: &mut Vec<Node>) {
        let mut work = self.work(kind, item);
        if let Node::Work(work) = &mut work {
            work.marks = label::head_marks(self.db, item);
        }
        found.push(work);
    }

    /// What a call of a declaration does.
    fn item(&mut self, item: ItemId, found: &mut Vec<Node>) {
        let db = self.db;
        match item.kind(db) {
            ItemKind::Prompt => found.push(Node::Work(prompt(db, item, None))),
            ItemKind::Tool => self.modified_work(WorkKind::Tool, item, found),
            ItemKind::Human => self.modified_work(WorkKind::Human, item, found),
            ItemKind::External => self.modified_work(WorkKind::External, item, found),
            ItemKind::Workflow => {
                found.push(self.work(WorkKind::Workflow, item));
                self.called.push(item);
            }
            ItemKind::Function if is_std(db, item.file(db)) => {}
            ItemKind::Function => self.function(item, found),
            ItemKind::Import
            | ItemKind::Record
            | ItemKind::Alias
            | ItemKind::Enum
            | ItemKind::Error
            | ItemKind::Const
            | ItemKind::Agent
            | ItemKind::Mcp
            | ItemKind::Hook
            | ItemKind::Skill
            | ItemKind::Test
            | ItemKind::Permissions
            | ItemKind::Invalid => {}
        }
    }

    /// A function is shown where it is called first; what follows refers to it.
    fn function(&mut self, item: ItemId, found: &mut Vec<Node>) {
        match self.functions.get(&item) {
            Some(Shown::Partly) => return found.push(self.work(WorkKind::Recursion, item)),
            Some(Shown::Wholly) => return found.push(self.work(WorkKind::Again, item)),
            Some(Shown::Open | Shown::Never) => return,
            None => {}
        }
        self.functions.insert(item, Shown::Partly);
        let bodies = &infer_item(self.db, item).bodies;
        let main = bodies.iter().find(|it| it.part == BodyPart::Main);
        let nodes = main.map_or_else(Vec::new, |it| self.nodes(it, it.root));
        let does_something = nodes.iter().any(is_work);
        let shown = match (does_something, nodes.is_empty()) {
            (true, _) => Shown::Wholly,
            (false, true) => Shown::Never,
            (false, false) => Shown::Open,
        };
        self.functions.insert(item, shown);
        if !self.functions.values().any(|it| *it == Shown::Partly) {
            self.functions.retain(|_, it| *it != Shown::Open);
        }
        if does_something {
            push_group(found, GroupKind::Function, item.name(self.db), nodes);
        }
    }

    fn work(&self, kind: WorkKind, item: ItemId) -> Node {
        Node::Work(Work {
            kind,
            name: item.name(self.db).to_string(),
            details: Vec::new(),
            tools: Vec::new(),
            marks: Vec::new(),
        })
    }

    /// A step, which is shown even when nothing happens in it.
    fn step(
        &mut self,
        body: &Body,
        name: ExpressionId,
        modifiers: &Modifiers,
        inside: ExpressionId,
    ) -> Node {
        Node::Group(Group {
            kind: GroupKind::Step,
            title: label::name(self.db, body, name),
            marks: label::marks(self.db, body, modifiers),
            lanes: vec![self.lane(body, inside, String::new())],
        })
    }

    fn modified(
        &mut self,
        body: &Body,
        modifiers: &Modifiers,
        inside: ExpressionId,
        found: &mut Vec<Node>,
    ) {
        let lane = self.lane(body, inside, String::new());
        if !lane.body.is_empty() {
            found.push(Node::Group(Group {
                kind: GroupKind::Block,
                title: String::new(),
                marks: label::marks(self.db, body, modifiers),
                lanes: vec![lane],
            }));
        }
    }

    fn parallel_for(
        &mut self,
        body: &Body,
        iterable: ExpressionId,
        limit: Option<ExpressionId>,
        policy: ErrorPolicy,
        inside: &Lambda,
    ) -> Node {
        let db = self.db;
        let limit = limit.map(|it| format!("limit {}", label::expression(db, body, it)));
        let policy = label::policy(policy).map(str::to_owned);
        Node::Group(Group {
            kind: GroupKind::Parallel,
            title: over(db, body, &parameter(body, inside), iterable),
            marks: limit.into_iter().chain(policy).collect(),
            lanes: vec![self.lane(body, inside.body, String::new())],
        })
    }

    fn parallel(
        &mut self,
        body: &Body,
        branches: &[Lambda],
        policy: ErrorPolicy,
        found: &mut Vec<Node>,
    ) {
        let lane = |it: &Lambda| self.lane(body, it.body, String::new());
        let lanes = branches.iter().map(lane).collect();
        let title: Vec<_> = [Some("all at once"), label::policy(policy)]
            .into_iter()
            .flatten()
            .collect();
        push_lanes(found, GroupKind::Parallel, &title.join(", "), lanes);
    }

    fn race(
        &mut self,
        body: &Body,
        tasks: ExpressionId,
        policy: RacePolicy,
        found: &mut Vec<Node>,
    ) {
        let ExpressionKind::List(listed) = &body.expression(tasks).kind else {
            return self.expression(body, tasks, found);
        };
        let lanes = listed.iter().map(|it| self.task(body, *it)).collect();
        let title = match policy {
            RacePolicy::First => "the first to end",
            RacePolicy::Merge => "the first value",
        };
        push_lanes(found, GroupKind::Race, title, lanes);
    }

    /// A task that a race waits for: that it was spawned goes without saying.
    fn task(&mut self, body: &Body, id: ExpressionId) -> Lane {
        let mut task = id;
        if let ExpressionKind::Spawn(inside) = &body.expression(id).kind {
            task = inside.body;
        }
        self.lane(body, task, String::new())
    }

    fn for_loop(
        &mut self,
        body: &Body,
        pattern: &Pattern,
        iterable: ExpressionId,
        inside: ExpressionId,
        found: &mut Vec<Node>,
    ) {
        self.expression(body, iterable, found);
        let pattern = label::source(self.db, body.item, pattern.span);
        let title = over(self.db, body, &pattern, iterable);
        let nodes = self.nodes(body, inside);
        push_group(found, GroupKind::Loop, &title, nodes);
    }

    fn while_loop(
        &mut self,
        body: &Body,
        condition: ExpressionId,
        inside: ExpressionId,
        found: &mut Vec<Node>,
    ) {
        let mut nodes = self.nodes(body, condition);
        self.expression(body, inside, &mut nodes);
        let title = format!("while {}", label::expression(self.db, body, condition));
        push_group(found, GroupKind::Loop, &title, nodes);
    }

    fn choice(
        &mut self,
        body: &Body,
        condition: ExpressionId,
        then: ExpressionId,
        otherwise: Option<ExpressionId>,
        found: &mut Vec<Node>,
    ) {
        self.expression(body, condition, found);
        let yes = self.way(body, then, "yes".into());
        let no = match otherwise {
            Some(otherwise) => self.way(body, otherwise, "no".into()),
            None => Lane {
                label: "no".into(),
                body: Vec::new(),
            },
        };
        let title = format!("if {}", label::expression(self.db, body, condition));
        push_lanes(found, GroupKind::Choice, &title, vec![yes, no]);
    }

    fn matching(&mut self, body: &Body, value: ExpressionId, arms: &[Arm], found: &mut Vec<Node>) {
        self.expression(body, value, found);
        let lanes = self.arms(body, arms);
        let title = format!("match {}", label::expression(self.db, body, value));
        push_lanes(found, GroupKind::Choice, &title, lanes);
    }

    fn catch(&mut self, body: &Body, value: ExpressionId, arms: &[Arm], found: &mut Vec<Node>) {
        let mut lanes = self.arms(body, arms);
        if lanes.iter().all(Lane::only_leaves) {
            return self.expression(body, value, found);
        }
        lanes.insert(0, self.lane(body, value, "first".into()));
        push_lanes(found, GroupKind::Catch, "when it fails", lanes);
    }

    fn arms(&mut self, body: &Body, arms: &[Arm]) -> Vec<Lane> {
        arms.iter()
            .map(|it| self.way(body, it.body, label::arm(self.db, body, it)))
            .collect()
    }
}

/// Whether more happens than a function that calls itself.
fn is_work(node: &Node) -> bool {
    match node {
        Node::Leave(_) => false,
        Node::Work(work) => work.kind != WorkKind::Recursion,
        Node::Group(group) => {
            group.kind == GroupKind::Step
                || group.lanes.iter().any(|it| it.body.iter().any(is_work))
        }
    }
}

/// Adds nodes as a group when there are any.
fn push_group(found: &mut Vec<Node>, kind: GroupKind, title: &str, nodes: Vec<Node>) {
    let lane = Lane {
        label: String::new(),
        body: nodes,
    };
    push_lanes(found, kind, title, vec![lane]);
}

/// Adds lanes as a group when something happens in one of them.
fn push_lanes(found: &mut Vec<Node>, kind: GroupKind, title: &str, lanes: Vec<Lane>) {
    if !lanes.iter().all(Lane::only_leaves) {
        found.push(Node::Group(Group {
            kind,
            title: title.to_owned(),
            marks: Vec::new(),
            lanes,
        }));
    }
}

fn over(db: &dyn Db, body: &Body, pattern: &str, iterable: ExpressionId) -> String {
    let iterable = label::expression(db, body, iterable);
    label::shortened(&format!("for {pattern} in {iterable}"))
}

/// What the iterations of a `parallel for` call their element.
fn parameter(body: &Body, lambda: &Lambda) -> String {
    let local = lambda.parameters.first().map(|it| body.local(*it));
    local
        .map(|it| it.name.as_str())
        .filter(|it| !it.is_empty())
        .unwrap_or("each")
        .to_owned()
}

/// `(dir: string, width: int) -> Report`
fn heading(db: &dyn Db, item: ItemId) -> String {
    let signature = &item_signature(db, item).signature;
    let display = |it| gsw_names::display_type(db, it);
    let parameters: Vec<String> = signature
        .parameters
        .iter()
        .map(|it| format!("{}: {}", it.name, display(&it.ty)))
        .collect();
    let result = display(&signature.result);
    let result = if result == "()" {
        String::new()
    } else {
        format!(" → {result}")
    };
    format!("({}){result}", parameters.join(", "))
}
