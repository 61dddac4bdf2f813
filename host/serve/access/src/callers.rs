//! The tokens of those for whom something happens, to be exchanged at their issuer.
//!
//! A token is held by the principal of a request, and by the runs of that. Once none of them is left, it
//! is gone.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_tools::{CallerToken, Principal, WeakCallerToken};
use parking_lot::Mutex;

/// From how many on those who are gone are forgotten.
const FEW: usize = 64;

/// See the module.
#[derive(Default)]
pub(crate) struct Callers(Mutex<HeldTokens>);

#[derive(Default)]
struct HeldTokens {
    tokens: HashMap<Arc<str>, WeakCallerToken>,
    /// How many there may be before it is looked who is gone.
    room: usize,
}

impl Callers {
    /// The principal with the token by which they came. Whatever happens for them already continues
    /// with this token: it is the newest.
    pub(crate) fn hold(&self, principal: Principal, token: &str) -> Principal {
        let mut held = self.0.lock();
        let here = held.tokens.get(principal.name());
        let caller = match here.and_then(WeakCallerToken::get) {
            Some(caller) => {
                caller.renew(token);
                caller
            }
            None => {
                if held.tokens.len() >= held.room.max(FEW) {
                    held.tokens.retain(|_, token| token.get().is_some());
                    held.room = 2 * held.tokens.len();
                }
                let caller = CallerToken::new(token);
                let name = Arc::clone(principal.name());
                held.tokens.insert(name, caller.downgrade());
                caller
            }
        };
        principal.with_token(caller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_happens_for_somebody_has_their_newest_token() {
        let callers = Callers::default();
        let of = |name: &str, token: &str| callers.hold(Principal::new(name), token);
        let (first, bob) = (of("ada", "one"), of("bob", "his"));
        let second = of("ada", "two");
        let token = |of: &Principal| of.token().expect("a token").expose();
        assert_eq!(
            [&*token(&first), &*token(&second), &*token(&bob)],
            ["two", "two", "his"]
        );
    }

    #[test]
    fn those_who_are_gone_are_forgotten() {
        let callers = Callers::default();
        for number in 0..10 * FEW {
            drop(callers.hold(Principal::new(number.to_string()), "token"));
        }
        assert!(callers.0.lock().tokens.len() <= FEW);
    }
}
