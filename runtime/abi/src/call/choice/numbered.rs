//! Enums that compiled code hands over as numbers.

/// Gives an enum its variants in the order of their numbers, and the variant of a number. The variants must be listed in order.
macro_rules! numbered {
    ($name:ident { $($variant:ident),* $(,)? }) => {
        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: [Self; [$(stringify!($variant)),*].len()] = [$(Self::$variant),*];

            /// The one with the number that compiled code gives.
            ///
            /// # Panics
            /// When there is none: compiled code and runtime are of different versions, which the loader has checked.
            #[must_use]
            pub fn numbered(number: u64) -> Self {
                let index = usize::try_from(number).ok();
                index
                    .and_then(|it| Self::ALL.get(it).copied())
                    .expect(concat!("compiled code gives the number of a `", stringify!($name), "`"))
            }
        }

        // A variant that is left out or out of order would be taken for another one.
        const _: () = {
            let mut index = 0;
            while index < $name::ALL.len() {
                assert!($name::ALL[index] as usize == index);
                index += 1;
            }
            let _: fn($name) = |it| match it {
                $($name::$variant => (),)*
            };
        };
    };
}

pub(super) use numbered;

#[cfg(test)]
mod tests {
    use crate::call::{AnswerPurpose, ErrorPolicy, QueuePurpose, RacePolicy};

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!(
            ErrorPolicy::numbered(ErrorPolicy::Settle as u64),
            ErrorPolicy::Settle
        );
        assert_eq!(
            RacePolicy::numbered(RacePolicy::Merge as u64),
            RacePolicy::Merge
        );
        assert_eq!(QueuePurpose::numbered(2), QueuePurpose::Limiter);
        assert_eq!(AnswerPurpose::numbered(0), AnswerPurpose::Next);
    }

    #[test]
    fn a_number_of_no_variant_is_not_taken_for_the_last() {
        assert!(std::panic::catch_unwind(|| RacePolicy::numbered(2)).is_err());
    }
}
