//! Where a key of the operator is.

use std::fmt;
use std::path::PathBuf;

use crate::is_sealed;

/// Where a key of the operator is: in a file of its own, or where a reference says.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A file that holds the key, as it is.
    File(PathBuf),
    /// A text that [opens](crate::open) to the key, in base64.
    Secret(String),
}

impl From<String> for KeySource {
    fn from(text: String) -> Self {
        match is_sealed(&text) {
            true => Self::Secret(text),
            false => Self::File(text.into()),
        }
    }
}

/// A reference may have a command, whose arguments may be secrets.
impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Secret(_) => f.write_str("Secret(…)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Reference;

    #[test]
    fn a_key_is_in_a_file_or_where_a_reference_says() {
        let file = KeySource::from("/etc/ampoule/key".to_owned());
        assert_eq!(file, KeySource::File("/etc/ampoule/key".into()));
        let reference = Reference::parse("command:vault hunter2", Path::new("/")).unwrap();
        let secret = KeySource::from(reference.seal());
        assert_eq!(secret, KeySource::Secret(reference.seal()));
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }
}
