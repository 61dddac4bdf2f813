//! Addresses, the browsers that have them, and their forms: what is in them is signed with the
//! store's key, so nothing of them has to be kept but whose an address is.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::QuestionError;
use crate::file::{self, FileError};
use crate::id::{QuestionId, random};
use crate::keys::Keys;
use crate::names::{Name, Part};
use crate::question::QuestionView;
use crate::store::Store;

/// How much of a signature is in an address: 128 bits.
const SIGNED: usize = 16;
/// What an address says: the question, and a number of its own.
const SAYS: usize = 16 + 8;

/// An address of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) question: QuestionId,
    /// Tells the addresses of a question apart.
    number: u64,
}

fn sign(keys: &Keys, purpose: &[u8], parts: &[&[u8]]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(&keys.page);
    for part in [&[purpose], parts].concat() {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()
}

impl Address {
    pub(super) fn new(question: QuestionId) -> Result<Self, QuestionError> {
        let number = u64::from_be_bytes(random()?);
        Ok(Self { question, number })
    }

    fn says(&self) -> [u8; SAYS] {
        let mut says = [0; SAYS];
        says[..16].copy_from_slice(self.question.bytes());
        says[16..].copy_from_slice(&self.number.to_be_bytes());
        says
    }

    /// The last part of the address.
    pub(super) fn token(&self, keys: &Keys) -> String {
        let says = self.says();
        let signed = sign(keys, b"address", &[&says]);
        URL_SAFE_NO_PAD.encode([&says[..], &signed.as_bytes()[..SIGNED]].concat())
    }

    /// The address that this is the last part of, if it is one of ours.
    pub(super) fn read(token: &str, keys: &Keys) -> Option<Self> {
        if token.len() > 100 {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (question, rest) = bytes.split_first_chunk()?;
        let (number, signed) = rest.split_first_chunk()?;
        let address = Self {
            question: QuestionId::from_bytes(*question),
            number: u64::from_be_bytes(*number),
        };
        let right = sign(keys, b"address", &[&address.says()]);
        same(signed, &right.as_bytes()[..SIGNED]).then_some(address)
    }

    /// Enough to tell it from others in a log; it opens nothing.
    pub(super) fn short(&self) -> String {
        format!("{:04x}", self.number >> 48)
    }

    fn file(&self, run: &str) -> Name {
        Name::new(run, self.question, Part::Claim(self.number))
    }

    /// A hash of the browser's secret that has it, if one has.
    pub(super) fn claim(&self, store: &Store, run: &str) -> Result<Option<String>, QuestionError> {
        let name = self.file(run).to_string();
        match file::read(&store.0.folder, &store.0.keys.files, &name) {
            Ok(claim) => Ok(Some(claim)),
            Err(FileError::Missing) => Ok(None),
            Err(FileError::Folder(error)) => Err(error.into()),
            // Nobody's it is not: somebody may have made it so.
            Err(FileError::Damaged(_)) => Ok(Some(String::new())),
        }
    }

    /// Makes it that browser's, if it is nobody's: whether it is that browser's now.
    pub(super) fn claim_for(
        &self,
        store: &Store,
        run: &str,
        browser: String,
    ) -> Result<bool, QuestionError> {
        let name = self.file(run).to_string();
        // One at a time.
        let draft = store.0.folder.draft(&name, || ())?;
        if let Some(claim) = self.claim(store, run)? {
            return Ok(claim == browser);
        }
        let content = file::written(&store.0.keys.files, &name, &browser)?;
        draft.keep(&name, &content)?;
        Ok(true)
    }
}

/// Compares in constant time.
fn same(one: &[u8], other: &[u8]) -> bool {
    blake3::hash(one) == blake3::hash(other)
}

/// A browser that has an address: a secret that its cookie holds. Displays as that.
#[derive(Clone, Copy)]
pub(super) struct Browser([u8; 32]);

impl Browser {
    pub(super) fn new() -> Result<Self, QuestionError> {
        random().map(Self)
    }

    pub(super) fn read(cookie: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(cookie).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// What is kept of it.
    pub(super) fn hash(&self, keys: &Keys) -> String {
        sign(keys, b"browser", &[&self.0]).to_hex().to_string()
    }

    /// What its form holds beside the answer: nobody else can write it.
    pub(super) fn form(&self, address: &Address, seen: &QuestionView, keys: &Keys) -> String {
        self.signed(address, seen, keys).to_hex().to_string()
    }

    pub(super) fn is_form(
        &self,
        form: &str,
        address: &Address,
        seen: &QuestionView,
        keys: &Keys,
    ) -> bool {
        let form = blake3::Hash::from_hex(form);
        form.is_ok_and(|form| form == self.signed(address, seen, keys))
    }

    fn signed(&self, address: &Address, seen: &QuestionView, keys: &Keys) -> blake3::Hash {
        let (calls, digest) = (seen.calls.to_string(), seen.digest.to_string());
        let parts: [&[u8]; 4] = [
            &self.0,
            &address.says(),
            calls.as_bytes(),
            digest.as_bytes(),
        ];
        sign(keys, b"form", &parts)
    }
}

impl fmt::Display for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}
