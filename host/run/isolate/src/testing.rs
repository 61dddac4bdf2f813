//! What tests of several modules share.

use std::env;
use std::path::PathBuf;

/// Where tests keep compiled code from one time to the next: `tmp/code` in the folder that Cargo
/// builds in. To compile a guest for a test alone would take most of the test's time.
pub(crate) fn code_folder() -> PathBuf {
    let program = env::current_exe().expect("this test's path");
    // The program is in `debug/deps`.
    let target = program.ancestors().nth(3).expect("Cargo's folder");
    target.join("tmp/code")
}
