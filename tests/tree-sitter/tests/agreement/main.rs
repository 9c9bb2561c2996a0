//! Tree-sitter and the compiler agree about every program of the repository.

mod colours;
mod programs;
mod shapes;
