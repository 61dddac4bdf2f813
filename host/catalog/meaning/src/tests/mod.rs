//! What the model says, and what search makes of it.

mod recall;
mod vectors;

use std::path::PathBuf;

/// The model that `cargo xtask test` makes. Where it is missing, the test can't run, is counted as
/// skipped, and fails in CI.
fn model(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("AMPOULE_TEST_MODEL").map(PathBuf::from);
    let file = folder.map(|folder| folder.join(crate::FILE));
    let file = file.filter(|file| file.exists());
    if file.is_none() {
        let reason = "AMPOULE_TEST_MODEL names no folder; `cargo xtask test` prepares it";
        assert!(
            std::env::var_os("CI").is_none(),
            "{test} can't run: {reason}"
        );
        if let Some(skipped) = std::env::var_os("AMPOULE_SKIPPED") {
            std::fs::write(PathBuf::from(skipped).join(test), reason).expect("a note of it");
        }
    }
    file
}
