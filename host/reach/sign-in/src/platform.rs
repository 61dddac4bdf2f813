//! The token that a platform leaves in a file for what runs on it: of a service account, of SPIFFE,
//! of a build. The platform replaces it before it ends, so that it is read whenever it is used.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::error::SignInError;
use crate::secret::Secret;

/// No token has more bytes.
const MOST_BYTES: u64 = 64 << 10;

/// The token in a file, as it is now.
///
/// # Errors
///
/// There is none. The content is not quoted: it may be a secret all the same.
pub(crate) fn token(file: &Path) -> Result<Secret, SignInError> {
    let shown = file.display();
    let failed = |why: &str| SignInError::new(format!("`assertion`, the file {shown}, {why}"));
    let mut text = String::new();
    let read =
        File::open(file).and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text));
    read.map_err(|error| failed(&format!("can't be read: {error}")))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(failed("is too long for a token"));
    }
    let token = text.trim();
    // What signs and encrypts in base64url, and what issuers make besides (RFC 6750, 2.1).
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if token.is_empty() || !token.bytes().all(fits) {
        return Err(failed("has no token: it must have one, and nothing else"));
    }
    Ok(Secret::new(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_token_is_taken_from_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        let of = |text: &str| {
            std::fs::write(&file, text).expect("it can be written");
            token(&file).map(|token| token.expose().to_owned())
        };
        assert_eq!(of("ey.J.x_-=\n").as_deref(), Ok("ey.J.x_-="));
        let long = "a".repeat(65 << 10);
        for text in [
            "",
            "\n",
            "two words",
            "{\"token\": \"secret-1\"}",
            "ü",
            &long,
        ] {
            let why = of(text).expect_err("it is no token").to_string();
            assert!(
                why.contains("`assertion`") && !why.contains("secret-1"),
                "{why}"
            );
        }
        let why = token(&folder.path().join("none")).expect_err("no file");
        assert!(why.to_string().contains("can't be read"), "{why}");
    }
}
