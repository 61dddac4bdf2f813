//! How operations want to know who asks: `securitySchemes`, and what the operator gives for them.

use std::collections::{BTreeMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};
use serde_json::{Map, Value};
use url::Url;

use crate::document::{Documents, Version, escaped};
use crate::swagger2;

/// Where a credential goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scheme {
    Header(HeaderName),
    Query(String),
    Cookie(String),
    Basic,
    Bearer,
    /// One that a text can't be given for.
    Other,
}

/// A security scheme of a document, for which a text can be given in `credentials`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialScheme {
    /// Its name, as the document has it.
    pub name: String,
    /// What it wants, in words.
    pub what: String,
}

/// One way to be let in: all of these schemes.
pub(crate) type Requirement = Vec<String>;

/// The schemes of a document, by their names.
pub(crate) struct Schemes(BTreeMap<String, Scheme>);

/// How many ways to be let in are shown, and how many schemes of one.
const MAX_SHOWN: usize = 8;

/// What the operator gives.
pub(crate) struct OperatorCredentials<'a> {
    /// By the names of schemes.
    pub(crate) credentials: &'a BTreeMap<String, String>,
    /// The headers of all requests.
    pub(crate) headers: &'a HashSet<HeaderName>,
    /// Whether something says who asks that no scheme of the document is about: a sign-in, a
    /// certificate, a key in the address, or a header such as `Authorization`.
    pub(crate) is_signed_in: bool,
}

/// What is added to a request.
#[derive(Debug, Default)]
pub(crate) struct Credential {
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) cookies: Vec<(String, String)>,
}

impl Schemes {
    pub(crate) fn of(documents: &Documents) -> Self {
        let scheme = |(name, written)| (name, Scheme::of(&written));
        Self(schemes(documents).map(scheme).collect())
    }

    /// The schemes that a text can be given for, and is not.
    pub(crate) fn missing_ones(&self, given: &BTreeMap<String, String>) -> Vec<CredentialScheme> {
        let missing = |(name, scheme): (&String, &Scheme)| {
            let is_given = given.get(name).is_some_and(|text| !text.is_empty());
            let shown = |name: &str| ampoule_api::line(name);
            let what = match scheme {
                _ if is_given => return None,
                Scheme::Header(header) => format!("a key, sent as the header `{header}`"),
                Scheme::Query(key) => format!("a key, sent in the address as `{}`", shown(key)),
                Scheme::Cookie(key) => format!("a key, sent as the cookie `{}`", shown(key)),
                Scheme::Basic => "`user:password`".to_owned(),
                Scheme::Bearer => "a token".to_owned(),
                Scheme::Other => return None,
            };
            Some(CredentialScheme {
                name: name.clone(),
                what,
            })
        };
        self.0.iter().filter_map(missing).collect()
    }

