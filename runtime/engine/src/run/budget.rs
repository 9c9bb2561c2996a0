//! Budgets at work: opened, asked before each call to a model, charged after it, and their clocks.

use gsw_abi::builtin::BuiltinError;
use gsw_tree::usage::Usage;

use crate::budget::{Admission, Budget, Charge, Limits};
use crate::event::EventKind;
use crate::media::{Media, MediaKind, MediaSource};
use crate::model::{Content, ModelRequest};
use crate::node::NodeId;
use crate::run::Run;
use crate::scope::{Scope, ScopeId, ScopeKind, Ticket};
use crate::task::TaskId;
use crate::value::error;
use crate::wait::Wait;

/// The most tokens that providers count for an image; a guess.
const IMAGE_TOKENS: u64 = 5_000;

/// How many bytes of a request an image's content takes up, which say nothing about its tokens.
fn image_size(content: &Content) -> Option<usize> {
    match content {
        Content::Media {
            media:
                Media {
                    kind: MediaKind::Image,
                    source,
                },
        } => Some(match source {
            MediaSource::Inline { data, .. } => data.len(),
            MediaSource::Url { .. } => 0,
        }),
        _ => None,
    }
}

/// Counts what is written.
struct Length(usize);

impl std::io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Run {
    /// Opens a budget inside the one that a task draws from; it draws from the new one from here on.
    pub(crate) fn open_budget(&mut self, task: TaskId, limits: Limits) -> ScopeId {
        let outer = self.tasks.at(task).budget;
        self.scopes.join(outer);
        let id = self.scopes.open(Scope {
            task,
            node: self.tasks.at(task).node,
            clock: None,
            ends: None,
            kind: ScopeKind::Budget(Budget::new(outer, limits)),
        });
        let it = self.tasks.at_mut(task);
        it.scopes.push(id);
        it.budget = id;
        if let Some(time) = limits.time {
            let left = time.max(0);
            let now = self.now;
            self.scopes.each_budget(id, |of, budget| {
                if of == id {
                    budget.clock.left = left;
                    budget.clock.since = now;
                }
            });
            self.start_clock(id, left);
        }
        id
    }

    /// Closes a budget; its task draws from the one around it again.
    pub(crate) fn close_budget(&mut self, id: ScopeId) -> Option<Budget> {
        let scope = self.close_scope(id)?;
        match scope.kind {
            ScopeKind::Budget(budget) => {
                self.tasks.at_mut(scope.task).budget = budget.outer;
                Some(budget)
            }
            ScopeKind::Timeout { .. } => None,
        }
    }

    /// The error to go on with where `raised` leaves a budget that has been closed.
    pub(crate) fn budget_error(
        &mut self,
        id: ScopeId,
        budget: Option<&Budget>,
        raised: u64,
    ) -> u64 {
        match budget.filter(|it| it.is_out_of_time) {
            Some(budget) if self.is_unwind_of(raised, id) => {
                self.heap.release(raised);
                self.budget_exceeded(&budget.out_of_time())
            }
            _ => raised,
        }
    }

    /// `BudgetExceeded`
    pub(crate) fn budget_exceeded(&mut self, what: &str) -> u64 {
        error::with_text(&mut self.heap, BuiltinError::BudgetExceeded, what)
    }

    /// Whether the budgets of a task allow a call that may cost so much; if so it is on its way.
    pub(crate) fn admit(
        &mut self,
        task: TaskId,
        worst: &Charge,
        ticket: Option<Ticket>,
    ) -> Admission {
        let budget = self.tasks.at(task).budget;
        let admission = self.scopes.admit(budget, worst, ticket);
        if admission == Admission::Now {
            self.scopes.each_budget(budget, |_, it| it.reserve(worst));
        }
        admission
    }

    /// A call of a task has cost so much, or is given up; gives what is used up by it. Others that were held back may go on.
    pub(crate) fn settle_call(
        &mut self,
        task: TaskId,
        node: NodeId,
        (worst, real): (&Charge, &Charge),
    ) -> Option<String> {
        let innermost = self.tasks.at(task).budget;
        let mut sum = None;
        self.scopes.each_budget(innermost, |id, budget| {
            budget.settle(worst, real);
            if id == innermost {
                sum = Some(budget.spent);
            }
        });
        if let Some(sum) = sum {
            let (calls, tokens, usd) = (sum.calls, sum.tokens, sum.usd);
            self.tell(node, EventKind::Budget { calls, tokens, usd });
        }
        self.scopes.overdrawn(innermost)
    }

