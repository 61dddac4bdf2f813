//! Names in tables that have any: of headers, of variables, of patterns.

use super::value::Form;
use crate::expand::is_usual_name;

/// Headers whose names are not secrets.
const USUAL: [&str; 4] = ["authorization", "x-api-key", "api-key", "cookie"];

/// Why a table of that form can't have a name.
pub(super) fn problem(form: Form, name: &str) -> Option<&'static str> {
    let is_empty = name.trim().is_empty();
    match form {
        Form::ByTools if is_empty => Some("name tools here, such as \"crm.*\""),
        Form::Headers if !is_header(name) => Some("this is not the name of a header"),
        Form::Variables if name.is_empty() || name.contains(['=', '\0']) => {
            Some("this is not the name of a variable")
        }
        _ if is_empty => Some("a name is missing here"),
        _ => None,
    }
}

/// Whether a name may be shown: where a table has secrets, one may stand in the place of its name.
pub(super) fn is_shown(form: Form, name: &str) -> bool {
    let is_usual_header = || USUAL.iter().any(|usual| name.eq_ignore_ascii_case(usual));
    match form {
        Form::Headers => is_usual_name(name) || is_usual_header(),
        Form::Variables => is_usual_name(name),
        _ => true,
    }
}

/// Whether it is a token of HTTP.
fn is_header(name: &str) -> bool {
    let signs = b"!#$%&'*+-.^_`|~";
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || signs.contains(&byte))
}
