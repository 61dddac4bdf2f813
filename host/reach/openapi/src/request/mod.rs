//! A call as an HTTP request.

use ampoule_outbound::ServerRequest;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, COOKIE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use url::Url;

use crate::document::Documents;
use crate::parameters::style::{ENCODED, StyledValue};
use crate::parameters::{BODY, Location, Parameter};
use crate::plan::{Plan, names_in};
use crate::security::Credential;

/// What a request says, as far as its arguments say it.
#[derive(Default)]
struct Parts {
    /// What stands for names in braces.
    path: Vec<(String, String)>,
    /// Encoded.
    query: Vec<(String, String)>,
    headers: HeaderMap,
    cookies: Vec<(String, String)>,
}

/// Where the request of an operation goes.
pub(crate) struct Endpoint<'o> {
    pub(crate) method: &'o Method,
    /// The path as the operation has it, with `{name}` for what a call puts in.
    pub(crate) path: &'o str,
}

/// The request of a call. `set`: headers that the operator sets, which only the server may know.
///
/// # Errors
///
/// Why it can't be made of these arguments, as a sentence.
pub(crate) fn of(
    documents: &Documents,
    to: Endpoint<'_>,
    plan: &Plan,
    arguments: &Map<String, Value>,
    credential: Credential,
    set: HeaderMap,
) -> Result<ServerRequest, String> {
    check_rest(plan, arguments, &credential)?;
    let mut parts = Parts::default();
    for parameter in &plan.parameters {
        if let Some(value) = arguments
            .get(&parameter.argument)
            .filter(|it| !it.is_null())
        {
            parts.add(parameter, value)?;
        }
    }
    let body = match (&plan.body, arguments.get(BODY)) {
        (Some(body), Some(value)) => Some(body.write(documents, value)?),
        _ => None,
    };
    let mut headers = parts.headers;
    headers.insert(ACCEPT, value_of("accept", &plan.results.accept)?);
    if let Some(body) = &body {
        headers.insert(CONTENT_TYPE, value_of("content-type", &body.kind)?);
    }
    let query = parts.query.into_iter();
    let secret = credential
        .query
        .iter()
        .map(|(name, value)| (in_url(name), in_url(value)));
    let url = address(&plan.base, to.path, &parts.path, query.chain(secret))?;
    let mut confidential = set;
    for (name, value) in credential.headers {
        confidential.entry(name).or_insert(value);
    }
    let cookies = parts.cookies.into_iter().chain(credential.cookies);
    let cookies: Vec<String> = cookies
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if !cookies.is_empty() {
        let own = confidential.get(COOKIE).and_then(|own| own.to_str().ok());
        let own = own.map(str::to_owned).into_iter();
        let all = own.chain(cookies).collect::<Vec<_>>().join("; ");
        let mut value = value_of("cookie", &all)?;
        value.set_sensitive(true);
        confidential.insert(COOKIE, value);
    }
    Ok(ServerRequest {
        method: to.method.clone(),
        url,
        headers,
        confidential,
        body: body.map_or_else(Bytes::new, |body| body.bytes),
    })
}

/// What stands besides the operation's parameters is neither one of them, whose value rules may be
/// about, nor a key.
fn check_rest(
    plan: &Plan,
    arguments: &Map<String, Value>,
    credential: &Credential,
) -> Result<(), String> {
    let Some(rest) = plan.rest() else {
        return Ok(());
    };
    let given = arguments.get(&rest.argument).and_then(Value::as_object);
    if let (Some(bringing), Some(given)) = (plan.bringing(), given)
        && !given.is_empty()
    {
        // A rule about its members would not see them.
        return Err(format!(
            "`{}` is not taken here, since its names may be members of `{}`: give them there",
            rest.argument, bringing.argument
        ));
    }
    for name in given.into_iter().flat_map(Map::keys) {
        if let Some(parameter) = plan.query_parameter(name) {
            return Err(format!(
                "`{}` has `{}`, which is an argument of its own",
                rest.argument, parameter.argument
            ));
        }
        if hidden(plan, credential).any(|hidden| hidden == *name) {
            return Err(format!(
                "`{}` has a name that only the host may set",
                rest.argument
            ));
        }
    }
    Ok(())
}

