//! One package: its name, its version, and the digest of its archive.

use std::fmt;
use std::str::FromStr;

use super::ecosystem::Ecosystem;
use super::error::PackageError;

/// How many packages there may be, those that others need included.
pub const MOST_PACKAGES: usize = 100;

/// How long a name, and a version, may be.
const MOST_LETTERS: usize = 100;
/// How many digits a SHA-256 digest has.
const DIGITS: usize = 64;
/// What stands before the digest, as in pip's requirements.
const HASH: &str = "--hash=sha256:";

/// A package as `ampoule.toml` has it, with a digest as in pip's requirements: `tabulate==0.9.0
/// --hash=sha256:…`, or `dayjs@1.11.23 --hash=sha256:…`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    ecosystem: Ecosystem,
    name: String,
    version: String,
    digest: String,
}

impl Package {
    /// A package of Python, if its parts are what they must be.
    ///
    /// # Errors
    ///
    /// [`PackageError::Form`].
    pub fn new(name: &str, version: &str, digest: &str) -> Result<Self, PackageError> {
        let name = normalized(name).ok_or(PackageError::Form)?;
        match is_version(version) && is_digest(digest) {
            true => Ok(Self {
                ecosystem: Ecosystem::Python,
                name,
                version: version.to_owned(),
                digest: digest.to_owned(),
            }),
            false => Err(PackageError::Form),
        }
    }

    /// A package of npm, if its parts are what they must be.
    ///
    /// # Errors
    ///
    /// [`PackageError::NpmForm`].
    pub fn npm(name: &str, version: &str, digest: &str) -> Result<Self, PackageError> {
        match Self::is_npm_name(name) && is_npm_version(version) && is_digest(digest) {
            true => Ok(Self {
                ecosystem: Ecosystem::Npm,
                name: name.to_owned(),
                version: version.to_owned(),
                digest: digest.to_owned(),
            }),
            false => Err(PackageError::NpmForm),
        }
    }

    /// Whether it can be a name of npm's: `dayjs`, `@scope/name`.
    pub fn is_npm_name(name: &str) -> bool {
        let is_part = |part: &str| {
            let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            part.starts_with(|first: char| first.is_ascii_alphanumeric())
                && part.bytes().all(is_sign)
        };
        let parts = match name.strip_prefix('@') {
            Some(scoped) => scoped.split_once('/'),
            None => Some(("scope", name)),
        };
        name.len() <= MOST_LETTERS
            && parts.is_some_and(|(scope, name)| is_part(scope) && is_part(name))
    }

    /// Where it is from.
    pub fn ecosystem(&self) -> Ecosystem {
        self.ecosystem
    }

    /// Its name; that of Python's as indexes of packages compare names: small letters, digits and
    /// hyphens.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The SHA-256 digest of its wheel or tarball, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Its name and version: `tabulate==0.9.0`, `dayjs@1.11.23`.
    pub fn pinned(&self) -> String {
        format!("{}{}{}", self.name, self.ecosystem.between(), self.version)
    }

    /// Whether this is another name of it.
    pub fn is_called(&self, name: &str) -> bool {
        match self.ecosystem {
            Ecosystem::Python => normalized(name).is_some_and(|name| name == self.name),
            Ecosystem::Npm => name == self.name,
        }
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {HASH}{}", self.pinned(), self.digest)
    }
}

impl Ecosystem {
    /// A package of it, as the configuration writes it.
    ///
    /// # Errors
    ///
    /// [`PackageError::Form`], or [`PackageError::NpmForm`].
    pub fn package(self, text: &str) -> Result<Package, PackageError> {
        if self == Self::Python {
            return text.parse();
        }
        let parts = text.split_once(' ').and_then(|(pinned, hash)| {
            let (name, version) = pinned.rsplit_once(self.between())?;
            Some([name, version, hash.trim().strip_prefix(HASH)?])
        });
        let [name, version, digest] = parts.ok_or(PackageError::NpmForm)?;
        Package::npm(name, version, digest)
    }
}

/// One of Python's.
impl FromStr for Package {
    type Err = PackageError;

    fn from_str(text: &str) -> Result<Self, PackageError> {
        let (pinned, hash) = text.split_once(' ').ok_or(PackageError::Form)?;
        let (name, version) = pinned.split_once("==").ok_or(PackageError::Form)?;
        let digest = hash.trim().strip_prefix(HASH).ok_or(PackageError::Form)?;
        Self::new(name, version, digest)
    }
}

fn is_digest(digest: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digest.len() == DIGITS && digest.bytes().all(is_digit)
}

fn is_npm_version(version: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b".-+".contains(&byte);
    version.len() <= MOST_LETTERS
        && version.starts_with(|first: char| first.is_ascii_digit())
        && version.bytes().all(is_sign)
}

/// A name as indexes compare it: `Foo.Bar_baz` is `foo-bar-baz`.
pub(super) fn normalized(name: &str) -> Option<String> {
    let mut normalized = String::new();
    for letter in name.chars() {
        match letter {
            'a'..='z' | '0'..='9' => normalized.push(letter),
            'A'..='Z' => normalized.push(letter.to_ascii_lowercase()),
            '-' | '_' | '.' if !normalized.ends_with('-') => normalized.push('-'),
            '-' | '_' | '.' => {}
            _ => return None,
        }
    }
    let is_name = !normalized.is_empty()
        && name.len() <= MOST_LETTERS
        && !normalized.starts_with('-')
        && !normalized.ends_with('-');
    is_name.then_some(normalized)
}

/// Whether it can be a version: it goes into file names and arguments.
pub(super) fn is_version(version: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'!' | b'_');
    version.len() <= MOST_LETTERS
        && version.starts_with(|first: char| first.is_ascii_alphanumeric())
        && version.bytes().all(is_letter)
}
