//! The token by which a caller proved who they are.

use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// The token by which a caller proved who they are to this process, to be exchanged at its issuer. It
/// is in memory alone, and shown nowhere. Whoever holds one sees the newest token of its principal.
/// Cheap to clone.
#[derive(Clone)]
pub struct CallerToken(Arc<Mutex<Arc<str>>>);

/// A caller's token, as long as somebody acts for the caller.
#[derive(Clone, Default)]
pub struct WeakCallerToken(Weak<Mutex<Arc<str>>>);

impl CallerToken {
    /// Keeps a token for as long as somebody acts for its owner.
    pub fn new(token: &str) -> Self {
        Self(Arc::new(Mutex::new(token.into())))
    }

    /// The same caller came with this token.
    pub fn renew(&self, token: &str) {
        let mut held = self.0.lock();
        if &**held != token {
            *held = token.into();
        }
    }

    /// The token itself. It goes to its issuer, and nowhere else.
    pub fn expose(&self) -> Arc<str> {
        Arc::clone(&self.0.lock())
    }

    /// It, without keeping it.
    pub fn downgrade(&self) -> WeakCallerToken {
        WeakCallerToken(Arc::downgrade(&self.0))
    }
}

impl WeakCallerToken {
    /// The token, if somebody still acts for the caller.
    pub fn get(&self) -> Option<CallerToken> {
        self.0.upgrade().map(CallerToken)
    }
}

impl fmt::Debug for CallerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallerToken")
    }
}

impl fmt::Debug for WeakCallerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakCallerToken")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Principal;

    #[test]
    fn a_token_is_shown_nowhere_and_goes_with_the_last_who_acts_for_its_owner() {
        let token = CallerToken::new("one-that-nobody-may-see");
        let principal = Principal::new("ada").with_token(token.clone());
        let shown = format!("{principal:?} {principal}");
        let written = serde_json::to_string(&principal).expect("JSON");
        assert!(
            !shown.contains("nobody") && written == r#""ada""#,
            "{shown}"
        );
        token.renew("two");
        let weak = token.downgrade();
        drop(token);
        let held = principal.token().expect("it is held").expose();
        assert_eq!(&*held, "two");
        assert!(weak.get().is_some());
        drop(principal);
        assert!(weak.get().is_none());
    }
}
