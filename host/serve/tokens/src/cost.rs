//! What tools cost a model, directly and through Ampoule.

use std::io::Result;

use ampoule_projection::Detail;
use ampoule_server::Server;
use ampoule_tools::ResolvedTool;
use serde::Serialize;
use serde_json::json;

use super::{Client, count, of_tools};

/// How many searches are made at most: for some tools, evenly from all.
const SEARCHES: usize = 100;

/// What some tools cost, in tokens.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// How many there are.
    pub tools: usize,
    /// Their own names, descriptions and input schemas, in every conversation.
    pub directly: usize,
    /// The same of Ampoule's two tools, in their place.
    pub through_ampoule: usize,
    /// Whether Ampoule's tools have the signatures of all of them: nobody has to search then.
    pub signatures_included: bool,
    /// A search, asked what one of them does.
    pub search: Spread,
    /// The declaration of one of them.
    pub declaration: Spread,
}

/// Tokens of several texts.
#[derive(Debug, Default, Clone, Copy, Serialize)]
pub struct Spread {
    /// Rounded down.
    pub average: usize,
    /// Of the longest.
    pub most: usize,
}

impl Cost {
    /// What these tools cost, where the server has them and no others.
    ///
    /// # Errors
    ///
    /// Where the server goes away.
    pub async fn of(tools: &[ResolvedTool], server: Server) -> Result<Self> {
        let mut client = Client::of(server).await?;
        let offered = client.tools().await?;
        let definitions = tools.iter().map(ResolvedTool::definition);
        let definitions: Vec<_> = definitions
            .map(serde_json::to_value)
            .collect::<std::result::Result<_, _>>()?;
        let mut searches = Vec::new();
        for tool in tools.iter().step_by(tools.len().div_ceil(SEARCHES).max(1)) {
            let asked = tool.summary().description;
            let query = match asked.is_empty() {
                true => tool.name().to_string(),
                false => asked,
            };
            searches.push(count(&client.search(&json!({ "query": query })).await?));
        }
        let said = offered.iter().map(|tool| tool["description"].to_string());
        let said: String = said.collect();
        let is_said = |tool: &ResolvedTool| said.contains(&format!("{}(", tool.qualified_name()));
        Ok(Self {
            tools: tools.len(),
            directly: of_tools(&definitions),
            through_ampoule: of_tools(&offered),
            signatures_included: !tools.is_empty() && tools.iter().all(is_said),
            search: Spread::of(searches),
            declaration: Spread::of(
                tools
                    .iter()
                    .map(|tool| count(&tool.declare(Detail::Full)))
                    .collect(),
            ),
        })
    }
}

impl Spread {
    fn of(tokens: Vec<usize>) -> Self {
        Self {
            average: tokens.iter().sum::<usize>() / tokens.len().max(1),
            most: tokens.into_iter().max().unwrap_or_default(),
        }
    }
}
