//! Headers that the host adds, which scripts never see.

use std::collections::BTreeMap;

use ampoule_fields::Headers;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{RuleError, Secret, headers};

/// Headers that the host adds to requests that a rule allows, in place of those of the script.
/// Their values are secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "Headers<Secret>")]
#[schemars(with = "BTreeMap<String, String>")]
pub struct AddedHeaders {
    /// They are marked as sensitive, so that no log has them.
    values: HeaderMap,
    secrets: Vec<Secret>,
}

impl AddedHeaders {
    /// Adds a header.
    ///
    /// # Errors
    ///
    /// What is not a name or not a value of a header, or one that HTTP itself needs.
    pub fn add(&mut self, name: &str, value: Secret) -> Result<(), RuleError> {
        let shown = || ampoule_untrusted::text::one_line(name).into_owned();
        let parsed: HeaderName = name
            .parse()
            .map_err(|_| RuleError(format!("no header can have the name `{}`", shown())))?;
        if headers::is_protocols_own(&parsed) {
            let why = format!("the header `{}` is HTTP's own: it can't be added", shown());
            return Err(RuleError(why));
        }
        let mut sent = HeaderValue::from_str(value.text().trim()).map_err(|_| {
            RuleError(format!(
                "the header `{}` has a value that can't be sent",
                shown()
            ))
        })?;
        sent.set_sensitive(true);
        self.values.insert(parsed, sent);
        self.secrets.push(value);
        Ok(())
    }

    /// Puts them into a request.
    pub(crate) fn put(&self, request: &mut HeaderMap) {
        // To some servers, those that differ in `_` and `-` are the same.
        let given: Vec<HeaderName> = request
            .keys()
            .filter(|given| {
                let given = headers::dashed(given);
                self.values
                    .keys()
                    .any(|name| headers::dashed(name) == given)
            })
            .cloned()
            .collect();
        for name in given {
            request.remove(name);
        }
        for (name, value) in &self.values {
            request.insert(name.clone(), value.clone());
        }
    }

    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().map(|secret| secret.text().trim())
    }
}

impl TryFrom<Headers<Secret>> for AddedHeaders {
    type Error = RuleError;

    fn try_from(headers: Headers<Secret>) -> Result<Self, RuleError> {
        let mut added = Self::default();
        for (name, value) in headers.into_inner() {
            added.add(&name, value)?;
        }
        Ok(added)
    }
}
