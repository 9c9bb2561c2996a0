//! Stores on a disk: written, read back, taken over, asked, damaged, fought for.

mod damage;
mod folder;
mod hurt;
mod locked;
mod processes;
mod questions;
mod store;
mod whole;