/// The names of a query that the host fills in.
pub(crate) fn hidden(plan: &Plan, credential: &Credential) -> impl Iterator<Item = String> {
    let keys: Vec<String> = credential
        .query
        .iter()
        .map(|(name, _)| name.clone())
        .collect();
    let base = plan.base.query_pairs();
    let base: Vec<String> = base.map(|(name, _)| name.into_owned()).collect();
    keys.into_iter().chain(base)
}

impl Parts {
    fn add(&mut self, parameter: &Parameter, value: &Value) -> Result<(), String> {
        let wrong = |why: &str| format!("`{}` {why}", parameter.argument);
        let written = parameter.write(value).map_err(|why| wrong(&why))?;
        match (parameter.location, written) {
            (Location::Path, StyledValue::Text(text)) => {
                if text.is_empty() {
                    return Err(wrong("is empty, and would lead to another path"));
                }
                self.path.push((parameter.name.clone(), text));
            }
            (Location::Header, StyledValue::Text(text)) => {
                let name: HeaderName = parameter
                    .name
                    .parse()
                    .map_err(|_| wrong("is not a header"))?;
                self.headers
                    .insert(name, value_of(&parameter.argument, &text)?);
            }
            (Location::Cookie, StyledValue::Pairs(pairs)) => {
                let is_plain = |text: &str| {
                    !text.contains([';', ',', ' ', '"', '\\']) && !text.contains(char::is_control)
                };
                if !pairs
                    .iter()
                    .all(|(name, value)| is_plain(name) && is_plain(value))
                {
                    return Err(wrong("has a character that a cookie may not have"));
                }
                self.cookies.extend(pairs);
            }
            (_, StyledValue::Pairs(pairs)) => self.query.extend(pairs),
            (_, StyledValue::Text(text)) => self.query.push((in_url(&parameter.name), text)),
        }
        Ok(())
    }
}

fn value_of(name: &str, text: &str) -> Result<HeaderValue, String> {
    let value = HeaderValue::from_bytes(text.as_bytes());
    value.map_err(|_| format!("`{name}` has a value that no header can have"))
}

fn in_url(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, ENCODED).to_string()
}

/// The address of an operation below its server's.
fn address(
    base: &Url,
    path: &str,
    values: &[(String, String)],
    query: impl Iterator<Item = (String, String)>,
) -> Result<Url, String> {
    let (path, own) = path.split_once('?').unwrap_or((path, ""));
    let path = path.split('#').next().unwrap_or(path);
    let mut filled = path.to_owned();
    for name in names_in(path) {
        let value = values.iter().find(|(known, _)| known == name);
        let (_, value) = value.ok_or_else(|| format!("`{name}` is missing"))?;
        filled = filled.replacen(&format!("{{{name}}}"), value, 1);
    }
    // What leads up would lead to another operation.
    let leads_away = |segment: &str| {
        let decoded = percent_decode_str(segment).decode_utf8_lossy();
        matches!(&*decoded, "." | "..")
    };
    if filled.split(['/', '\\']).any(leads_away) {
        return Err(
            "an argument of the path is `.` or `..`, which would lead to another path".to_owned(),
        );
    }
    let base_query = base
        .query()
        .filter(|query| !query.is_empty())
        .map(str::to_owned);
    let pairs = query.map(|(name, value)| format!("{name}={value}"));
    let own = (!own.is_empty()).then(|| own.to_owned());
    let query: Vec<String> = own.into_iter().chain(pairs).chain(base_query).collect();
    let mut text = base.origin().ascii_serialization();
    text.push_str(base.path().trim_end_matches('/'));
    text.push_str(&filled);
    if !query.is_empty() {
        text.push('?');
        text.push_str(&query.join("&"));
    }
    let url = Url::parse(&text).map_err(|error| format!("the address can't be made: {error}"))?;
    match url.origin() == base.origin() {
        true => Ok(url),
        false => Err("the path leads to another server".to_owned()),
    }
}

#[cfg(test)]
mod tests;
