//! What tests of several modules share.

use std::env;
use std::path::PathBuf;

/// Where `ampoule` keeps compiled code for this user. To compile a guest for a test alone would take
/// most of the test's time.
pub(crate) fn code_folder() -> PathBuf {
    let of_home = || PathBuf::from(env::var_os("HOME").expect("a home")).join(".cache");
    let cache = env::var_os("XDG_CACHE_HOME").map_or_else(of_home, PathBuf::from);
    cache.join("ampoule/code")
}
