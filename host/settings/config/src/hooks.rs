//! Runs that messages of other systems start: `[hooks.NAME]`.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_fields::{Quantity, SealedText};
use ampoule_limits::LimitsConfig;
use ampoule_projection::names::ToolPattern;
use ampoule_secrets::{LEAST_SIGNING_SECRET, is_sealed};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::Config;
use super::error::{ConfigError, Mistakes};
use super::read::Table;
use super::schedules::{Job, StarterName, check_job, function, table_of, tools};

/// The largest body, in bytes: what GitHub sends at most.
const LARGEST_BODY: u64 = 25 << 20;
/// The longest time for which messages are taken: they are remembered for as long.
const LONGEST: Duration = Duration::from_hours(1);
/// How many runs of a hook there may be at once, at most.
const MOST_AT_ONCE: u32 = 64;

/// The hooks, by name.
pub type Hooks = BTreeMap<StarterName, HookConfig>;

/// Runs that another system starts by a message to `/hooks/NAME` of `ampoule serve --http`. Each
/// message is signed. The script gets its body as `env.input`.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HookConfig {
    /// The secret that the sender signs with, of at least 16 bytes: `${file:PATH}`, `${keyring:…}`,
    /// `${command:…}` or `${VARIABLE}`. `whsec_` and base64, where the signatures are in base64.
    #[serde(deserialize_with = "secret")]
    #[schemars(with = "String")]
    pub secret: String,
    /// The header with the signature. Default: `X-Hub-Signature-256`, GitHub's.
    #[serde(default = "github_header", deserialize_with = "header")]
    pub header: String,
    /// What stands before the signature there. Default: `sha256=`.
    #[serde(default = "github_prefix")]
    pub prefix: String,
    /// How the signature is written. Default: `hex`.
    #[serde(default)]
    pub encoding: SignatureEncoding,
    /// What is signed, with `{body}`, `{timestamp}` and `{id}` for parts of the message. Default:
    /// `{body}`.
    #[serde(default = "body_alone")]
    pub signed: String,
    /// The header in which the sender says when it signed: seconds since 1970. Then a message is taken
    /// once, and only while it is new.
    #[serde(default, deserialize_with = "some_header")]
    #[schemars(with = "String")]
    pub timestamp_header: Option<String>,
    /// What stands before the time there, such as `t=`. Default: nothing.
    #[serde(default)]
    pub timestamp_prefix: String,
    /// How old such a message may be, up to `1h`. Default: `5m`.
    #[serde(default, deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub tolerance: Option<Duration>,
    /// The header with the message's id, if it is signed, too.
    #[serde(default, deserialize_with = "some_header")]
    #[schemars(with = "String")]
    pub id_header: Option<String>,
    /// Headers that the script gets as `env.headers`, by their names in lower case.
    #[serde(default, deserialize_with = "headers")]
    pub headers: Vec<String>,
    /// How large a body may be, up to `25MiB`. Default: `1MiB`.
    #[serde(default, deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub body: Option<u64>,
    /// How many messages start runs in a minute. Default: 60.
    #[serde(default, deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub per_minute: Option<NonZeroU32>,
    /// How many of its runs may be under way at once, up to 64; parked ones count. Default: 4.
    #[serde(default, deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub at_once: Option<NonZeroU32>,
    /// The file with the script. It is read at each run.
    #[serde(default, deserialize_with = "ampoule_fields::path")]
    #[schemars(with = "String")]
    pub script: Option<PathBuf>,
    /// A skill, instead of a script: one of the principal's, an approved one, or one of the operator's.
    #[serde(default, deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub skill: Option<String>,
    /// The function of the skill that is called, with `env.input` as its argument.
    #[serde(default, deserialize_with = "function")]
    #[schemars(with = "String")]
    pub function: Option<String>,
    /// For whom it runs: roles, quotas, policies, sessions and skills are this principal's. Default:
    /// the local user.
    #[serde(default, deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub principal: Option<String>,
    /// The groups of the principal.
    #[serde(default)]
    pub groups: Vec<String>,
    /// The tools that it may call, such as `github.get_*`. Default: those of the toolkit, or none.
    #[serde(default, deserialize_with = "tools")]
    #[schemars(with = "Vec<String>")]
    pub tools: Vec<ToolPattern>,
    /// The toolkit whose tools it may call, instead of `tools`.
    #[serde(default, deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub toolkit: Option<String>,
    /// What it may use, where that differs from `[limits]`.
    #[serde(default)]
    pub limits: LimitsConfig,
}

