//! Checks the workflows and generates typed Rust for them.

fn main() {
    groundswell_build::workflows("workflows/support.gsw");
}
