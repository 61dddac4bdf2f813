//! What must hold of documents that nobody thought of, and of calls by them. Tests try some of them
//! in each run, `tests/fuzz` tries more.

use ampoule_api::Source;
use serde_json::{Map, Value, json};
use url::Url;

use crate::api::{Api, ApiContent};
use crate::document::{NextDocument, Reader};
use crate::options::ApiServer;
use crate::plan::Plan;
use crate::request::{self, Endpoint};
use crate::security::Credential;

/// How many operations of a document are tried.
const TRIED: usize = 12;
/// How large the schema of one operation may become, in bytes: much more than the documents that are
/// tried.
const LARGEST_SCHEMA: usize = 8 << 20;
/// Values that would lead elsewhere, if they were not written as what they are.
const HOSTILE: [&str; 12] = [
    "..",
    ".",
    "%2e%2e",
    "a/../../b",
    "a\\..\\b",
    ".\t.",
    "{id}",
    "?x=1#y",
    "@evil.example/",
    "a\r\nX-A: b",
    "é😀",
    "",
];

/// A document, as JSON or YAML: it is read or refused in one line; its operations have names of their
/// own and schemas that are objects, and no argument leads to another server or path. Returns a
/// short description of the outcome.
///
/// # Panics
///
/// Where something of that does not hold.
pub fn document(data: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(data) else {
        return "not text".to_owned();
    };
    // Where it says nothing of an address, or a private one, the operator does.
    let is_configured = !text.contains("https://");
    let server = ApiServer {
        base_url: is_configured.then(|| "https://api.example.com/base".to_owned()),
        ..ApiServer::new(Source::Address(address()))
    };
    match read(text, &server) {
        Ok(api) => checked(&api, number_of(data)),
        Err(why) => {
            assert_one_line(&why);
            words_of(&why)
        }
    }
}

fn address() -> Url {
    Url::parse("https://api.example.com/docs/api.yaml").expect("an address")
}

/// Reads a document that refers to no others that are there.
fn read(text: &str, server: &ApiServer) -> Result<Api, String> {
    let mut reader = Reader::new(server.document.clone());
    let mut text = Some(text.to_owned());
    while let NextDocument::Address(_) = reader.go_on()? {
        reader.add(text.take().ok_or_else(|| "it is not there".to_owned()))?;
    }
    let (documents, problems) = reader.done()?;
    ApiContent::api(documents, problems, server)
}

