//! Salaries by department: of a list that the server only gives as it is, and of a database that
//! computes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};
use futures::FutureExt;
use serde_json::{Value, json};

use super::direct::Direct;
use super::servers::Kind::{Database, Files};
use super::{FIRST_NAMES, LAST_NAMES, Script, Task, any, one_of};

/// How many people work there.
const PEOPLE: usize = 300;

pub(super) const TASK: Task = Task {
    name: "salaries by department, of 300 people",
    servers: &[Files],
    prepare: |_, folder| {
        let written = fs::write(folder.join("staff.csv"), staff());
        async { Ok(written?) }.boxed()
    },
    directly: |direct| directly(direct).boxed(),
    script: Script {
        language: "typescript",
        code: include_str!("salaries.ts"),
        calls: &["read_text_file"],
        searches: &[(Files, "read a text file")],
    },
};

const SELECT: &str = "SELECT department, count(*) AS people, cast(avg(salary) AS int) AS average FROM staff GROUP BY department ORDER BY department";

/// Where the server can do it by itself, a script saves nothing.
pub(super) const BY_QUERY: Task = Task {
    name: "the same of a database, by one query",
    servers: &[Database],
    prepare: |installed, folder| {
        async move {
            let table = "CREATE TABLE staff (id INT, name TEXT, department TEXT, salary INT)";
            let list = staff();
            let rows = list.lines().skip(1).map(|line| {
                let fields: Vec<_> = line.split(',').collect();
                format!("('{}')", fields.join("', '"))
            });
            let rows = rows.collect::<Vec<_>>().join(", ");
            let insert = format!("INSERT INTO staff VALUES {rows}");
            let statements = [("create_table", table.to_owned()), ("write_query", insert)];
            installed.sql(folder, &statements).await
        }
        .boxed()
    },
    directly: |direct| {
        async move {
            let query = json!({ "query": SELECT });
            Ok(json!({ "departments": direct.call(Database, "read_query", query).await? }))
        }
        .boxed()
    },
    script: Script {
        language: "typescript",
        code: "return { departments: await tools.database.readQuery({ query: \"SELECT department, count(*) AS people, cast(avg(salary) AS int) AS average FROM staff GROUP BY department ORDER BY department\" }) };",
        calls: &["read_query"],
        searches: &[(Database, "select")],
    },
};

fn staff() -> String {
    let departments = [
        "Assembly",
        "Design",
        "Finance",
        "Logistics",
        "People",
        "Sales",
        "Support",
    ];
    let mut text = String::from("id,name,department,salary\n");
    for person in 0..PEOPLE {
        let _ = writeln!(
            text,
            "{},{} {},{},{}",
            1_000 + person,
            one_of(&FIRST_NAMES, person, 0),
            one_of(&LAST_NAMES, person, 1),
            one_of(&departments, person, 2),
            28_000 + any(person, 3) % 70 * 1_000,
        );
    }
    text
}

async fn directly(direct: &mut Direct) -> Result<Value> {
    let file = json!({ "path": "staff.csv" });
    let text = direct.call(Files, "read_text_file", file).await?;
    let mut departments: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let [_, _, department, salary] = fields[..] else {
            anyhow::bail!("four fields")
        };
        let (people, sum) = departments.entry(department).or_default();
        *people += 1;
        *sum += salary.parse::<u64>().context("a salary")?;
    }
    let departments = departments.into_iter().map(|(department, (people, sum))| {
        json!({ "department": department, "people": people, "average": sum / people })
    });
    Ok(departments.collect())
}
