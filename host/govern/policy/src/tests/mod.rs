//! What policies come to, from their sources to decisions.

mod cases;
mod cedar;
mod effects;
mod evasion;
mod folder;
mod hostile;
mod labels;
mod learning;
mod real;
mod roles;
mod types;

use ampoule_projection::Tool;
use serde_json::{Value, json};

use crate::{
    Act, Caller, Decision, File, Policies, PolicyError, Request, RunLabels, Server, Sources,
};

/// A tool as servers write it.
fn tool(name: &str, properties: Value, annotations: Value) -> Tool {
    let required: Vec<String> = match properties.as_object() {
        Some(properties) => {
            let required = properties
                .iter()
                .filter(|(_, schema)| schema.get("optional").is_none());
            required.map(|(name, _)| name.clone()).collect()
        }
        None => Vec::new(),
    };
    let schema = json!({"type": "object", "properties": properties, "required": required});
    serde_json::from_value(json!({"name": name, "inputSchema": schema, "annotations": annotations}))
        .unwrap()
}

/// Two servers: `github`, whose tools say what they do, and `mail`, which says nothing.
fn github() -> Vec<Tool> {
    let text = json!({"type": "string"});
    let maybe = json!({"type": "string", "optional": true});
    vec![
        tool(
            "get_issue",
            json!({"owner": text, "number": {"type": "integer"}}),
            json!({"readOnlyHint": true}),
        ),
        tool(
            "create_issue",
            json!({"owner": text, "title": text, "labels": {"type": "array", "items": text, "optional": true}, "body": maybe}),
            json!({"destructiveHint": false}),
        ),
        tool(
            "delete_repository",
            json!({"owner": text, "repo": text}),
            json!({}),
        ),
    ]
}

fn mail() -> Vec<Tool> {
    let text = json!({"type": "string"});
    vec![
        tool("read", json!({"id": text}), json!({"readOnlyHint": true})),
        tool(
            "send",
            json!({"to": {"type": "array", "items": text}, "body": text, "cost": {"type": "number"}}),
            json!({"destructiveHint": false}),
        ),
    ]
}

/// Policies over the two servers; `crm` is not listed yet.
fn build(sources: &Sources) -> Result<Policies, PolicyError> {
    let (github, mail) = (github(), mail());
    let server = |name, tools| Server {
        name,
        says_it_is: None,
        tools,
    };
    let servers = [
        server("github", Some(github.as_slice())),
        server("mail", Some(&mail)),
        server("crm", None),
    ];
    Policies::new(sources, &servers)
}

fn file(text: &str) -> File {
    File {
        name: "a.cedar".into(),
        text: text.into(),
    }
}

/// Policies of a file.
fn of_file(text: &str) -> Result<Policies, PolicyError> {
    build(&Sources {
        files: vec![file(text)],
        ..Sources::default()
    })
}

/// Policies as the configuration has them: `[roles]` and `[labels]`.
fn of_config(toml: &str) -> Result<Policies, PolicyError> {
    build(&config(toml))
}

fn config(toml: &str) -> Sources {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Config {
        #[serde(default)]
        roles: crate::Roles,
        #[serde(default)]
        labels: crate::Labels,
    }
    let Config { roles, labels } = toml::from_str(toml).unwrap();
    Sources {
        roles,
        labels,
        ..Sources::default()
    }
}

/// What is wrong, one line each.
fn problems(made: Result<Policies, PolicyError>) -> Vec<String> {
    let PolicyError(problems) = made.expect_err("it should be refused");
    problems.iter().map(ToString::to_string).collect()
}

/// What is decided of a call by somebody; written as `github.get_issue {"owner": "x"}`.
fn decide(policies: &Policies, caller: &Caller, call: &str) -> Decision {
    decide_labelled(policies, caller, call, &[])
}

fn decide_labelled(policies: &Policies, caller: &Caller, call: &str, names: &[&str]) -> Decision {
    let written: crate::ActText = call.parse().unwrap();
    decided(
        policies,
        &Request {
            caller,
            act: written.act(),
            labels: &labels(names),
        },
    )
}

/// What is decided of a request, which is the same by what was found out for one with other
/// arguments.
fn decided(policies: &Policies, request: &Request<'_>) -> Decision {
    let decision = policies.decide(request);
    if let (Act::Call { server, tool, .. }, Some(known)) = (request.act, policies.known(request))
        && !policies.are_none()
    {
        let act = Act::Call {
            server,
            tool,
            arguments: &json!({"owner": "another", "unfit": null}),
        };
        let other = policies.known(&Request { act, ..*request }).unwrap();
        let stood = policies.stood(act, &other);
        let again = policies.decide_by(&stood, request.act, &known);
        assert_eq!(again, decision);
    }
    decision
}

fn labels(names: &[&str]) -> RunLabels {
    let mut labels = RunLabels::new();
    for name in names {
        labels.rise(&(*name).into(), || crate::LabelOrigin {
            call: Some(7),
            from: "mail.read".into(),
        });
    }
    labels
}

/// The decision as one line: `deny by a, b: why`.
fn told(decision: &Decision) -> String {
    let by = decision.by.join(", ");
    let reason = decision.reason.as_deref();
    let reason = reason
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    format!("{} by {by}{reason}", decision.effect)
}

fn alice() -> Caller {
    Caller::new("alice")
}

fn call<'a>(server: &'a str, tool: &'a str, arguments: &'a Value) -> Act<'a> {
    Act::Call {
        server,
        tool,
        arguments,
    }
}
