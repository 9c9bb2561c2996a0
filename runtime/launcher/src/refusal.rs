//! Why an executable does not run the program appended to it.

use gsw_abi::image;
use gsw_engine::load::LoadError;

/// Why there is no program to run.
#[derive(Debug)]
pub enum Refusal {
    /// The executable's own file cannot be read.
    Unreadable(std::io::Error),
    /// Nothing is appended to the launcher.
    NoImage,
    /// Something is appended, but it is damaged.
    Damaged,
    /// The image is refused.
    Load(LoadError),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(error) => {
                write!(f, "the program cannot read its own file: {error}")
            }
            Self::NoImage => f.write_str(
                "this executable holds no program: it was stripped or packed after it was built, or it is a bare launcher; \
                 build the program again and leave the file as it is",
            ),
            Self::Damaged => image::Refusal::Damaged.fmt(f),
            Self::Load(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}
