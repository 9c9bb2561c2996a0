//! A run on a terminal: its log above, and its running nodes below.

use std::io::{Write, stderr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gsw_trace::{Keep, Tree};
use gsw_tree::event::{Event, EventKind};
use gsw_tree::node::{NodeId, Status};
use gsw_tree::observe::Observer;

use crate::terminal::frame::{Moment, frame};
use crate::terminal::lines;
use crate::terminal::row::Row;
use crate::terminal::stage::Stage;

/// How often the terminal is drawn at most, and at least while something runs.
const BEAT: Duration = Duration::from_millis(100);
/// A run that ends sooner is drawn only once.
const PATIENCE: Duration = Duration::from_millis(150);
/// How many children that have ended a tree keeps under one node, and from how many on it drops some.
const KEPT: usize = 16;
const DROPPED_FROM: u64 = 256;

pub struct Live {
    stage: Arc<Stage>,
    runs: Vec<Tree>,
    /// Lines that are to be printed above.
    above: Vec<Row>,
    begun: Instant,
    drawn: Option<Instant>,
    /// The latest time in the run, and when it was reported.
    clock: (i64, Instant),
}

impl Live {
    /// A terminal on which nothing is drawn yet.
    pub fn new(stage: Arc<Stage>) -> Self {
        clear_on_panic(Arc::clone(&stage));
        let now = Instant::now();
        Self {
            stage,
            runs: Vec::new(),
            above: Vec::new(),
            begun: now,
            drawn: None,
            clock: (0, now),
        }
    }

    fn tree(&mut self, run: &Arc<str>) -> &mut Tree {
        let place = self.runs.iter().position(|it| it.run() == run);
        let place = place.unwrap_or_else(|| {
            self.runs.push(Tree::new(Arc::clone(run), Keep::Shape));
            self.runs.len() - 1
        });
        &mut self.runs[place]
    }

    fn draw(&mut self) {
        let (time, told) = self.clock;
        let since = i64::try_from(told.elapsed().as_nanos()).unwrap_or(i64::MAX);
        let moment = Moment {
            now: time.saturating_add(since),
            beat: (self.begun.elapsed().as_millis() / BEAT.as_millis()) as usize,
        };
        let runs = &mut self.runs;
        self.stage.draw(&mut self.above, |size| {
            // Two rows stay free, for what the user types and for the eye.
            let room = size.rows.saturating_sub(2);
            // The run that was started, and the detached ones that have not ended.
            let mut is_first = true;
            runs.retain(|it| std::mem::take(&mut is_first) || it.outcome() == Status::Running);
            let mut rows = Vec::new();
            for tree in runs {
                rows.extend(frame(tree, moment, room.saturating_sub(rows.len())));
            }
            rows
        });
        self.drawn = Some(Instant::now());
    }

    fn apply(&mut self, event: &Arc<Event>) {
        // What follows the end of a run that is not shown any more does not bring it back.
        let is_known = self.runs.iter().any(|it| *it.run() == event.run);
        if is_known || matches!(event.kind, EventKind::ChildAttached { .. }) {
            let tree = self.tree(&event.run);
            tree.apply(event);
            if event.kind.end().is_some() {
                collapse(tree, event.node);
            }
        }
    }

    /// Whether it is time to draw.
    fn is_due(&self) -> bool {
        match self.drawn {
            Some(drawn) => drawn.elapsed() >= BEAT,
            None => self.begun.elapsed() >= PATIENCE,
        }
    }
}

impl Observer for Live {
    fn event(&mut self, event: &Arc<Event>) {
        self.clock = (self.clock.0.max(event.time), Instant::now());
        if let EventKind::Log {
            level,
            message,
            data,
        } = &event.kind
        {
            self.above
                .extend(lines::log_rows(*level, message, data.as_ref()));
        }
        self.apply(event);
        if let EventKind::HumanRequest { digest, .. } = &event.kind {
            self.draw();
            self.stage.announce(digest);
        }
        // A flood of events must not keep the terminal from being drawn.
        if self.is_due() {
            self.draw();
        }
    }

    fn past(&mut self, event: &Arc<Event>) {
        // What was printed then is not printed again; the tree is drawn as it is now.
        self.apply(event);
        if let EventKind::HumanRequest { digest, .. } = &event.kind {
            self.stage.announce(digest);
        }
    }

    fn lost(&mut self, count: u64) {
        self.above.push(lines::lost_row(count));
    }

    fn pause(&mut self) {
        if self.is_due() {
            self.draw();
        }
    }

    fn pulse(&self) -> Option<Duration> {
        Some(BEAT)
    }

    fn end(&mut self) {
        // What is drawn last stays.
        self.draw();
        self.stage.keep();
    }
}

/// Of a branch that has ended its children are shown, and of what is below them only what has failed.
fn collapse(tree: &mut Tree, ended: NodeId) {
    let Some(node) = tree.get(ended) else {
        return;
    };
    let (parent, children) = (node.parent, node.children.clone());
    for child in children {
        tree.forget_below(child, KEPT);
    }
    tree.forget_ended(ended, KEPT);
    let Some(parent) = parent.and_then(|it| tree.get(it)) else {
        return;
    };
    // Now and then, so that the cost of a child does not grow with their number.
    if parent.done.is_multiple_of(DROPPED_FROM) && parent.status == Status::Running {
        tree.forget_ended(parent.id, KEPT);
    }
}

/// The message of a panic begins on a row of its own, where nothing overwrites it.
fn clear_on_panic(stage: Arc<Stage>) {
    let message = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // When the terminal itself panics it is left as it is.
        stage.clear_if_free();
        let _ = stderr().flush();
        message(panic);
    }));
}
