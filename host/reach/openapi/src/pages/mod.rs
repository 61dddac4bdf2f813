//! An answer whose headers matter: its body, those headers, and the arguments for the next page.

use std::collections::BTreeMap;
use std::sync::Arc;

use ampoule_api::answer::told;
use ampoule_outbound::Blot;
use ampoule_tools::CallError;
use http::header::LINK;
use http::{HeaderMap, Response};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use url::form_urlencoded;

use crate::plan::Plan;

/// The call that is answered.
pub(crate) struct AnsweredCall {
    pub(crate) plan: Arc<Plan>,
    pub(crate) arguments: Map<String, Value>,
    /// Names of the query that are the host's to fill in, such as that of a key.
    pub(crate) hidden: Vec<String>,
}

/// What a script gets where the document says that headers come with an answer.
#[derive(Serialize)]
struct Whole<'a> {
    body: &'a RawValue,
    headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Option<Map<String, Value>>>,
}

impl AnsweredCall {
    /// The body, or more where the document says that headers come with it.
    pub(crate) fn value(
        &self,
        body: Box<RawValue>,
        response: &Response<bytes::Bytes>,
        blot: &Blot,
    ) -> Result<Box<RawValue>, CallError> {
        let results = &self.plan.results;
        if !results.is_whole() {
            return Ok(body);
        }
        let whole = Whole {
            body: &body,
            headers: told(response.headers(), blot),
            next: results
                .has_pages()
                .then(|| self.next(response.headers(), blot))
                .transpose()?,
        };
        to_raw_value(&whole).map_err(|error| CallError::Protocol(error.to_string()))
    }

    /// What the call itself asked for besides the operation's parameters.
    fn arguments_of_rest(&self, name: &str) -> Option<&Value> {
        self.arguments.get(&self.plan.rest()?.argument)?.get(name)
    }

    /// The arguments of the call that gives the next page, if there is one.
    fn next(
        &self,
        headers: &HeaderMap,
        blot: &Blot,
    ) -> Result<Option<Map<String, Value>>, CallError> {
        let links = headers.get_all(LINK).into_iter();
        let links = links.filter_map(|link| link.to_str().ok());
        let Some(link) = links.filter_map(next_link).next() else {
            return Ok(None);
        };
        let link = blot.text(link);
        let query = link.split('#').next().unwrap_or_default();
        let query = query.split_once('?').map_or("", |(_, query)| query);
        let mut given = self.arguments.clone();
        given.retain(|_, value| !value.is_null());
        let mut next = given.clone();
        let members = given.values().filter_map(Value::as_object);
        let is_member = |name: &str| members.clone().any(|object| object.contains_key(name));
        let mut more = Map::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if self.hidden.iter().any(|hidden| *hidden == name) {
                continue;
            }
            match self.plan.query_parameter(&name) {
                // A list or an object is the same on each page.
                Some(parameter) if parameter.is_compound(next.get(&parameter.argument)) => {}
                Some(parameter) => {
                    next.insert(parameter.argument.clone(), parameter.read_back(&value));
                }
                // An object's members may be there by their own names.
                None if is_member(&name) && self.arguments_of_rest(&name).is_none() => {}
                None => match self.plan.bringing() {
                    Some(object) => {
                        let members = next.entry(object.argument.as_str());
                        let members = members.or_insert_with(|| Map::new().into());
                        if let Some(members) = members.as_object_mut() {
                            members.insert(name.into_owned(), value.into());
                        }
                    }
                    None => {
                        more.insert(name.into_owned(), value.into());
                    }
                },
            }
        }
        if let Some(rest) = self.plan.rest().filter(|_| !more.is_empty()) {
            next.insert(rest.argument.clone(), more.into());
        }
        match next == given {
            // Otherwise a script would ask for the same page again and again.
            true => Err(CallError::Protocol(
                "the server names a next page whose address differs in its path alone, which can't be called".to_owned(),
            )),
            false => Ok(Some(next)),
        }
    }
}

/// The address that `rel="next"` stands beside: `<https://…?page=2>; rel="next", <…>; rel="last"`.
fn next_link(header: &str) -> Option<&str> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once('<') {
        let (address, after) = after.split_once('>')?;
        let parameters = after.split('<').next().unwrap_or(after);
        let is_next = parameters.split([';', ',']).any(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = value.trim().trim_matches('"');
            name.trim().eq_ignore_ascii_case("rel")
                && value
                    .split_ascii_whitespace()
                    .any(|relation| relation.eq_ignore_ascii_case("next"))
        });
        if is_next {
            return Some(address);
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests;
