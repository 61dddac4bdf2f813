//! Tokens that a company's issuer signs: JWTs, as RFC 9068 has them for access.
//!
//! - `claims`: what a token must say; `identity`: tokens that say who signed in; `keys`: the issuer's keys, of which one must have signed it;
//!   `signature`: whether it did
//! - `key_cache`: the keys as they are kept; `discovery`: where the issuer has them

mod claims;
mod discovery;
mod identity;
mod key_cache;
mod keys;
mod signature;

use std::sync::Arc;

use ampoule_tools::Principal;
use jsonwebtoken::{Algorithm, Header, Validation, decode, decode_header};
use serde_json::{Map, Value};
use url::Url;

use crate::refusal::RefusalReason;
use crate::{AccessError, principal};

use self::discovery::Discovery;
pub use self::identity::IssuerAnswer;
use self::key_cache::{KeyCache, KeyError};

/// Where metadata is of what is protected, before the path of that.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
/// How far clocks may be apart, in seconds.
const LEEWAY: u64 = 30;
/// What the header of a token for access says that it is. Many issuers say `JWT`, or nothing.
const ACCESS: [&str; 3] = ["at+jwt", "application/at+jwt", "jwt"];
/// Those with a key to sign, and another to check, that everybody may have. `none` and secrets that
/// both sides share are not among them.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];
/// The most audiences and scopes that there may be.
const MOST_NAMES: usize = 64;

/// What tokens a company's issuer gives for this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerOptions {
    /// The issuer, exactly as it names itself. `https`, or `http` on this machine.
    pub issuer: String,
    /// Whom its tokens are for: one of these.
    pub audience: Vec<String>,
    /// The address at which clients reach this server. Default: the first audience, where that is
    /// an address.
    pub resource: Option<String>,
    /// What a token must allow, all of it.
    pub scopes: Vec<String>,
    /// The claim that names the principal. Default: `sub`.
    pub principal_claim: Option<String>,
    /// The claim that lists the groups that the principal is in: its name, or, from a `/` on, a JSON
    /// pointer such as `/realm_access/roles`. Default: `groups`. A token without it is of nobody in
    /// any group.
    pub groups_claim: Option<String>,
}

/// An issuer, as tokens are checked against it.
#[derive(Debug)]
pub(crate) struct Issuer {
    held: Arc<KeyCache>,
    validation: Validation,
    audience: Vec<String>,
    scopes: Vec<String>,
    claim: String,
    groups: String,
    /// Where this server is, as it is written: clients and issuers compare it as text.
    pub(crate) resource: String,
    /// Where its metadata is.
    pub(crate) metadata: Url,
}

impl Issuer {
    /// # Errors
    ///
    /// The options can't be used, or no HTTP client can be made.
    pub(crate) fn new(
        options: IssuerOptions,
        http: reqwest::ClientBuilder,
    ) -> Result<Self, AccessError> {
        signature::install();
        check(&options)?;
        let resource = options.resource.as_ref().unwrap_or(&options.audience[0]);
        let (resource, metadata) = (resource.clone(), metadata_of(resource)?);
        let discovery = Discovery::new(&options.issuer, http)?;
        let mut validation = Validation {
            leeway: LEEWAY,
            validate_nbf: true,
            ..Validation::default()
        };
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.set_issuer(&[&options.issuer]);
        validation.set_audience(&options.audience);
        Ok(Self {
            held: Arc::new(KeyCache::new(discovery)),
            validation,
            audience: options.audience,
            scopes: options.scopes,
            claim: options.principal_claim.unwrap_or_else(|| "sub".to_owned()),
            groups: options.groups_claim.unwrap_or_else(|| "groups".to_owned()),
            resource,
            metadata,
        })
    }

    /// The same for a part of the server: its tokens may also be for the address that this segment
    /// ends, of the whole server's.
    pub(crate) fn beneath(&self, segment: &str) -> Result<Self, AccessError> {
        let resource = format!("{}/{segment}", self.resource.trim_end_matches('/'));
        let mut audience = self.audience.clone();
        audience.push(resource.clone());
        let mut validation = self.validation.clone();
        validation.set_audience(&audience);
        Ok(Self {
            held: Arc::clone(&self.held),
            validation,
            audience,
            scopes: self.scopes.clone(),
            claim: self.claim.clone(),
            groups: self.groups.clone(),
            metadata: metadata_of(&resource)?,
            resource,
        })
    }

