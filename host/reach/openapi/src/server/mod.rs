//! Where an operation's requests go.

use std::collections::BTreeMap;

use ampoule_api::{Source, base_url, line};
use ampoule_network::is_private;
use serde_json::{Map, Value};
use url::{Host, Url};

use crate::document::{Documents, Version};
use crate::options::ApiServer;
use crate::swagger2;

/// The address below which a server's paths are, and that of the document.
pub(crate) struct Base {
    /// What the operator wrote, which holds for all operations.
    configured: Option<Url>,
    /// Which of the document's servers is meant, unless it is the first.
    choice: Option<String>,
    /// What stands for variables instead of their defaults.
    variables: BTreeMap<String, String>,
}

impl Base {
    /// # Errors
    ///
    /// Why the address can't be used.
    pub(crate) fn new(configured: Option<&str>) -> Result<Self, String> {
        let configured = configured.map(|text| base_url("base-url", text));
        Ok(Self {
            configured: configured.transpose()?,
            choice: None,
            variables: BTreeMap::new(),
        })
    }

    /// That of a configured server.
    ///
    /// # Errors
    ///
    /// Why it can't be used.
    pub(crate) fn of_server(server: &ApiServer) -> Result<Self, String> {
        let base = Self::new(server.base_url.as_deref())?;
        let chooses = server.server.is_some() || !server.server_variables.is_empty();
        if base.configured.is_some() && chooses {
            return Err(
                "`base-url` is the address already; remove it, or `server` and `server-variables`"
                    .to_owned(),
            );
        }
        Ok(Self {
            choice: server.server.clone(),
            variables: server.server_variables.clone(),
            ..base
        })
    }

    /// What the operator wrote.
    pub(crate) fn configured(&self) -> Option<&Url> {
        self.configured.as_ref()
    }

