//! What models pay for tools, measured as a client sees it: tokens in every conversation, tokens
//! for each search, and searches that don't find what is there.
//!
//! `cargo xtask agent-economy` prints the table that `docs/guides/tokens.md` has.
//!
//! - `corpora`: tools of real servers, and questions about them; [`tasks`]: five tasks, done directly
//!   and by scripts

mod corpora;
pub mod tasks;

use std::fmt::Write;

use ampoule::{Grant, Runtime};
use ampoule_server::{ClientComponents, Server};
use ampoule_tokens::{Client, count, of_tools};
use anyhow::Result;
use serde_json::{Value, json};

use self::corpora::{Question, binding, servers};

/// A server over these tools.
async fn client(lists: &[(String, Vec<ampoule::Tool>)]) -> Result<Client> {
    let mut runtime = Runtime::builder();
    for (name, tools) in lists {
        runtime = runtime.binding(binding(name, tools));
    }
    let server = Server::new(runtime.build()?, Grant::all(), &ClientComponents::default())?;
    Ok(Client::of(server).await?)
}

/// How questions fared.
struct Searches {
    /// Those whose tool came first, and came among the first five.
    first: usize,
    among_five: usize,
    asked: usize,
    /// The tokens of ten declarations: the most, and the average.
    most: usize,
    average: usize,
}

async fn searches(client: &mut Client, questions: &[Question]) -> Result<Searches> {
    let (mut first, mut among_five, mut most, mut all) = (0, 0, 0, 0);
    for question in questions {
        let names = json!({ "query": question.ask, "limit": 5, "detail": "names" });
        let found = client.search(&names).await?;
        let place = found
            .lines()
            .skip(1)
            .position(|line| question.is_right(line));
        first += usize::from(place == Some(0));
        among_five += usize::from(place.is_some());
        let declared = count(&client.search(&json!({ "query": question.ask })).await?);
        most = most.max(declared);
        all += declared;
    }
    let asked = questions.len();
    Ok(Searches {
        first,
        among_five,
        asked,
        most,
        average: all / asked.max(1),
    })
}

/// The tables, in Markdown.
pub async fn measured() -> Result<String> {
    let lists = servers()?;
    let mut text = String::from(
        "| servers | tools | their own schemas, tokens | Ampoule's two tools, tokens |\n| --- | --- | --- | --- |\n",
    );
    for count in [0, 1, lists.len()] {
        // The largest one, as one server.
        let some: Vec<_> = match count {
            1 => lists
                .iter()
                .max_by_key(|(_, tools)| tools.len())
                .cloned()
                .into_iter()
                .collect(),
            count => lists[..count].to_vec(),
        };
        let own: Vec<Value> = some
            .iter()
            .flat_map(|(_, tools)| tools)
            .map(serde_json::to_value)
            .collect::<Result<_, _>>()?;
        let offered = client(&some).await?.tools().await?;
        writeln!(
            text,
            "| {count} | {} | {} | {} |",
            own.len(),
            of_tools(&own),
            of_tools(&offered)
        )?;
    }
    text += "\n| questions | first | among five | ten declarations, tokens: average, most |\n| --- | --- | --- | --- |\n";
    let mut client = client(&lists).await?;
    for (name, questions) in corpora::questions()? {
        let Searches {
            first,
            among_five,
            asked,
            most,
            average,
        } = searches(&mut client, &questions).await?;
        let percent = |count: usize| (count * 1000 / asked) as f64 / 10.0;
        writeln!(
            text,
            "| {asked} {name} | {:.1} % | {:.1} % | {average}, {most} |",
            percent(first),
            percent(among_five)
        )?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_table_in_the_documents_is_what_is_measured() {
        let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/tokens.md");
        let document = std::fs::read_to_string(document).unwrap();
        let measured = measured().await.unwrap();
        for table in measured.split("\n\n") {
            assert!(document.contains(table.trim_end()), "{table}");
        }
    }
}
