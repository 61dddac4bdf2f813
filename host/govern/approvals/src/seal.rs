//! What a client keeps for us while it asks its person: MCP's `requestState`. Sealed, so that a
//! client can neither read nor change it; bound to whom it was given to; good until a time, once.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};

use crate::error::QuestionError;
use crate::id::{QuestionId, random};
use crate::keys::Keys;
use crate::question::QuestionView;
use crate::store::Store;

/// How the names of those end that were used.
pub(crate) const SPENT: &str = ".spent";
/// How long one may be, in bytes: a few times of what they are.
const MOST_BYTES: usize = 1024;

/// What a client answers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedQuestion {
    /// The question.
    pub question: QuestionId,
    /// What its person is shown.
    pub seen: QuestionView,
    /// Until when it can be used, in seconds since 1970.
    pub until: u64,
}

const REFUSED: QuestionError =
    QuestionError::Refused("this requestState is unknown, expired or already used");

impl Store {
    /// Seals what a client answers to. `holder` says whose it is, such as the principal and the
    /// connection: only with the same is it [opened](Self::open_sealed) again. It is good for as
    /// long as an answer may take, at most.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Folder`]: the system has no entropy.
    pub fn seal(&self, sealed: &SealedQuestion, holder: &str) -> Result<String, QuestionError> {
        let nonce: [u8; NONCE_LEN] = random()?;
        // That it was used is known for a day longer.
        let most = self.now().saturating_add(self.0.limits.expires.as_secs());
        let until = sealed.until.min(most);
        let mut content = serde_json::to_vec(&SealedQuestion { until, ..*sealed })
            .map_err(std::io::Error::other)?;
        let aad = Aad::from(holder.as_bytes());
        key(&self.0.keys)?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut content)
            .map_err(|_| std::io::Error::other("it can't be sealed"))?;
        Ok(URL_SAFE_NO_PAD.encode([&nonce[..], &content].concat()))
    }

    /// Opens what was sealed, once: that it was opened is on the disk before this returns.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Refused`] if it is not one of ours, for somebody else, over, or was used before;
    /// [`QuestionError::Folder`].
    pub fn open_sealed(&self, text: &str, holder: &str) -> Result<SealedQuestion, QuestionError> {
        if text.len() > MOST_BYTES {
            return Err(REFUSED);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| REFUSED)?;
        let (nonce, content) = bytes.split_first_chunk().ok_or(REFUSED)?;
        let mut content = content.to_vec();
        let aad = Aad::from(holder.as_bytes());
        let opened = key(&self.0.keys)?
            .open_in_place(Nonce::assume_unique_for_key(*nonce), aad, &mut content)
            .map_err(|_| REFUSED)?;
        let sealed: SealedQuestion = serde_json::from_slice(opened).map_err(|_| REFUSED)?;
        if self.now() >= sealed.until {
            return Err(REFUSED);
        }
        let name: String = nonce.iter().map(|byte| format!("{byte:02x}")).collect();
        match self.once_named(&(name + SPENT))? {
            true => Ok(sealed),
            false => Err(REFUSED),
        }
    }
}

fn key(keys: &Keys) -> Result<LessSafeKey, QuestionError> {
    let key = UnboundKey::new(&CHACHA20_POLY1305, &keys.seal);
    let key = key.map_err(|_| std::io::Error::other("the key does not fit"))?;
    Ok(LessSafeKey::new(key))
}