fn checked(api: &Api, number: u64) -> String {
    let mut names: Vec<&str> = api.tools.iter().map(|tool| tool.name.as_str()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two tools have one name");
    api.problems.iter().for_each(|why| assert_one_line(why));
    let (mut bytes, mut requests, mut refusals) = (0, 0, 0);
    for tool in api.tools.iter().take(TRIED) {
        assert!(!tool.name.is_empty(), "a tool without a name");
        for schema in [Some(&tool.input_schema), tool.output_schema.as_ref()] {
            let schema = schema.map_or_else(|| json!({}), |schema| schema.parse());
            assert!(schema.is_object(), "{}: {schema}", tool.name);
            let size = schema.to_string().len();
            assert!(size <= LARGEST_SCHEMA, "{}: {size} bytes", tool.name);
            bytes += size;
        }
        match called(api, &tool.name, number) {
            true => requests += 1,
            false => refusals += 1,
        }
    }
    let problems = api.problems.first().map_or("", |why| why);
    format!(
        "{count} tools, {} bits, {requests} {refusals} {}",
        bytes.ilog2(),
        words_of(problems)
    )
}

/// Whether a call of an operation is sent. It goes where its plan says, whatever its arguments are.
fn called(api: &Api, tool: &str, number: u64) -> bool {
    let content = &api.described;
    let Some((operation, Ok(plan))) = content.plan_of(tool) else {
        return false;
    };
    let arguments = arguments(&plan, number);
    let to = Endpoint {
        method: &operation.method,
        path: &operation.path,
    };
    let credential = Credential::default();
    let set = http::HeaderMap::new();
    let made = request::of(&content.documents, to, &plan, &arguments, credential, set);
    match made {
        Ok(request) => {
            let (url, base) = (&request.url, &plan.base);
            assert_eq!(url.origin(), base.origin(), "{url} for {}", operation.path);
            let above = base.path().trim_end_matches('/');
            // What stands before the first argument stays.
            let own = operation.path.split(['{', '?', '#']).next();
            let own = format!(
                "{}{above}{}",
                base.origin().ascii_serialization(),
                own.unwrap_or_default()
            );
            let own = Url::parse(&own).expect("an address");
            assert!(url.path().starts_with(own.path()), "{url} leaves {own}");
            assert_eq!(url.fragment(), None, "{url} for {}", operation.path);
            true
        }
        Err(why) => {
            assert!(!why.contains(['\n', '\r']), "{why:?}");
            false
        }
    }
}

/// Arguments that would lead elsewhere.
fn arguments(plan: &Plan, number: u64) -> Map<String, Value> {
    let mut state = number;
    let mut next = |end: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        usize::try_from((state >> 33) % end as u64).unwrap_or_default()
    };
    let mut arguments = Map::new();
    for parameter in &plan.parameters {
        let text = HOSTILE[next(HOSTILE.len())];
        let value = match next(5) {
            0 => json!([text, HOSTILE[next(HOSTILE.len())]]),
            1 => json!({ text: text, "b": { "c": [1, text] } }),
            2 => json!(number),
            _ => json!(text),
        };
        arguments.insert(parameter.argument.clone(), value);
    }
    if plan.body.is_some() {
        let text = HOSTILE[next(HOSTILE.len())];
        let body = [json!({ "a": text, text: [text] }), json!(text), json!([1])];
        let body = body[next(3)].clone();
        arguments.insert(crate::parameters::BODY.to_owned(), body);
    }
    arguments
}

/// It is shown in the log, and to models.
fn assert_one_line(why: &str) {
    assert!(!why.contains(char::is_control), "{why:?}");
}

/// The words of a sentence, without what it quotes and counts.
fn words_of(why: &str) -> String {
    let mut is_quoted = false;
    let mut words = why.chars().take(120).filter(|c| {
        is_quoted ^= *c == '`';
        !is_quoted && !c.is_ascii_digit()
    });
    words.by_ref().take(60).collect()
}

/// A number of an input: FNV-1a.
fn number_of(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |number, byte| {
        (number ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use ampoule_mutated::Inputs;

    const PETS: &[u8] = include_bytes!("../../../../tests/fuzz/seeds/document/pets.json");
    const FILES: &[u8] = include_bytes!("../../../../tests/fuzz/seeds/document/files.yaml");
    const OLD: &[u8] = include_bytes!("../../../../tests/fuzz/seeds/document/old.yaml");

    #[test]
    fn documents_are_read_or_refused_and_calls_go_where_they_must() {
        let inputs = Inputs {
            right: &[PETS, FILES, OLD],
            words: &[
                "\"$ref\":\"#/components/schemas/Pet\"",
                "$ref: '#/'",
                "#/paths/~1pets~1{id}/get",
                "allOf",
                "oneOf",
                "anyOf",
                "not",
                "nullable",
                "discriminator",
                "style: ",
                "matrix",
                "label",
                "deepObject",
                "spaceDelimited",
                "explode",
                "allowReserved: true",
                "in: ",
                "path",
                "query",
                "header",
                "cookie",
                "formData",
                "{id}",
                "{",
                "}",
                "servers",
                "url",
                "http://127.0.0.1",
                "//evil.example",
                "<<: *page",
                "&a [",
                "*page",
                "!!binary",
                "? ",
                "- ",
                "|\n  ",
                "---\n",
                "openapi: 3.1.0\n",
                "\"type\":\"integer\"",
                "format",
                "enum",
                "default",
                "links",
                "callbacks",
                "content-type",
                "operationId: ",
            ],
            cases: 300,
        };
        inputs.tried(super::document);
    }
}