/// How a signature is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SignatureEncoding {
    /// Hexadecimal digits.
    #[default]
    Hex,
    /// Base64.
    Base64,
}

/// Without the secret.
impl fmt::Debug for HookConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookConfig")
            .field("header", &self.header)
            .field("script", &self.script)
            .field("skill", &self.skill)
            .field("principal", &self.principal)
            .finish_non_exhaustive()
    }
}

impl HookConfig {
    fn job(&self) -> Job<'_> {
        Job {
            script: self.script.as_ref(),
            skill: self.skill.as_deref(),
            function: self.function.as_deref(),
            tools: &self.tools,
            toolkit: self.toolkit.as_deref(),
            limits: &self.limits,
        }
    }
}

fn github_header() -> String {
    "X-Hub-Signature-256".to_owned()
}

fn github_prefix() -> String {
    "sha256=".to_owned()
}

fn body_alone() -> String {
    "{body}".to_owned()
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let SealedText(secret) = SealedText::deserialize(deserializer)?;
    match is_sealed(&secret) || secret.len() >= LEAST_SIGNING_SECRET {
        true => Ok(secret),
        false => Err(D::Error::custom(
            "a hook's secret has at least 16 bytes, such as by `openssl rand -hex 32`",
        )),
    }
}

fn header<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    header_name(String::deserialize(deserializer)?)
}

fn headers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    names.into_iter().map(header_name).collect()
}

fn header_name<E: serde::de::Error>(name: String) -> Result<String, E> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    match !name.is_empty() && name.bytes().all(is_name) {
        true => Ok(name),
        false => Err(E::custom(
            "this is not the name of a header; write one such as `X-Hub-Signature-256`",
        )),
    }
}

fn some_header<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    header(deserializer).map(Some)
}

/// What must hold of all hooks beyond their keys.
pub(super) fn check(config: &Config, root: &Table<'_>) -> Result<(), ConfigError> {
    let mut mistakes = Mistakes::default();
    for (name, hook) in &config.hooks {
        let Some(table) = table_of(root, "hooks", name) else {
            continue;
        };
        mistakes.unless(check_job(config, &hook.job(), &table));
        for (key, why) in problems(hook) {
            let entry = table.get(key);
            mistakes.add(entry.map_or_else(|| table.refuse(why), |entry| entry.refuse(why)));
        }
    }
    mistakes.none()
}

/// What is wrong with how messages are checked: keys, each with why.
fn problems(hook: &HookConfig) -> Vec<(&'static str, &'static str)> {
    let parts = |part: &str| hook.signed.matches(part).count();
    let is_open = |part: &str| {
        // Without a sign between two parts, one could be taken for a piece of the other.
        hook.signed.contains(&format!("{part}{{")) || hook.signed.contains(&format!("}}{part}"))
    };
    let mut problems = Vec::new();
    if parts("{body}") != 1 {
        problems.push(("signed", "the body is signed, once: write `{body}` in it"));
    }
    if is_open("{timestamp}") || is_open("{id}") || is_open("{body}") {
        let why = "a sign must stand between two parts, such as in `{timestamp}.{body}`";
        problems.push(("signed", why));
    }
    match (&hook.timestamp_header, parts("{timestamp}")) {
        (Some(_), 0) => problems.push((
            "timestamp-header",
            "a time that is not signed proves nothing: write `{timestamp}` in `signed`",
        )),
        (None, 1..) => problems.push(("signed", "`timestamp-header` is missing")),
        (None, 0) if hook.tolerance.is_some() => {
            problems.push(("tolerance", "this needs `timestamp-header`"));
        }
        _ => {}
    }
    match (&hook.id_header, parts("{id}")) {
        (Some(_), 0) => problems.push(("id-header", "write `{id}` in `signed`")),
        (None, 1..) => problems.push(("signed", "`id-header` is missing")),
        _ => {}
    }
    if hook.tolerance.is_some_and(|tolerance| tolerance > LONGEST) {
        problems.push(("tolerance", "this is too long: at most `1h`"));
    }
    if hook.body.is_some_and(|body| body > LARGEST_BODY) {
        problems.push(("body", "this is too much: at most `25MiB`"));
    }
    if hook.at_once.is_some_and(|most| most.get() > MOST_AT_ONCE) {
        problems.push(("at-once", "these are too many: at most 64"));
    }
    problems
}
