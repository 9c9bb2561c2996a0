//! THE table of facts: what the judge of a failed body can learn about the failure.
//!
//! A judge is a function of the program, after `reflect … with`. A parameter that has the name of a fact takes that fact; the
//! other parameters take the facts that are left, in table order.

/// What a judge can learn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fact {
    /// The error, where it arose, and the lines of source on its way.
    Failure,
    /// What failed: `step` or `workflow`.
    Level,
    /// The number of the attempt that failed, from 1.
    Attempt,
    /// The judgements before this one.
    History,
    /// The path of the node whose body failed.
    Node,
    /// How many rounds of reflection there may be.
    Max,
}

/// The form of a fact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactForm {
    Text,
    Number,
    /// A list of records, or of their texts where a parameter wants strings.
    List,
}

impl Fact {
    /// Every fact, in the order in which parameters of other names take them.
    pub const ALL: &'static [Self] = &[
        Self::Failure,
        Self::Level,
        Self::Attempt,
        Self::History,
        Self::Node,
        Self::Max,
    ];

    /// The name of the parameter that takes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failure => "failure",
            Self::Level => "level",
            Self::Attempt => "attempt",
            Self::History => "history",
            Self::Node => "node",
            Self::Max => "max",
        }
    }

    #[must_use]
    pub const fn form(self) -> FactForm {
        match self {
            Self::Failure | Self::Level | Self::Node => FactForm::Text,
            Self::Attempt | Self::Max => FactForm::Number,
            Self::History => FactForm::List,
        }
    }

    /// The facts that the parameters of a judge take, in order; `None` where no fact is left.
    pub fn assigned<'a>(
        parameters: impl Iterator<Item = Option<&'a str>> + Clone,
    ) -> Vec<Option<Self>> {
        let named = |name: Option<&str>| {
            let name = name?;
            // One that is not used may say so.
            let name = name.strip_prefix('_').unwrap_or(name);
            Self::ALL.iter().copied().find(|it| it.name() == name)
        };
        let taken: Vec<Self> = parameters.clone().filter_map(named).collect();
        let mut left = Self::ALL.iter().copied().filter(|it| !taken.contains(it));
        parameters
            .map(|it| named(it).or_else(|| left.next()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Fact;

    #[test]
    fn parameters_take_facts_by_name_and_the_others_in_order() {
        let names = [Some("what"), Some("failure"), None, Some("_node")];
        assert_eq!(
            Fact::assigned(names.into_iter()),
            [
                Some(Fact::Level),
                Some(Fact::Failure),
                Some(Fact::Attempt),
                Some(Fact::Node)
            ]
        );
        let eight = std::iter::repeat_n(None, 8);
        assert_eq!(
            Fact::assigned(eight).iter().flatten().count(),
            Fact::ALL.len()
        );
    }
}
