//! `docs/reference/metrics.md`: what `/metrics` of a server has that was used once.

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use reqwest::Client;

use super::holds;
use crate::client_names::run_once;
use crate::serving::{Serving, client};

const HEAD: &str = "\
# Metrics

`ampoule serve --http` answers `/metrics` with OpenMetrics text, for clients that may use it: a
scrape sends a token as `Authorization: Bearer …`. Labels are bounded: servers of the configuration,
the first hundred principals and the first hundred clients (the rest is `other`), never tools.

`ending` is `returned`, `threw`, `trapped`, `limit`, `cancelled`, `busy`, `refused` or `failed`. The
`state` of a call is `answered`, `not-sent` or `unknown`.

| name | type | labels | what is counted |
| --- | --- | --- | --- |
";

const CONFIG: &str = r#"
[servers.demo]
command = "PROGRAM"
args = ["demo-server"]

[serve.auth]
tokens = "tokens"
"#;

/// What a scrape says of one metric.
#[derive(Default)]
struct Metric {
    name: String,
    kind: String,
    help: String,
    labels: Vec<String>,
}

/// The labels of a sample, but for the bounds of a histogram's buckets.
fn labels(sample: &str) -> Vec<String> {
    let (_, rest) = sample.split_once('{').unwrap_or_default();
    let (labels, _) = rest.split_once('}').unwrap_or_default();
    let names = labels
        .split("\",")
        .filter_map(|label| label.split_once('='));
    let names = names.map(|(name, _)| name.to_owned());
    names.filter(|name| name != "le").collect()
}

fn metrics(text: &str) -> Vec<Metric> {
    let mut found: Vec<Metric> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').expect("a text");
            let help = help.trim_end_matches('.').to_owned();
            found.push(Metric {
                name: name.to_owned(),
                help,
                ..Metric::default()
            });
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let metric = found.last_mut().expect("its help");
            metric.kind = rest.split(' ').nth(1).expect("a type").to_owned();
        } else if !line.starts_with('#')
            && let Some(metric) = found.last_mut()
            && metric.labels.is_empty()
        {
            metric.labels = labels(line);
        }
    }
    found
}

async fn get(http: &Client, at: &str, token: &str) -> String {
    let get = http.get(at.replace("/mcp", "/metrics")).bearer_auth(token);
    let answer = get.send().await.expect("an answer");
    answer.text().await.expect("a body")
}

#[tokio::test]
async fn every_metric_is_on_the_page() {
    let workplace = Workplace::default();
    let config = CONFIG.replace("PROGRAM", &binary().to_string_lossy());
    workplace.file("ampoule.toml", config);
    let made = workplace
        .run_at_home(&["auth", "token", "add", "ada", "--file", "tokens"])
        .await;
    let token = made.stdout.trim();
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let (http, at) = (client(), server.at.clone());
    let code = "return (await tools.demo.listOrders({ limit: 1 })).items.length";
    let answer = run_once(&http, &at, "x", Some(token), code).await;
    assert!(answer.contains('1'), "{answer}");
    let mut all = metrics(&get(&http, &at, token).await);
    assert!(all.len() > 20, "{}", all.len());
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let mut page = HEAD.to_owned();
    for Metric {
        name,
        kind,
        help,
        labels,
    } in all
    {
        let name = match &*kind {
            "counter" => format!("{name}_total"),
            _ => name,
        };
        let labels: Vec<_> = labels.iter().map(|label| format!("`{label}`")).collect();
        page += &format!("| `{name}` | {kind} | {} | {help} |\n", labels.join(", "));
    }
    holds("metrics.md", &page);
}