    /// Gets the keys ahead of the first request, and says in the log where that fails.
    pub(crate) fn warm(&self) {
        self.held.refresh_aside();
    }

    /// What it names itself.
    pub(crate) fn name(&self) -> &str {
        self.held.issuer()
    }

    /// What a token must allow.
    pub(crate) fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Whom a token is for.
    pub(crate) async fn principal(&self, token: &str) -> Result<Principal, RefusalReason> {
        let claims = self.claims(token, &self.validation, &ACCESS).await?;
        if !claims::allows(&claims, &self.scopes) {
            return Err(RefusalReason::TooLittle);
        }
        let name = claims::name(&claims, &self.claim).filter(|name| principal::check(name).is_ok());
        let name = name.ok_or_else(|| {
            tracing::warn!(claim = self.claim, "a token of the issuer names nobody by this claim; `principal-claim` chooses another");
            RefusalReason::NamesNobody
        })?;
        let groups = claims::groups(&claims, &self.groups).ok_or_else(|| {
            tracing::warn!(claim = self.groups, "a token of the issuer does not list its owner's groups by this claim; `groups-claim` chooses another, and an issuer may have to be told to list them all");
            RefusalReason::NoGroups
        })?;
        Ok(Principal::new(name).with_groups(groups))
    }

    /// What a token says that this issuer has signed, and that is valid now, in these words. `kinds`:
    /// what its header may say that it is.
    async fn claims(
        &self,
        token: &str,
        validation: &Validation,
        kinds: &[&str],
    ) -> Result<Map<String, Value>, RefusalReason> {
        let header = decode_header(token).map_err(|_| RefusalReason::NotAccess)?;
        let algorithm = allowed(&header, kinds)?;
        let key = self.held.key(header.kid.as_deref(), algorithm).await;
        let key = key.map_err(|missing| match missing {
            KeyError::Unknown => RefusalReason::NotSigned,
            KeyError::Unreachable => RefusalReason::IssuerIsDown,
        })?;
        let mut validation = validation.clone();
        validation.algorithms = vec![algorithm];
        let read = decode::<Map<String, Value>>(token, &key, &validation);
        let claims = read.map_err(|error| claims::why(error.kind()))?.claims;
        // A list is taken where one of its names is right; a token has one issuer (RFC 7519, 4.1.1).
        if !claims.get("iss").is_some_and(Value::is_string) {
            return Err(RefusalReason::OfAnotherIssuer);
        }
        Ok(claims)
    }
}

/// The algorithm of a token, if it is one by which only the issuer can sign; and the token one of
/// these kinds, as far as its header tells.
fn allowed(header: &Header, kinds: &[&str]) -> Result<Algorithm, RefusalReason> {
    let kind = header.typ.as_deref();
    let is_known = kind.is_none_or(|kind| kinds.iter().any(|it| it.eq_ignore_ascii_case(kind)));
    // What is marked as critical must be understood, and nothing of that is (RFC 7515, 4.1.11).
    if !is_known || header.crit.is_some() {
        return Err(RefusalReason::NotAccess);
    }
    let algorithm = ALGORITHMS.contains(&header.alg).then_some(header.alg);
    algorithm.ok_or(RefusalReason::NotSigned)
}

fn check(options: &IssuerOptions) -> Result<(), AccessError> {
    let lists = [&options.audience, &options.scopes];
    if options.audience.is_empty() || lists.iter().any(|list| list.len() > MOST_NAMES) {
        return Err(AccessError::new(format!(
            "there must be an audience, and at most {MOST_NAMES} of them, and of scopes"
        )));
    }
    // RFC 6749, 3.3.
    let is_scope = |scope: &String| {
        let fits = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
        !scope.is_empty() && scope.bytes().all(fits)
    };
    if !options.scopes.iter().all(is_scope) {
        return Err(AccessError::new(
            "a scope is a word of visible ASCII, without quotes and backslashes",
        ));
    }
    Ok(())
}

/// Where the metadata is of what is reached at an address (RFC 9728, 3.1).
fn metadata_of(resource: &str) -> Result<Url, AccessError> {
    let url = Url::parse(resource).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    });
    let mut url = url.ok_or_else(|| {
        AccessError::new(
            "`resource` must be the address at which clients reach this server, such as https://ampoule.example.com/mcp",
        )
    })?;
    let path = format!("{WELL_KNOWN}{}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}
