//! Which methods are meant.

use ampoule_fields::ExpandedText;
use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::RuleError;

/// Methods that make a server repeat what it was sent, headers included, or make a tunnel.
const NEVER: [&str; 3] = ["CONNECT", "TRACE", "TRACK"];

/// Some methods of HTTP, or all of them. Default: those that only read, `GET` and `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<ExpandedText>")]
#[schemars(with = "Vec<String>")]
pub struct Methods(MethodSet);

#[derive(Debug, Clone, PartialEq, Eq)]
enum MethodSet {
    All,
    These(Vec<Method>),
}

impl Methods {
    /// All that scripts may use at all.
    pub fn all() -> Self {
        Self(MethodSet::All)
    }

    /// The methods of these names; `*` is all of them.
    ///
    /// # Errors
    ///
    /// What is not a method, or one that no script may use.
    pub fn of<I>(names: I) -> Result<Self, RuleError>
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        let mut methods = Vec::new();
        for name in names {
            let name = name.as_ref();
            if name == "*" {
                return Ok(Self::all());
            }
            methods.push(method(name).map_err(RuleError)?);
        }
        match methods.is_empty() {
            true => Err(RuleError("no method is named".to_owned())),
            false => Ok(Self(MethodSet::These(methods))),
        }
    }

    pub(crate) fn mean(&self, method: &Method) -> bool {
        match &self.0 {
            MethodSet::All => true,
            MethodSet::These(methods) => methods.contains(method),
        }
    }

    /// Whether they mean one to a server to whom case does not matter.
    pub(crate) fn may_mean(&self, method: &Method) -> bool {
        match &self.0 {
            MethodSet::All => true,
            MethodSet::These(methods) => methods
                .iter()
                .any(|meant| meant.as_str().eq_ignore_ascii_case(method.as_str())),
        }
    }

    /// As people read them: `GET, HEAD`.
    pub(crate) fn shown(&self) -> String {
        match &self.0 {
            MethodSet::All => "any method".to_owned(),
            MethodSet::These(methods) => {
                let names: Vec<_> = methods.iter().map(Method::as_str).collect();
                names.join(", ")
            }
        }
    }
}

impl Default for Methods {
    fn default() -> Self {
        Self(MethodSet::These(vec![Method::GET, Method::HEAD]))
    }
}

impl TryFrom<Vec<ExpandedText>> for Methods {
    type Error = RuleError;

    fn try_from(names: Vec<ExpandedText>) -> Result<Self, RuleError> {
        Self::of(names)
    }
}

/// A method by its name. Case matters to servers, so the usual ones are written as they know them.
///
/// # Errors
///
/// Why nobody may use it.
pub(crate) fn method(name: &str) -> Result<Method, String> {
    let upper = name.to_ascii_uppercase();
    let is_usual = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"].contains(&&*upper);
    if NEVER.contains(&&*upper) {
        return Err(format!("the method {upper} is never sent"));
    }
    let name = if is_usual { &upper } else { name };
    // One that is longer is not a method of anybody's.
    let method = Method::from_bytes(name.as_bytes()).ok();
    method.filter(|_| name.len() <= 32).ok_or_else(|| {
        let cut = &name[..name.floor_char_boundary(32)];
        format!(
            "`{}` is not a method",
            ampoule_untrusted::text::one_line(cut)
        )
    })
}
