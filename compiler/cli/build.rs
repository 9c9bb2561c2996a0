//! How `gswc` and the launcher are linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| std::env::var(variable).is_ok_and(|it| it == value);
    // At a fixed address: the addresses in their tables, 24,000 in the launcher, would be computed anew at each start, a fifth of the
    // time that a short program takes. `docs/decisions.md` weighs that.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