    /// Less is set aside in the budgets around a task: those that wait longest for it may be asked for.
    pub(crate) fn ask_held_back(&mut self, task: TaskId) {
        for budget in self.scopes.queues_around(self.tasks.at(task).budget) {
            while let Some((ticket, id)) = self.scopes.first_waiting(budget) {
                let admission = self.worst_held(id, ticket).map(|worst| {
                    let around = self.tasks.at(id).budget;
                    self.scopes.admit(around, worst, Some(ticket))
                });
                if admission == Some(Admission::Later(budget)) {
                    break;
                }
                self.scopes.stop_waiting(budget, ticket);
                // Without an admission its prompt was given up meanwhile.
                if admission.is_some()
                    && let Wait::Prompt(prompt) = std::mem::take(&mut self.tasks.at_mut(id).wait)
                {
                    self.ask_again(id, prompt);
                }
            }
        }
    }

    /// The most that a call may cost that is held back with a ticket; `None` when it is none any more.
    fn worst_held(&self, id: TaskId, ticket: Ticket) -> Option<&Charge> {
        match &self.tasks.get(id)?.wait {
            Wait::Prompt(prompt) => prompt.worst_held(ticket),
            _ => None,
        }
    }

    /// The most that a request may cost: itself at four bytes a token, and as much answer and thinking as it allows.
    pub(crate) fn worst_case(&self, request: &ModelRequest) -> Charge {
        let mut bytes = Length(0);
        // Counting cannot fail, and a request has only text keys.
        let _ = serde_json::to_writer(&mut bytes, request);
        let pieces = request.messages.iter().flat_map(|it| &it.content);
        let images: Vec<usize> = pieces.filter_map(image_size).collect();
        let text = bytes.0.saturating_sub(images.iter().sum());
        let usage = Usage {
            input_tokens: text as u64 / 4 + IMAGE_TOKENS * images.len() as u64,
            output_tokens: u64::from(request.max_tokens) + u64::from(request.thinking.unwrap_or(0)),
            ..Usage::default()
        };
        self.charge_of(&request.model, usage)
    }

    /// What a request with this usage costs.
    pub(crate) fn charge_of(&self, model: &str, usage: Usage) -> Charge {
        let usd = self.settings.prices.cost(model, &usage);
        Charge {
            usd: usd.ok_or_else(|| model.to_owned()),
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            calls: 1,
        }
    }

    /// The current task begins to wait for a person: the clocks of its budgets stand still.
    pub(crate) fn begin_to_wait_for_a_person(&mut self) {
        let (budget, now) = (self.tasks.at(self.current).budget, self.now);
        let mut stopped = Vec::new();
        self.scopes.each_budget(budget, |id, budget| {
            budget.clock.people += 1;
            if budget.limits.time.is_some() && budget.clock.people == 1 {
                let clock = &mut budget.clock;
                clock.left = (clock.left - (now - clock.since)).max(0);
                stopped.push(id);
            }
        });
        for id in stopped {
            let Some(scope) = self.scopes.get_mut(id) else {
                continue;
            };
            scope.ends = None;
            if let Some(clock) = scope.clock.take() {
                self.operations.abandon(clock);
            }
        }
    }

    /// It has an answer, or none is wanted any more.
    pub(crate) fn end_to_wait_for_a_person(&mut self) {
        let (budget, now) = (self.tasks.at(self.current).budget, self.now);
        let mut started = Vec::new();
        self.scopes.each_budget(budget, |id, budget| {
            budget.clock.people = budget.clock.people.saturating_sub(1);
            if budget.limits.time.is_some() && budget.clock.people == 0 && !budget.is_out_of_time {
                budget.clock.since = now;
                started.push((id, budget.clock.left));
            }
        });
        for (id, left) in started {
            self.start_clock(id, left);
        }
    }
}
