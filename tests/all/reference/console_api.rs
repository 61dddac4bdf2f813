//! `docs/reference/console-api.md`: the routes of the console's HTTP API, as its document has them.

use std::fmt::Write as _;

use serde_json::Value;

use super::{cell, holds};

const HEAD: &str = "# The HTTP API of the console

This page is made from the API's OpenAPI document, which a running console has at
`/api/v1/openapi.json`. [The console](../guides/console.md) says who may use it.
";

#[test]
fn every_route_of_the_console_is_on_the_page() {
    let document = serde_json::to_value(ampoule_console::api::document()).expect("JSON");
    let mut page = HEAD.to_owned();
    for tag in document["tags"].as_array().expect("tags") {
        let described = tag["description"].as_str().unwrap_or_default();
        let _ = write!(
            page,
            "\n## {described}\n\n| route | what it does |\n| --- | --- |\n"
        );
        for (path, methods) in document["paths"].as_object().expect("paths") {
            for (method, route) in methods.as_object().expect("methods") {
                if route["tags"][0] == tag["name"] {
                    page += &row(path, method, route);
                }
            }
        }
    }
    holds("console-api.md", &page);
}

fn row(path: &str, method: &str, route: &Value) -> String {
    let names = route["parameters"].as_array().into_iter().flatten();
    let queries = names.filter(|it| it["in"] == "query");
    let queries: Vec<String> = queries
        .filter_map(|it| Some(format!("`{}`", it["name"].as_str()?)))
        .collect();
    let queries = match queries.is_empty() {
        true => String::new(),
        false => format!(" Query: {}.", queries.join(", ")),
    };
    let said = cell(route["summary"].as_str().unwrap_or_default());
    let path = path.strip_prefix("/api/v1").unwrap_or(path);
    format!("| `{} {path}` | {said}{queries} |\n", method.to_uppercase())
}
