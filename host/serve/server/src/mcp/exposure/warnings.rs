//! What the log says of `[exposure]`, each thing once: lists of tools are asked for all the time.

use std::collections::HashSet;

use parking_lot::Mutex;

/// How many are remembered. What is found after so many is not said.
const MOST: usize = 1_000;

/// The warnings that the log has.
#[derive(Default)]
pub(in crate::mcp) struct Warnings(Mutex<HashSet<String>>);

impl Warnings {
    /// Logs a warning, unless it was logged before.
    pub(in crate::mcp) fn once(&self, said: String) {
        if self.is_new(&said) {
            tracing::warn!("{said}");
        }
    }

    fn is_new(&self, said: &str) -> bool {
        let mut logged = self.0.lock();
        logged.len() < MOST && logged.insert(said.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_logged_once_and_not_without_end() {
        let warnings = Warnings::default();
        assert!(warnings.is_new("a"));
        assert!(!warnings.is_new("a"));
        assert!(warnings.is_new("b"));
        let new = (0..2 * MOST).filter(|n| warnings.is_new(&n.to_string()));
        assert_eq!(new.count(), MOST - 2);
    }
}
