//! What may be spent on models, what was, and what calls on their way may still cost.

use gsw_notation::duration;

use crate::scope::ScopeId;

/// The limits of a budget; `None` where none is set.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Limits {
    pub usd: Option<f64>,
    pub tokens: Option<u64>,
    /// Requests to models.
    pub calls: Option<u64>,
    /// Nanoseconds, waits for people not counted.
    pub time: Option<i64>,
}

/// Something that a budget is charged or asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Charge {
    /// Dollars; `Err` with the model's name when its price is not known.
    pub usd: Result<f64, String>,
    pub tokens: u64,
    /// How many requests were sent to models.
    pub calls: u64,
}

/// What helps where one call may take more than there ever was.
const NEVER: &str = ", the most that one answer may take: the setting `max_tokens` makes it less";

impl Default for Charge {
    fn default() -> Self {
        Self {
            usd: Ok(0.0),
            tokens: 0,
            calls: 0,
        }
    }
}

/// Whether a call may be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It may be made now.
    Now,
    /// Once calls on their way have cost less than they might, and older ones that wait for it have gone: what this budget
    /// sets aside must become less.
    Later(ScopeId),
    /// Never; says which limit, what was used and what was asked.
    Refused(String),
}

/// What one budget has room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Headroom {
    Free,
    /// The call, once others have cost less than they might.
    SetAside,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    /// In US dollars, as far as prices are known.
    pub usd: f64,
    pub tokens: u64,
    /// How many requests were sent to models.
    pub calls: u64,
}

impl Sum {
    fn add(&mut self, charge: &Charge) {
        self.usd += charge.usd.as_ref().copied().unwrap_or(0.0);
        self.tokens = self.tokens.saturating_add(charge.tokens);
        self.calls = self.calls.saturating_add(charge.calls);
    }

    /// Adds what another sum has become more, or less.
    fn shift(&mut self, before: Self, after: Self) {
        self.usd = (self.usd + after.usd - before.usd).max(0.0);
        self.tokens = (self.tokens + after.tokens).saturating_sub(before.tokens);
        self.calls = (self.calls + after.calls).saturating_sub(before.calls);
    }

    fn subtract(&mut self, charge: &Charge) {
        self.usd = (self.usd - charge.usd.as_ref().copied().unwrap_or(0.0)).max(0.0);
        self.tokens = self.tokens.saturating_sub(charge.tokens);
        self.calls = self.calls.saturating_sub(charge.calls);
    }
}

/// What a budget was spent and may still cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    spent: Sum,
    reserved: Sum,
}

impl Load {
    /// The charge once no call is in flight any more.
    #[must_use]
    pub fn without_reserve(self) -> Self {
        Self {
            reserved: Sum::default(),
            ..self
        }
    }
}

/// The clock of a budget with a limit of time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Nanoseconds that are left, counted from `since` while the clock runs.
    pub left: i64,
    /// When it was last started.
    pub since: i64,
    /// How many questions to people tasks of the budget wait for; its clock is stopped meanwhile.
    pub people: u32,
}

/// What may be spent, and what was.
#[derive(Clone, Debug)]
pub struct Budget {
    pub outer: ScopeId,
    pub limits: Limits,
    pub spent: Sum,
    /// What calls on their way may cost at most.
    reserved: Sum,
    pub clock: Clock,
    /// Whether its time ran out.
    pub is_out_of_time: bool,
    /// The tasks that were begun in it and the budgets opened in it: it holds for them after its block has ended.
    pub(crate) users: u32,
    /// Whether its block has ended.
    pub(crate) is_closed: bool,
}

impl Budget {
    /// A budget of which nothing has been spent.
    #[must_use]
    pub fn new(outer: ScopeId, limits: Limits) -> Self {
        Self {
            outer,
            limits,
            spent: Sum::default(),
            reserved: Sum::default(),
            clock: Clock::default(),
            is_out_of_time: false,
            users: 0,
            is_closed: false,
        }
    }

    /// What was spent of it and may still be.
    #[must_use]
    pub fn load(&self) -> Load {
        Load {
            spent: self.spent,
            reserved: self.reserved,
        }
    }

    /// Takes over what a budget of another run that stands for this one has spent.
    pub fn draw(&mut self, before: Load, after: Load) {
        self.spent.shift(before.spent, after.spent);
        self.reserved.shift(before.reserved, after.reserved);
    }

    /// Lets this budget, which stands for others, spend this much more.
    pub fn leave_room(&mut self, left: Limits) {
        let (spent, reserved) = (self.spent, self.reserved);
        self.limits = Limits {
            usd: left.usd.map(|it| it + spent.usd + reserved.usd),
            tokens: left.tokens.map(|it| it + spent.tokens + reserved.tokens),
            calls: left.calls.map(|it| it + spent.calls + reserved.calls),
            // The code that waits for what is spent here has the clock.
            time: None,
        };
    }

