//! Tasks of this repository; see `cargo xtask --help`.
fn main() {}
