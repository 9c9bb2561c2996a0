//! Why no image came out: always a bug in the compiler, never an error of the program.

/// What went wrong while compiling a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodegenError {
    /// The function, as in source, or the part of the image.
    pub place: String,
    pub message: String,
}

impl CodegenError {
    pub(crate) fn new(place: &str, message: impl Into<String>) -> Self {
        Self {
            place: place.to_owned(),
            message: message.into(),
        }
    }
}

impl std::fmt::Display for CodegenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "no code could be made for `{}`: {}",
            self.place, self.message
        )
    }
}

impl std::error::Error for CodegenError {}
