//! HTTP requests of scripts, as the configuration allows them.

use std::num::NonZeroUsize;

use ampoule::RuntimeBuilder;
use ampoule::outbound::{
    Denial, HostPattern, InvalidRule, Methods, NAME, Outbound, OutboundOptions, PathPattern, Rule,
    Rules, Secret,
};
use ampoule_config::{Config, OutboundConfig, OutboundDenial, OutboundRule};

use super::Unusable;
use super::servers;

/// Gives a runtime what is configured of it.
pub(super) fn given(builder: RuntimeBuilder, config: &Config) -> Result<RuntimeBuilder, Unusable> {
    let Some(requests) = &config.outbound else {
        return Ok(builder);
    };
    let is_taken = |name: &String| name.eq_ignore_ascii_case(NAME);
    if let Some(name) = config.servers.keys().find(|name| is_taken(name)) {
        return Err(Unusable::new(format!(
            "servers.{name}: with [outbound], scripts find their requests under this name; call the server something else"
        )));
    }
    let rules = Outbound::List(rules(requests)?);
    Ok(builder.outbound(rules, options(requests)))
}

fn options(config: &OutboundConfig) -> OutboundOptions {
    let mut options = OutboundOptions::default();
    options.timeout = config.timeout.unwrap_or(options.timeout);
    options.request_bytes = config.request.unwrap_or(options.request_bytes);
    options.response_bytes = config.response.unwrap_or(options.response_bytes);
    let concurrency = config.concurrency.map(NonZeroUsize::get);
    options.concurrency = concurrency.unwrap_or(options.concurrency);
    options.through_proxy = config.proxy;
    options.tls = servers::tls(config.tls.clone());
    options
}

fn rules(config: &OutboundConfig) -> Result<Rules, Unusable> {
    let (allow, deny) = (config.allow.iter(), config.deny.iter());
    let allow = allow
        .enumerate()
        .map(|(at, rule)| in_place("allow", at, allowed(rule)));
    let deny = deny
        .enumerate()
        .map(|(at, denial)| in_place("deny", at, denied(denial)));
    Ok(Rules {
        allow: allow.collect::<Result<_, _>>()?,
        deny: deny.collect::<Result<_, _>>()?,
    })
}

/// A rule, or what is wrong with it, and where.
fn in_place<T>(list: &str, at: usize, rule: Result<T, InvalidRule>) -> Result<T, Unusable> {
    rule.map_err(|why| Unusable::new(format!("outbound.{list}[{at}]: {why}")))
}

fn allowed(config: &OutboundRule) -> Result<Rule, InvalidRule> {
    let mut rule = Rule::to(&config.hosts)?;
    if let Some(methods) = &config.methods {
        rule = rule.methods(Methods::of(methods)?);
    }
    if let Some(paths) = &config.paths {
        rule = rule.paths(paths)?;
    }
    for (name, value) in &config.headers {
        rule = rule.header(name, Secret::new(value))?;
    }
    Ok(if config.private { rule.private() } else { rule })
}

fn denied(config: &OutboundDenial) -> Result<Denial, InvalidRule> {
    let hosts = config.hosts.iter().map(|host| host.parse::<HostPattern>());
    let methods = config.methods.as_ref().map(Methods::of);
    let paths = match &config.paths {
        Some(paths) => paths.iter().map(|path| path.parse()).collect(),
        None => Ok(vec![PathPattern::any()]),
    };
    Ok(Denial {
        hosts: hosts.collect::<Result<_, _>>()?,
        methods: methods.transpose()?.unwrap_or_else(Methods::all),
        paths: paths?,
    })
}
