//! One-time addresses: each signs in one browser, once, and is valid for a short time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;

/// How long an address is valid.
const VALID: Duration = Duration::from_mins(10);
/// How many addresses are valid at once: of more, the oldest is not.
const MOST: usize = 8;
/// The random bytes of a secret.
const BYTES: usize = 32;

/// The codes of the addresses that nobody has used yet.
#[derive(Debug, Default)]
pub(crate) struct OneTimeCodes(Mutex<VecDeque<OneTimeCode>>);

/// A code, of which only the hash is kept.
#[derive(Debug)]
struct OneTimeCode {
    hash: blake3::Hash,
    made: Instant,
}

impl OneTimeCodes {
    /// A new code.
    ///
    /// # Errors
    ///
    /// The system has no random bytes.
    pub(crate) fn make(&self) -> Result<String, getrandom::Error> {
        let code = secret()?;
        let mut codes = self.0.lock();
        while codes.len() >= MOST {
            codes.pop_front();
        }
        codes.push_back(OneTimeCode {
            hash: blake3::hash(code.as_bytes()),
            made: Instant::now(),
        });
        Ok(code)
    }

    /// Whether a code is valid. It is not from now on.
    pub(crate) fn take(&self, code: &str) -> bool {
        let hash = blake3::hash(code.as_bytes());
        let mut codes = self.0.lock();
        codes.retain(|code| code.made.elapsed() < VALID);
        let at = codes.iter().position(|code| code.hash == hash);
        at.and_then(|at| codes.remove(at)).is_some()
    }
}

/// A text that nobody can guess.
///
/// # Errors
///
/// The system has no random bytes.
pub(crate) fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