    /// What its query holds, such as a key.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let query = self.configured.iter().flat_map(Url::query_pairs);
        query.map(|(_, value)| value.into_owned()).collect()
    }

    /// The address for an operation of a path.
    ///
    /// # Errors
    ///
    /// The document names none that can be used.
    pub(crate) fn of(
        &self,
        documents: &Documents,
        item: Option<&Map<String, Value>>,
        operation: Option<&Map<String, Value>>,
    ) -> Result<Url, String> {
        if let Some(url) = &self.configured {
            return Ok(url.clone());
        }
        let of_all = match documents.version() {
            Version::Swagger2 => Some(swagger2::servers(documents)),
            _ => documents.at(0, "/servers"),
        };
        let own = |from: Option<&Map<String, Value>>| {
            let servers = from?.get("servers")?.as_array()?;
            self.chosen(servers).or(servers.first()).cloned()
        };
        let of_all = of_all.as_ref().and_then(Value::as_array);
        let server = match own(operation).or_else(|| own(item)) {
            Some(server) => Some(server),
            None => {
                let server = self.of_document(of_all.map_or(&[], Vec::as_slice))?;
                self.check_variables(server)?;
                server.cloned()
            }
        };
        let text = server
            .as_ref()
            .map_or_else(|| Ok("/".to_owned()), |it| self.filled(it))?;
        absolute(documents.source(), &text)
    }

    /// The server that is meant, of these.
    fn chosen<'s>(&self, servers: &'s [Value]) -> Option<&'s Value> {
        let choice = self.choice.as_deref()?.trim();
        let is = |server: &Value, key: &str| {
            let text = server.get(key).and_then(Value::as_str);
            text.is_some_and(|text| text.trim().eq_ignore_ascii_case(choice))
        };
        let named = servers
            .iter()
            .find(|server| is(server, "name") || is(server, "description") || is(server, "url"));
        let number = || choice.parse::<usize>().ok()?.checked_sub(1);
        named.or_else(|| servers.get(number()?))
    }

    fn of_document<'s>(&self, servers: &'s [Value]) -> Result<Option<&'s Value>, String> {
        let Some(choice) = &self.choice else {
            return Ok(servers.first());
        };
        let shown = |(place, server): (usize, &Value)| {
            let text = |key: &str| server.get(key).and_then(Value::as_str).map(line);
            let url = text("url").unwrap_or_default();
            match text("description") {
                Some(said) => format!("{}: `{url}`, \"{said}\"", place + 1),
                None => format!("{}: `{url}`", place + 1),
            }
        };
        match self.chosen(servers) {
            Some(server) => Ok(Some(server)),
            None => {
                let known = servers.iter().enumerate().take(MAX_SHOWN).map(shown);
                let known = known.collect::<Vec<_>>().join("; ");
                let choice = line(choice);
                Err(match known.is_empty() {
                    true => format!(
                        "the document has no servers, and `server` names `{choice}`; set `base-url` instead"
                    ),
                    false => format!(
                        "the document has no server `{choice}`; `server` may be the number, the address or the description of one of these: {known}"
                    ),
                })
            }
        }
    }

    /// Whether the document's server has the variables that are given.
    fn check_variables(&self, server: Option<&Value>) -> Result<(), String> {
        let url = server.and_then(|server| server.get("url")?.as_str());
        let text = url.unwrap_or("/");
        let is_there = |name: &&String| text.contains(&format!("{{{name}}}"));
        match self.variables.keys().find(|name| !is_there(name)) {
            None => Ok(()),
            Some(name) => Err(format!(
                "the address of the document's server, `{}`, has no variable `{}`, which `server-variables` names",
                line(text),
                line(name)
            )),
        }
    }

    /// A server's address, with its variables replaced.
    fn filled(&self, server: &Value) -> Result<String, String> {
        let mut text = server
            .get("url")
            .and_then(Value::as_str)
            .unwrap_or("/")
            .to_owned();
        let variables = server.get("variables").and_then(Value::as_object);
        for (name, value) in &self.variables {
            let allowed = variables.and_then(|it| it.get(name)?.get("enum")?.as_array());
            if let Some(allowed) = allowed.filter(|it| it.iter().all(|one| spelled(one) != *value))
            {
                let allowed: Vec<String> = allowed
                    .iter()
                    .take(MAX_SHOWN)
                    .map(|it| line(&spelled(it)))
                    .collect();
                return Err(format!(
                    "`server-variables.{}` may be: {}",
                    line(name),
                    allowed.join(", ")
                ));
            }
            text = text.replace(&format!("{{{name}}}"), value);
        }
        for (name, variable) in variables.into_iter().flatten() {
            if let Some(default) = variable.get("default") {
                text = text.replace(&format!("{{{name}}}"), &spelled(default));
            }
        }
        match text.split_once('{') {
            None => Ok(text),
            Some((_, rest)) => {
                let name = line(rest.split('}').next().unwrap_or_default());
                Err(format!(
                    "the address of the document's server has the variable `{name}`, which has no default; set `server-variables.{name}`, or `base-url`"
                ))
            }
        }
    }
}

/// How many servers, or values of a variable, are shown.
const MAX_SHOWN: usize = 8;

/// A value as it stands in an address.
fn spelled(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn absolute(source: &Source, text: &str) -> Result<Url, String> {
    let url = match source {
        Source::Address(document) => document.join(text).ok(),
        Source::File(_) => Url::parse(text).ok(),
    };
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let mut url =
        url.ok_or("the document doesn't say at which address the server is; set `base-url`")?;
    url.set_fragment(None);
    if let Source::Address(document) = source
        && document.scheme() == "https"
        && url.scheme() == "http"
    {
        return Err(
            "the document is at an https: address, and its server is not; set `base-url`"
                .to_owned(),
        );
    }
    Ok(url)
}

/// Whether an address that a document names is a private network's by its very text.
pub(crate) fn is_inside(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => is_private(ip.into()),
        Some(Host::Ipv6(ip)) => is_private(ip.into()),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests;
