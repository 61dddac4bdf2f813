//! HTTP requests that scripts may have made.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use ampoule_limits::units;

use super::error::Mistakes;
use super::read::{Entry, Table};
use super::server::{self, Surroundings};
use super::sessions::some;
use super::{ConfigError, Tls, keys};

/// `outbound`: which HTTP requests scripts may have made. What is not configured has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutboundConfig {
    /// `allow`: those that are made; the first that means a request counts.
    pub allow: Vec<OutboundRule>,
    /// `deny`: those that are not made even so.
    pub deny: Vec<OutboundDenial>,
    /// `timeout`: how long one may take.
    pub timeout: Option<Duration>,
    /// `request`: how large a request's body may be, in bytes.
    pub request: Option<u64>,
    /// `response`: how large a response's body may be, in bytes.
    pub response: Option<u64>,
    /// `concurrency`: how many may be under way at once.
    pub concurrency: Option<NonZeroUsize>,
    /// `proxy`: whether the environment's proxies are used.
    pub proxy: bool,
    /// `tls` of the file: whom to trust.
    pub tls: Tls,
}

/// One of `outbound.allow`. Patterns are as they were written.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OutboundRule {
    /// `hosts`: to whom.
    pub hosts: Vec<String>,
    /// `methods`: with which methods, if not the default.
    pub methods: Option<Vec<String>>,
    /// `paths`: with which paths, if not any.
    pub paths: Option<Vec<String>>,
    /// `headers`: those that the host adds. Their values are secrets.
    pub headers: BTreeMap<String, String>,
    /// `private`: whether the hosts may be in a private network.
    pub private: bool,
}

/// One of `outbound.deny`. Patterns are as they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutboundDenial {
    /// `hosts`: to whom.
    pub hosts: Vec<String>,
    /// `methods`: with which methods, if not any.
    pub methods: Option<Vec<String>>,
    /// `paths`: with which paths, if not any.
    pub paths: Option<Vec<String>>,
}

impl fmt::Debug for OutboundRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(String::as_str).collect();
        f.debug_struct("OutboundRule")
            .field("hosts", &self.hosts)
            .field("methods", &self.methods)
            .field("paths", &self.paths)
            .field("headers", &names)
            .field("private", &self.private)
            .finish()
    }
}

pub(super) fn read(
    table: &Table<'_>,
    tls: &Tls,
    around: Surroundings<'_>,
) -> Result<OutboundConfig, ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("outbound")));
    let allow = table.read("allow", |rules| rules.each(|rule| allowed(rule, around)));
    let deny = table.read("deny", |rules| rules.each(|rule| denied(rule, around)));
    let timeout = table.read("timeout", |it| it.quantity(units::parse_duration));
    let request = table.read("request", |it| it.quantity(units::parse_bytes));
    let response = table.read("response", |it| it.quantity(units::parse_bytes));
    let concurrency = table.read("concurrency", some);
    let proxy = table.read("proxy", |proxy| proxy.boolean());
    let config = OutboundConfig {
        allow: mistakes.unless(allow).flatten().unwrap_or_default(),
        deny: mistakes.unless(deny).flatten().unwrap_or_default(),
        timeout: mistakes.unless(timeout).flatten(),
        request: mistakes.unless(request).flatten(),
        response: mistakes.unless(response).flatten(),
        concurrency: mistakes.unless(concurrency).flatten(),
        proxy: mistakes.unless(proxy).flatten().unwrap_or_default(),
        tls: tls.clone(),
    };
    mistakes.none().map(|()| config)
}

fn allowed(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<OutboundRule, ConfigError> {
    let table = entry.table()?;
    table.only(keys::outbound::OUTBOUND_ALLOW)?;
    let headers = table.read("headers", |headers| {
        server::variables(headers, "headers", around.environment)
    })?;
    let (headers, _) = headers.unwrap_or_default();
    let private = table.read("private", |private| private.boolean())?;
    Ok(OutboundRule {
        hosts: hosts(&table, around)?,
        methods: texts(&table, "methods", around)?,
        paths: texts(&table, "paths", around)?,
        headers,
        private: private.unwrap_or_default(),
    })
}

fn denied(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<OutboundDenial, ConfigError> {
    let table = entry.table()?;
    table.only(keys::outbound::OUTBOUND_DENY)?;
    Ok(OutboundDenial {
        hosts: hosts(&table, around)?,
        methods: texts(&table, "methods", around)?,
        paths: texts(&table, "paths", around)?,
    })
}

fn hosts(table: &Table<'_>, around: Surroundings<'_>) -> Result<Vec<String>, ConfigError> {
    let hosts = texts(table, "hosts", around)?.filter(|hosts| !hosts.is_empty());
    hosts.ok_or_else(|| table.refuse("the key `hosts` is missing: such as [\"api.example.com\"]"))
}

fn texts(
    table: &Table<'_>,
    key: &str,
    around: Surroundings<'_>,
) -> Result<Option<Vec<String>>, ConfigError> {
    table.read(key, |texts| {
        texts.each(|text| server::expanded(text, around.environment))
    })
}
