//! What is allowed: which requests are made, and what they are sent with.

use std::fmt::Write as _;

use http::Method;
use schemars::JsonSchema;
use serde::de;
use serde::{Deserialize, Deserializer};

use crate::target::Target;
use crate::{AddedHeaders, HostPattern, Methods, PathPattern, RuleError, Secret};

/// How many rules are named where something is not allowed.
const SHOWN: usize = 8;

/// Which requests are made. The default allows none.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// What is allowed. Of several rules that mean a request, the first one counts.
    pub allow: Vec<Rule>,
    /// What is not made even where a rule allows it.
    pub deny: Vec<Denial>,
}

/// Requests that are made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rule {
    /// The hosts: `api.example.com`, `*.example.com`, `*`; with a scheme or port if it is not the
    /// usual one: `http://example.com:8080`.
    #[serde(deserialize_with = "some")]
    pub hosts: Vec<HostPattern>,
    /// The methods; `*` means any. Default: `GET` and `HEAD`.
    #[serde(default)]
    pub methods: Methods,
    /// The paths: `/v1/items`, or `/v1/*`, where each `*` stands for any text. Default: any.
    #[serde(default = "any_path", deserialize_with = "some")]
    pub paths: Vec<PathPattern>,
    /// Headers that the host adds, such as a token from `${VARIABLE}`. Scripts never see them.
    #[serde(default)]
    pub headers: AddedHeaders,
    /// Whether the hosts may be in a private network, such as this machine itself. Default: false.
    #[serde(default)]
    pub private: bool,
}

/// Requests that are not made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Denial {
    /// The hosts, with any scheme and port unless the rule names them; `*` also means addresses.
    #[serde(deserialize_with = "some")]
    pub hosts: Vec<HostPattern>,
    /// The methods, compared without case. Default: any.
    #[serde(default = "Methods::all")]
    pub methods: Methods,
    /// The paths, compared without case. Default: any.
    #[serde(default = "any_path", deserialize_with = "some")]
    pub paths: Vec<PathPattern>,
}

/// At least one: a denial of nothing would deny nothing.
fn some<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let list = Vec::deserialize(deserializer)?;
    match list.is_empty() {
        true => Err(de::Error::custom(
            "this list is empty; name something, or remove it",
        )),
        false => Ok(list),
    }
}

fn any_path() -> Vec<PathPattern> {
    vec![PathPattern::any()]
}

impl Rules {
    /// Reading from these hosts, and nothing else.
    ///
    /// # Errors
    ///
    /// What is not a pattern for hosts.
    pub fn reading<I>(hosts: I) -> Result<Self, RuleError>
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        Ok(Self::default().and(Rule::to(hosts)?))
    }

    /// These, and one more.
    #[must_use]
    pub fn and(mut self, rule: Rule) -> Self {
        self.allow.push(rule);
        self
    }

    /// The rule by which a request is made.
    ///
    /// # Errors
    ///
    /// Why it is not, and what would allow it.
    pub(crate) fn decide(&self, method: &Method, target: &Target) -> Result<&Rule, String> {
        let asked = || format!("{method} {}", target.shown());
        if self.deny.iter().any(|denial| denial.means(method, target)) {
            return Err(format!("{} is denied by `deny` in [outbound]", asked()));
        }
        let allowed = self.allow.iter().find(|rule| rule.means(method, target));
        allowed.ok_or_else(|| {
            let origin = target.url.origin().ascii_serialization();
            format!(
                "{} is not allowed. Allowed are: {}. The operator can allow more in ampoule.toml: [[outbound.allow]] with hosts = [\"{origin}\"], methods = [\"{method}\"]",
                asked(),
                self.shown(),
            )
        })
    }

    /// What is allowed, as people read it.
    pub(crate) fn shown(&self) -> String {
        if self.allow.is_empty() {
            return "no requests".to_owned();
        }
        let mut shown = String::new();
        for (place, rule) in self.allow.iter().take(SHOWN).enumerate() {
            let separator = if place == 0 { "" } else { "; " };
            let _ = write!(shown, "{separator}{}", rule.shown());
        }
        if let Some(more) = self.allow.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let _ = write!(shown, "; and by {more} more rules");
        }
        shown
    }

    /// All values of headers that are added.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.allow.iter().flat_map(|rule| rule.headers.secrets())
    }
}

impl Rule {
    /// Reading from these hosts.
    ///
    /// # Errors
    ///
    /// What is not a pattern for hosts.
    pub fn to<I>(hosts: I) -> Result<Self, RuleError>
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        let hosts = hosts.into_iter().map(|host| host.as_ref().parse());
        Ok(Self {
            hosts: hosts.collect::<Result<_, _>>()?,
            methods: Methods::default(),
            paths: any_path(),
            headers: AddedHeaders::default(),
            private: false,
        })
    }

    /// Sets the methods.
    #[must_use]
    pub fn methods(mut self, methods: Methods) -> Self {
        self.methods = methods;
        self
    }

    /// Sets the paths.
    ///
    /// # Errors
    ///
    /// What is not a pattern for paths.
    pub fn paths<I>(mut self, paths: I) -> Result<Self, RuleError>
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        let paths = paths.into_iter().map(|path| path.as_ref().parse());
        self.paths = paths.collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Adds a header that the host sends, which scripts never see.
    ///
    /// # Errors
    ///
    /// What is not a header.
    pub fn header(mut self, name: &str, value: Secret) -> Result<Self, RuleError> {
        self.headers.add(name, value)?;
        Ok(self)
    }

    /// Allows hosts in a private network, such as this machine itself.
    #[must_use]
    pub fn private(mut self) -> Self {
        self.private = true;
        self
    }

    fn means(&self, method: &Method, target: &Target) -> bool {
        self.methods.mean(method)
            && self.hosts.iter().any(|host| host.means(&target.url))
            && self.paths.iter().any(|path| path.means(&target.forms))
    }

    fn shown(&self) -> String {
        let hosts: Vec<_> = self
            .hosts
            .iter()
            .take(SHOWN)
            .map(ToString::to_string)
            .collect();
        let more = if self.hosts.len() > SHOWN {
            ", …"
        } else {
            ""
        };
        let mut shown = format!("{}{more} ({}", hosts.join(", "), self.methods.shown());
        if self.paths != any_path() {
            let paths: Vec<_> = self
                .paths
                .iter()
                .take(SHOWN)
                .map(ToString::to_string)
                .collect();
            let more = if self.paths.len() > SHOWN {
                ", …"
            } else {
                ""
            };
            let _ = write!(shown, "; {}{more}", paths.join(", "));
        }
        shown.push(')');
        shown
    }
}

impl Denial {
    fn means(&self, method: &Method, target: &Target) -> bool {
        self.methods.may_mean(method)
            && self.hosts.iter().any(|host| host.may_mean(&target.url))
            && self.paths.iter().any(|path| path.may_mean(&target.forms))
    }
}
