//! The token of a request.

use http::HeaderMap;
use http::header::AUTHORIZATION;

/// The longest token that is looked at, in bytes: those of companies list groups. Nothing of a
/// longer one is parsed or hashed.
const MOST_BYTES: usize = 16 * 1024;

/// Why a request has no token that could be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BearerError {
    /// It says nothing of itself, or in another way.
    Absent,
    /// It says two things.
    Repeated,
    /// What it says is not a token.
    Unfit,
}

/// The token, of which nothing is known but that it is of the form and length of one.
pub(crate) fn token(headers: &HeaderMap) -> Result<&str, BearerError> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let value = all.next().ok_or(BearerError::Absent)?;
    if all.next().is_some() {
        return Err(BearerError::Repeated);
    }
    let value = value.to_str().map_err(|_| BearerError::Unfit)?;
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(BearerError::Absent);
    }
    let token = token.trim_matches(' ');
    if token.is_empty() || token.len() > MOST_BYTES || !token.bytes().all(is_of_a_token) {
        return Err(BearerError::Unfit);
    }
    Ok(token)
}

/// Those of RFC 6750, 2.1.
fn is_of_a_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> Result<String, BearerError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().expect("a value"));
        }
        token(&headers).map(ToOwned::to_owned)
    }

    #[test]
    fn a_request_has_one_token_or_none() {
        let long = |length| format!("Bearer {}", "a".repeat(length));
        for (values, found) in [
            (&["Bearer amp_x-._~+/="][..], Ok("amp_x-._~+/=")),
            (&["bEARER  x "], Ok("x")),
            (&[], Err(BearerError::Absent)),
            (&["Basic YTpi"], Err(BearerError::Absent)),
            (&["amp_x"], Err(BearerError::Absent)),
            (&["Bearer a", "Bearer a"], Err(BearerError::Repeated)),
            (&["Bearer"], Err(BearerError::Unfit)),
            (&["Bearer  "], Err(BearerError::Unfit)),
            (&["Bearer a b"], Err(BearerError::Unfit)),
            (&["Bearer a\tb"], Err(BearerError::Unfit)),
            (&["Bearer a,Bearer b"], Err(BearerError::Unfit)),
            (&["Bearer ü"], Err(BearerError::Unfit)),
            (&[long(MOST_BYTES).as_str()], Ok(&long(MOST_BYTES)[7..])),
            (&[long(MOST_BYTES + 1).as_str()], Err(BearerError::Unfit)),
        ] {
            assert_eq!(of(values), found.map(ToOwned::to_owned), "{values:?}");
        }
    }
}