    /// What it leaves to spend, with `around`, whichever is less.
    #[must_use]
    pub fn left(&self, around: Limits) -> Limits {
        let (spent, reserved, limits) = (self.spent, self.reserved, self.limits);
        let count = |limit: Option<u64>, used: u64| limit.map(|it| it.saturating_sub(used));
        Limits {
            usd: less(
                limits
                    .usd
                    .map(|it| (it - spent.usd - reserved.usd).max(0.0)),
                around.usd,
                f64::min,
            ),
            tokens: less(
                count(limits.tokens, spent.tokens + reserved.tokens),
                around.tokens,
                u64::min,
            ),
            calls: less(
                count(limits.calls, spent.calls + reserved.calls),
                around.calls,
                u64::min,
            ),
            time: None,
        }
    }

    /// Whether `charge` may come on top of what was spent and of what calls on their way may cost.
    ///
    /// # Errors
    /// When it never may: which limit, what was used and what was asked.
    pub fn headroom(&self, charge: &Charge) -> Result<Headroom, String> {
        let Sum { usd, tokens, calls } = self.spent;
        let limits = &self.limits;
        if exceeds(limits.calls, calls, charge.calls) {
            let (limit, asked) = (limits.calls.unwrap_or(0), charge.calls);
            return Err(format!(
                "calls: {calls} of {limit} used, {asked} more asked"
            ));
        }
        if exceeds(limits.tokens, tokens, charge.tokens) {
            let (limit, asked) = (limits.tokens.unwrap_or(0), charge.tokens);
            let never = if asked > limit { NEVER } else { "" };
            return Err(format!(
                "tokens: {tokens} of {limit} used, up to {asked} more asked{never}"
            ));
        }
        match (limits.usd, &charge.usd) {
            (Some(_), Err(model)) => {
                return Err(format!("{OF_UNKNOWN_PRICE}`{model}` is not known"));
            }
            (Some(limit), Ok(asked)) if usd + asked > limit => {
                let never = if *asked > limit { NEVER } else { "" };
                let (usd, limit, asked) = (dollars(usd), dollars(limit), dollars(*asked));
                return Err(format!(
                    "usd: {usd} of {limit} used, up to {asked} more asked{never}"
                ));
            }
            (Some(_) | None, Ok(_)) | (None, Err(_)) => {}
        }
        let set_aside = &self.reserved;
        let asked_usd = charge.usd.as_ref().copied().unwrap_or(0.0);
        let is_set_aside = exceeds(
            limits.calls,
            calls.saturating_add(set_aside.calls),
            charge.calls,
        ) || exceeds(
            limits.tokens,
            tokens.saturating_add(set_aside.tokens),
            charge.tokens,
        ) || limits
            .usd
            .is_some_and(|it| usd + set_aside.usd + asked_usd > it);
        Ok(if is_set_aside {
            Headroom::SetAside
        } else {
            Headroom::Free
        })
    }

    /// A call that may cost this much is on its way.
    pub fn reserve(&mut self, worst: &Charge) {
        self.reserved.add(worst);
    }

    /// A call on its way has cost this much.
    pub fn settle(&mut self, worst: &Charge, real: &Charge) {
        self.reserved.subtract(worst);
        self.spent.add(real);
    }

    /// What more was spent than may be.
    #[must_use]
    pub fn overdrawn(&self) -> Option<String> {
        let Sum { usd, tokens, calls } = self.spent;
        if let Some(limit) = self.limits.calls.filter(|it| calls > *it) {
            return Some(format!("calls: {calls} of {limit} used"));
        }
        if let Some(limit) = self.limits.tokens.filter(|it| tokens > *it) {
            return Some(format!("tokens: {tokens} of {limit} used"));
        }
        let limit = self.limits.usd.filter(|it| usd > *it)?;
        let (usd, limit) = (dollars(usd), dollars(limit));
        Some(format!("usd: {usd} of {limit} used"))
    }

    /// The message when its time has run out.
    #[must_use]
    pub fn out_of_time(&self) -> String {
        let time = duration::text(self.limits.time.unwrap_or(0));
        format!("time: {time} of {time} used")
    }
}

/// How it begins where a budget in dollars meets a model whose price is not known.
const OF_UNKNOWN_PRICE: &str = "usd: the price of ";

/// Whether a budget is used up because a price is not known: then a higher one is, too.
#[must_use]
pub(crate) fn is_about_price(what: &str) -> bool {
    what.starts_with(OF_UNKNOWN_PRICE)
}

/// The lower of two limits, of which either may be missing.
fn less<T>(one: Option<T>, other: Option<T>, lower: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(lower(one, other)),
        (one, other) => one.or(other),
    }
}

fn exceeds(limit: Option<u64>, spent: u64, charge: u64) -> bool {
    limit.is_some_and(|limit| spent.saturating_add(charge) > limit)
}

/// A sum in dollars, rounded to a millionth.
fn dollars(sum: f64) -> String {
    let text = format!("{sum:.6}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    short.to_owned()
}
