//! Valid ranges of settings: the compiler checks constants against them, the runtime the values that it reads.

use crate::setting::{BUDGET_PARTS, CACHE_PARTS, CALLS, Form, Setting, TIME, TOKENS, TTL, USD};

/// From the least to the most that makes sense; durations in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    least: Least,
    most: f64,
    /// What is wanted, after "needs" or "must be".
    wanted: &'static str,
    /// The same where a number is above the most, if that has words of its own.
    wanted_below: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Least {
    /// This or more.
    From(f64),
    /// More than this.
    Above(f64),
}

const fn from(least: f64, wanted: &'static str) -> Bounds {
    Bounds {
        least: Least::From(least),
        most: f64::INFINITY,
        wanted,
        wanted_below: None,
    }
}

/// What is read as 32 bits.
const fn narrow(least: f64, wanted: &'static str) -> Bounds {
    Bounds {
        most: u32::MAX as f64,
        wanted_below: Some("a whole number of at most 4,294,967,295"),
        ..from(least, wanted)
    }
}

impl Bounds {
    pub const COUNT: Self = from(0.0, "a whole number of at least 0");
    pub const COUNT_FROM_ONE: Self = from(1.0, "a whole number of at least 1");
    /// A count that is a setting.
    pub const NARROW_COUNT: Self = narrow(0.0, Self::COUNT.wanted);
    pub const NARROW_COUNT_FROM_ONE: Self = narrow(1.0, Self::COUNT_FROM_ONE.wanted);
    pub const AMOUNT: Self = from(0.0, "an amount of at least 0.0");
    /// A time that something may take.
    pub const TIME: Self = Self {
        least: Least::Above(0.0),
        most: f64::INFINITY,
        wanted: "a duration above 0s",
        wanted_below: None,
    };
    /// A time to wait, or to keep something.
    pub const WAIT: Self = from(0.0, "a duration of at least 0s");
    pub const SHARE: Self = Self {
        least: Least::Above(0.0),
        most: 1.0,
        wanted: "a share above 0.0 and of at most 1.0",
        wanted_below: None,
    };
    /// What the providers take, each at most; some take less.
    pub const TEMPERATURE: Self = Self {
        least: Least::From(0.0),
        most: 2.0,
        wanted: "a number from 0.0 to 2.0",
        wanted_below: None,
    };

    /// Whether the number makes sense.
    #[must_use]
    pub fn admit(self, number: f64) -> bool {
        let is_enough = match self.least {
            Least::From(least) => number >= least,
            Least::Above(least) => number > least,
        };
        is_enough && number <= self.most
    }

    /// What is wanted instead of this number, after "needs" or "must be".
    #[must_use]
    pub fn instead_of(self, number: f64) -> &'static str {
        match self.wanted_below {
            Some(wanted) if number > self.most => wanted,
            Some(_) | None => self.wanted,
        }
    }
}

impl Setting {
    /// What makes sense as its value, where that is a number.
    #[must_use]
    pub fn bounds(self) -> Option<Bounds> {
        match self.form() {
            Form::Count { least: 0 } => Some(Bounds::NARROW_COUNT),
            // No count has another least.
            Form::Count { .. } => Some(Bounds::NARROW_COUNT_FROM_ONE),
            Form::Duration => Some(Bounds::TIME),
            Form::Number if self == Self::ClearResults => Some(Bounds::SHARE),
            Form::Number => Some(Bounds::TEMPERATURE),
            Form::Text
            | Form::Texts
            | Form::Model
            | Form::Cache
            | Form::Budget
            | Form::Tools
            | Form::Names(_)
            | Form::Environment
            | Form::Answer
            | Form::Session => None,
        }
    }

    /// The bounds of a part of its value, such as a budget's `usd`.
    #[must_use]
    pub fn part_bounds(self, part: &str) -> Option<Bounds> {
        let parts = match self.form() {
            Form::Budget => BUDGET_PARTS,
            Form::Cache => CACHE_PARTS,
            Form::Text
            | Form::Texts
            | Form::Count { .. }
            | Form::Number
            | Form::Duration
            | Form::Model
            | Form::Tools
            | Form::Names(_)
            | Form::Environment
            | Form::Answer
            | Form::Session => &[],
        };
        parts.iter().find(|it| it.0 == part)?;
        match part {
            USD => Some(Bounds::AMOUNT),
            TOKENS | CALLS => Some(Bounds::COUNT),
            TIME | TTL => Some(Bounds::WAIT),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bounds;
    use crate::setting::Setting;

    #[test]
    fn bounds_are_those_of_the_form() {
        let admits = |it: Setting, number| it.bounds().is_some_and(|it| it.admit(number));
        assert!(!admits(Setting::MaxTokens, 0.0) && admits(Setting::MaxTokens, 1.0));
        assert!(admits(Setting::Rate, 4_294_967_295.0) && !admits(Setting::Rate, 4_294_967_296.0));
        assert!(admits(Setting::Thinking, 0.0) && !admits(Setting::Retry, -1.0));
        assert!(!admits(Setting::Timeout, 0.0) && admits(Setting::Timeout, 0.001));
        assert!(!admits(Setting::ClearResults, 1.5) && !admits(Setting::Temperature, f64::NAN));
        assert_eq!(Setting::Budget.part_bounds("usd"), Some(Bounds::AMOUNT));
        assert_eq!(Setting::Cache.part_bounds("usd"), None);
    }
}
