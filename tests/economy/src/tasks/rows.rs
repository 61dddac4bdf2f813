//! Pull rows, clean them, store them: sign-ups in a file, of which a table is made.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};
use futures::FutureExt;
use serde_json::{Value, json};

use super::direct::Direct;
use super::servers::Kind::{Database, Files};
use super::{FIRST_NAMES, LAST_NAMES, Script, Task, any, one_of};

/// How many rows there are, clean or not.
const ROWS: usize = 300;

pub(super) const TASK: Task = Task {
    name: "pull 300 rows, clean them, store them",
    servers: &[Files, Database],
    prepare: |_, folder| {
        let written = fs::write(folder.join("signups.csv"), signups());
        async { Ok(written?) }.boxed()
    },
    directly: |direct| directly(direct).boxed(),
    script: Script {
        language: "python",
        code: include_str!("rows.py"),
        calls: &[
            "read_text_file",
            "create_table",
            "write_query",
            "read_query",
        ],
        searches: &[
            (Files, "read a text file"),
            (Database, "create a table, insert, select"),
        ],
    },
};

/// As people fill in forms: spaces, capitals, two ways to write a day, some twice, some without an
/// address.
fn signups() -> String {
    let mut text = String::from("name,email,day,plan\n");
    for row in 0..ROWS {
        // One in six signs up again.
        let person = if any(row, 0).is_multiple_of(6) {
            any(row, 1) % (row + 1)
        } else {
            row
        };
        let (first, last) = (
            one_of(&FIRST_NAMES, person, 2),
            one_of(&LAST_NAMES, person, 3),
        );
        let email = match any(row, 4) % 12 {
            0 => String::new(),
            1 => format!("{first}.{last}{person}@Example.COM "),
            _ => format!("{first}.{last}{person}@example.com").to_lowercase(),
        };
        let (month, day) = (any(row, 5) % 9 + 1, any(row, 6) % 28 + 1);
        let day = match any(row, 7) % 3 {
            0 => format!("{day:02}/{month:02}/2026"),
            _ => format!("2026-{month:02}-{day:02}"),
        };
        let name = match any(row, 8) % 4 {
            0 => format!(" {}  {last}", first.to_uppercase()),
            _ => format!("{first} {last}"),
        };
        let plan = one_of(&["free", "Free", "team", "TEAM ", "business"], row, 9);
        let _ = writeln!(text, "{name},{email},{day},{plan}");
    }
    text
}

async fn directly(direct: &mut Direct) -> Result<Value> {
    let file = json!({ "path": "signups.csv" });
    let text = direct.call(Files, "read_text_file", file).await?;
    let rows = clean(&text)?;
    let table = "CREATE TABLE signups (name TEXT, email TEXT PRIMARY KEY, day TEXT, plan TEXT)";
    direct
        .call(Database, "create_table", json!({ "query": table }))
        .await?;
    let values = rows.iter().map(|row| format!("('{}')", row.join("', '")));
    let values = values.collect::<Vec<_>>().join(", ");
    let insert = json!({ "query": format!("INSERT INTO signups VALUES {values}") });
    direct.call(Database, "write_query", insert).await?;
    let select = "SELECT plan, count(*) AS people, min(day) AS first FROM signups GROUP BY plan ORDER BY plan";
    let plans = direct
        .call(Database, "read_query", json!({ "query": select }))
        .await?;
    Ok(json!({ "stored": rows.len(), "plans": plans }))
}

/// What a model would write of them, row by row.
fn clean(text: &str) -> Result<Vec<[String; 4]>> {
    let (mut rows, mut seen) = (Vec::new(), BTreeSet::new());
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [name, email, day, plan] = <[&str; 4]>::try_from(fields).ok().context("four fields")?;
        let email = email.to_lowercase();
        if email.is_empty() || !seen.insert(email.clone()) {
            continue;
        }
        let day = match *day.split('/').collect::<Vec<_>>() {
            [day, month, year] => format!("{year}-{month}-{day}"),
            _ => day.to_owned(),
        };
        let words = name.split_whitespace().map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_uppercase() + &rest.to_lowercase()
        });
        let name = words.collect::<Vec<_>>().join(" ");
        rows.push([name, email, day, plan.to_lowercase()]);
    }
    Ok(rows)
}
