//! What skills may be called.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::skills::error::SkillError;

/// How long a name may be: as Agent Skills have it.
const MOST_BYTES: usize = 64;

/// The name of a skill, such as `save-sheet-as-csv`: small letters, digits and single hyphens
/// between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SkillName(String);

impl SkillName {
    /// The name, if it is one.
    ///
    /// # Errors
    ///
    /// [`SkillError::Name`].
    pub fn new(name: &str) -> Result<Self, SkillError> {
        let is_part = |part: &str| {
            let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            !part.is_empty() && part.bytes().all(is_letter)
        };
        let is_name = name.len() <= MOST_BYTES && name.split('-').all(is_part);
        match is_name {
            true => Ok(Self(name.to_owned())),
            false => Err(SkillError::Name),
        }
    }

    /// The name that is meant by `saveSheetAsCsv`, `save_sheet_as_csv` or the like.
    ///
    /// # Errors
    ///
    /// [`SkillError::Name`].
    pub fn meant(written: &str) -> Result<Self, SkillError> {
        let mut name = String::new();
        let mut after_small = false;
        for letter in written.trim().chars().take(2 * MOST_BYTES) {
            match letter {
                '-' | '_' | ' ' => name.push('-'),
                letter if letter.is_ascii_uppercase() => {
                    if after_small {
                        name.push('-');
                    }
                    name.push(letter.to_ascii_lowercase());
                }
                letter => name.push(letter),
            }
            after_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        }
        Self::new(&name)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as that of a module in Python: `save_sheet_as_csv`.
    pub fn in_python(&self) -> String {
        self.0.replace('-', "_")
    }

    /// The same for all ways to write it.
    pub(crate) fn folded(written: &str) -> String {
        let letters = written.bytes().filter(u8::is_ascii_alphanumeric);
        letters
            .map(|letter| char::from(letter.to_ascii_lowercase()))
            .collect()
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SkillName {
    type Error = SkillError;

    fn try_from(name: String) -> Result<Self, SkillError> {
        Self::new(&name)
    }
}

impl From<SkillName> for String {
    fn from(name: SkillName) -> Self {
        name.0
    }
}

impl std::str::FromStr for SkillName {
    type Err = SkillError;

    fn from_str(name: &str) -> Result<Self, SkillError> {
        Self::meant(name)
    }
}
