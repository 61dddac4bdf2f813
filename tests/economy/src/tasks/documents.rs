//! Work off a queue of documents: letters with invoices in a folder, of which a ledger is made.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use futures::FutureExt;
use serde_json::{Value, json};

use super::direct::Direct;
use super::servers::Kind::Files;
use super::{FIRST_NAMES, LAST_NAMES, Script, Task, any, one_of};

/// How many letters there are.
const LETTERS: usize = 24;

pub(super) const TASK: Task = Task {
    name: "work off a queue of 24 documents",
    servers: &[Files],
    prepare: |_, folder| {
        let written = letters(folder);
        async { written }.boxed()
    },
    directly: |direct| directly(direct).boxed(),
    script: Script {
        language: "typescript",
        code: include_str!("documents.ts"),
        calls: &[
            "list_directory",
            "create_directory",
            "read_text_file",
            "write_file",
            "move_file",
        ],
        searches: &[(
            Files,
            "list a directory, create one, read, write and move text files",
        )],
    },
};

/// What is between the lines that matter.
const SENTENCES: [&str; 8] = [
    "Thank you for your order, which left our warehouse in Rotterdam on Tuesday in two parcels.",
    "The second delivery was late because the carrier lost a pallet between Utrecht and Arnhem.",
    "We have taken back the four chairs that arrived damaged, and credited them on this invoice.",
    "Our new account manager will call you next week to go through the terms for the coming year.",
    "As agreed by telephone, assembly on the third floor is included and not charged separately.",
    "Please note that our bank details have changed since the spring; the old account is closed.",
    "The warranty covers all moving parts for five years, provided that they are oiled every autumn.",
    "Prices for oak rise by four percent from January; orders placed before that keep this price.",
];

fn letters(folder: &Path) -> Result<()> {
    fs::create_dir(folder.join("inbox"))?;
    for letter in 0..LETTERS {
        let from = format!("{} & Sons", one_of(&LAST_NAMES, letter, 0));
        let (due, cents) = (any(letter, 1) % 28 + 1, any(letter, 2) % 900_000 + 5_000);
        let body = (0..12).map(|line| one_of(&SENTENCES, letter, 3 + line));
        let text = format!(
            "From: {from}\nTo: Birch & Bolt, accounts payable\nInvoice: {}-{letter:03}\n\nDear {},\n\n{}\n\nTotal: {}.{:02} EUR\nDue: 2026-11-{due:02}\n\nYours sincerely,\n{from}\n",
            any(letter, 20) % 9_000 + 1_000,
            one_of(&FIRST_NAMES, letter, 21),
            body.collect::<Vec<_>>().join("\n"),
            cents / 100,
            cents % 100,
        );
        fs::write(folder.join(format!("inbox/letter-{letter:02}.txt")), text)?;
    }
    Ok(())
}

async fn directly(direct: &mut Direct) -> Result<Value> {
    let listed = direct.together(vec![
        (Files, "list_directory", json!({ "path": "inbox" })),
        (Files, "create_directory", json!({ "path": "done" })),
    ]);
    let listed = listed.await?.swap_remove(0);
    let mut names: Vec<_> = listed
        .lines()
        .map(|line| line.replace("[FILE] ", ""))
        .collect();
    names.sort();
    let paths: Vec<_> = names.iter().map(|name| format!("inbox/{name}")).collect();
    let read = direct
        .call(Files, "read_multiple_files", json!({ "paths": paths }))
        .await?;
    let (mut ledger, mut sum) = (String::from("number,from,due,total\n"), 0);
    for letter in read.split("\n---\n") {
        let field = |label: &str| {
            let line = letter.lines().find_map(|line| line.strip_prefix(label));
            line.context("a field")
        };
        let total = field("Total: ")?.trim_end_matches(" EUR");
        sum += total.replace('.', "").parse::<u64>()?;
        let (number, from, due) = (field("Invoice: ")?, field("From: ")?, field("Due: ")?);
        ledger += &format!("{number},{from},{due},{total}\n");
    }
    let mut calls = vec![(
        Files,
        "write_file",
        json!({ "path": "ledger.csv", "content": ledger }),
    )];
    calls.extend(names.iter().map(|name| {
        let move_it =
            json!({ "source": format!("inbox/{name}"), "destination": format!("done/{name}") });
        (Files, "move_file", move_it)
    }));
    direct.together(calls).await?;
    Ok(json!({ "documents": names.len(), "cents": sum }))
}
