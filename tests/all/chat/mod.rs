//! `ampoule chat` against a scripted endpoint: real HTTP, the real binary, by pipes and at a terminal.
//!
//! - `forms`: a task in each of the three forms; `failures`: what endpoints do wrong; `streams`: how
//!   they number and end what they say, and what that costs
//! - `program`: the lines of `--json`; `people`: a person at a terminal
//! - `sessions`: what one chat leaves to the next
//! - `bench`: tasks with checks; `guide`: the guide's commands

mod bench;
mod failures;
mod forms;
mod guide;
mod people;
mod program;
mod sessions;
mod streams;

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::model::ModelServer;
use serde_json::Value;

/// A server with the demo business, whose changes need approvals and can be taken back.
fn configuration() -> String {
    let program = binary().display().to_string();
    format!(
        "[servers.demo]\ncommand = '{program}'\nargs = ['demo-server']\n\
         [servers.demo.tools.undo]\n\
         update_product_stock = 'update_product_stock({{ productId: args.productId, stock: result.previousStock }})'\n\
         [records]\nkeep = 'all'\n\
         [approvals]\nask = 'destructive'\n"
    )
}

/// The arguments of a chat with that endpoint.
fn arguments<'a>(address: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["chat", "--model", "scripted", "--endpoint", address];
    arguments.extend(more);
    arguments
}

/// Runs a chat with that endpoint, without anything on standard input.
async fn chat(workplace: &Workplace, model: &ModelServer, form: &str, more: &[&str]) -> Ran {
    let address = model.address(form);
    let mut command = workplace.command(binary(), &arguments(&address, more));
    for name in [
        "AMPOULE_MODEL_KEY",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "AMPOULE_MODEL_URL",
    ] {
        command.env_remove(name);
    }
    ended(command).await
}

/// The events of `--json`.
fn events(ran: &Ran) -> Vec<Value> {
    let event = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}\n{ran:?}"))
    };
    ran.stdout.lines().map(event).collect()
}

/// The first event of a type.
fn first<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    let found = events.iter().find(|event| event["type"] == kind);
    found.unwrap_or_else(|| panic!("no `{kind}` in {events:#?}"))
}