    /// What is wrong with credentials that were configured.
    pub(crate) fn check(&self, given: &BTreeMap<String, String>) -> Result<(), String> {
        for name in given.keys() {
            let shown = ampoule_untrusted::text::one_line(name);
            match self.0.get(name) {
                Some(Scheme::Other) => {
                    return Err(format!(
                        "`credentials.{shown}` is for a security scheme that needs more than a text; use `headers`"
                    ));
                }
                Some(_) => {}
                None => {
                    let names: Vec<_> = self
                        .0
                        .keys()
                        .map(|it| ampoule_untrusted::text::one_line(it))
                        .collect();
                    let known = match names.is_empty() {
                        true => "it has none; use `headers`".to_owned(),
                        false => format!("it has: {}", names.join(", ")),
                    };
                    return Err(format!(
                        "`credentials.{shown}` is for a security scheme that the document doesn't have; {known}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// What a requirement adds, if everything that it needs was given.
    fn credential(
        &self,
        requirement: &Requirement,
        given: &OperatorCredentials<'_>,
    ) -> Option<Credential> {
        let mut credential = Credential::default();
        for name in requirement {
            let scheme = self.0.get(name)?;
            match (given.credentials.get(name), scheme) {
                (Some(secret), scheme) if !secret.is_empty() => scheme.put(secret, &mut credential),
                (_, Scheme::Header(header)) if given.headers.contains(header) => {}
                _ => return None,
            }
        }
        Some(credential)
    }

    /// What is added to an operation's requests: by the first requirement that is met.
    ///
    /// # Errors
    ///
    /// What the operation needs and the operator did not give, in words that follow its name.
    pub(crate) fn choose(
        &self,
        requirements: &[Requirement],
        given: &OperatorCredentials<'_>,
    ) -> Result<Credential, String> {
        let needed = requirements.iter().filter(|it| !it.is_empty());
        let met = needed
            .clone()
            .find_map(|requirement| self.credential(requirement, given));
        let needs_none = needed.clone().count() < requirements.len() || requirements.is_empty();
        match met {
            Some(credential) => Ok(credential),
            None if needs_none || given.is_signed_in => Ok(Credential::default()),
            None => Err(self.missing(needed.take(MAX_SHOWN))),
        }
    }

    /// What would have to be given.
    fn missing<'r>(&self, needed: impl Iterator<Item = &'r Requirement>) -> String {
        let shown = |name: &String| {
            let shown = ampoule_api::line(name);
            match self.0.get(name) {
                Some(Scheme::Other) | None => {
                    format!("what the scheme `{shown}` wants, in `headers`")
                }
                Some(_) => format!("`credentials.{shown}`"),
            }
        };
        let ways = needed.map(|names| {
            let names = names.iter().take(MAX_SHOWN).map(shown);
            names.collect::<Vec<_>>().join(" and ")
        });
        let ways = ways.collect::<Vec<_>>().join(", or ");
        format!("needs a credential that is not configured; the operator can give {ways}")
    }
}

impl Scheme {
    fn of(scheme: &Value) -> Self {
        let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = || text("name").to_owned();
        match (text("type"), text("in")) {
            ("apiKey", "header") => name().parse().map_or(Self::Other, Self::Header),
            ("apiKey", "query") => Self::Query(name()),
            ("apiKey", "cookie") => Self::Cookie(name()),
            ("http", _) if text("scheme").eq_ignore_ascii_case("basic") => Self::Basic,
            ("http", _) if text("scheme").eq_ignore_ascii_case("bearer") => Self::Bearer,
            // A token that the operator has is sent as one.
            ("oauth2" | "openIdConnect", _) => Self::Bearer,
            _ => Self::Other,
        }
    }

    fn put(&self, secret: &str, credential: &mut Credential) {
        let mut header = |name: HeaderName, text: String| {
            // What can't be sent is told when the server is set up.
            if let Ok(mut value) = HeaderValue::from_str(&text) {
                value.set_sensitive(true);
                credential.headers.push((name, value));
            }
        };
        match self {
            Self::Header(name) => header(name.clone(), secret.to_owned()),
            Self::Basic => header(AUTHORIZATION, format!("Basic {}", STANDARD.encode(secret))),
            Self::Bearer => header(AUTHORIZATION, format!("Bearer {secret}")),
            Self::Query(name) => credential.query.push((name.clone(), secret.to_owned())),
            Self::Cookie(name) => credential.cookies.push((name.clone(), secret.to_owned())),
            Self::Other => {}
        }
    }
}

/// Where an OAuth 2 sign-in of a document happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthEndpoints {
    /// Where a person signs in.
    pub authorization: Option<Url>,
    /// Where tokens are given.
    pub token: Url,
}

/// Who signs in with OAuth 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OAuthFlow {
    /// A person, in a browser.
    AuthorizationCode,
    /// A machine.
    ClientCredentials,
}

/// The endpoints of the first scheme with that flow. Addresses may be relative to the API's.
pub(crate) fn endpoints(
    documents: &Documents,
    flow: OAuthFlow,
    base: &Url,
) -> Option<OAuthEndpoints> {
    let (new, old) = match flow {
        OAuthFlow::AuthorizationCode => ("authorizationCode", "accessCode"),
        OAuthFlow::ClientCredentials => ("clientCredentials", "application"),
    };
    schemes(documents).find_map(|(_, scheme)| {
        let is_old = scheme.get("flow").and_then(Value::as_str) == Some(old);
        let own = scheme.get("flows").and_then(|flows| flows.get(new));
        let flow = own.or(is_old.then_some(&scheme))?;
        let address = |key: &str| base.join(flow.get(key)?.as_str()?).ok();
        Some(OAuthEndpoints {
            authorization: address("authorizationUrl"),
            token: address("tokenUrl")?,
        })
    })
}

/// The schemes of a document, in the words of OpenAPI 3 but for those of OAuth.
fn schemes(documents: &Documents) -> impl Iterator<Item = (String, Value)> {
    let at = match documents.version() {
        Version::Swagger2 => "/securityDefinitions",
        _ => "/components/securitySchemes",
    };
    documents.names(0, at).into_iter().filter_map(move |name| {
        let written = documents.at(0, &format!("{at}/{}", escaped(&name)))?;
        let (_, meant) = documents.meant(0, &written)?;
        Some((name, swagger2::security_scheme(&meant)))
    })
}

/// The ways to be let in to an operation: its own, or those of all.
pub(crate) fn requirements(
    documents: &Documents,
    operation: &Map<String, Value>,
) -> Vec<Requirement> {
    let of_all = documents.at(0, "/security");
    let listed = operation.get("security").or(of_all.as_ref());
    let listed = listed.and_then(Value::as_array).into_iter().flatten();
    let names = |one: &Value| {
        one.as_object()
            .into_iter()
            .flat_map(Map::keys)
            .cloned()
            .collect()
    };
    listed.map(names).collect()
}

#[cfg(test)]
mod tests;
