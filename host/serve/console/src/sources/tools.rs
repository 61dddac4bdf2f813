//! Tools: search, and declarations in each language.

use ampoule::{Error, ResolvedTool};
use ampoule_projection::Detail;

use super::cursor;
use crate::model::{Page, PageQuery, ToolDetail, ToolFilter, ToolRow, Viewer};
use crate::{Console, ConsoleError};

/// The most tools that a search finds.
const FOUND: usize = 500;
/// No other words for a tool that policies keep from the viewer.
const UNKNOWN: ConsoleError = ConsoleError::NotFound("this tool");

impl Console {
    /// The tools that the viewer's scripts may call: all by name, or those that match a query, the
    /// best first. Servers that were never started are started for that; `problems` names those that
    /// did not answer.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`] for an unknown server; the cursor is unknown.
    pub async fn tools(
        &self,
        viewer: &Viewer,
        filter: &ToolFilter,
        wanted: &PageQuery,
    ) -> Result<Page<ToolRow>, ConsoleError> {
        let tools = self.granted(viewer)?;
        let query = filter.query.as_deref().unwrap_or_default().trim();
        let server = filter.server.as_deref().filter(|name| !name.is_empty());
        let most = if query.is_empty() { usize::MAX } else { FOUND };
        let searched = tools.search(query, most, server).await;
        let searched = searched.map_err(|problem| match server {
            Some(_) => ConsoleError::NotFound("this server"),
            None => ConsoleError::from(Error::from(problem)),
        })?;
        let rows: Vec<ToolRow> = searched.hits.iter().map(tool_row).collect();
        let mut page = match query.is_empty() {
            true => {
                let mut rows = rows;
                rows.sort_by(|one, other| one.name.cmp(&other.name));
                cursor::by_name(rows, wanted, |row| row.name.clone())?
            }
            false => by_rank(rows, wanted)?,
        };
        page.problems = searched.problems;
        Ok(page)
    }

    /// A tool, with its declarations.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`]; [`ConsoleError::Conflict`] if its server does not answer.
    pub async fn tool(&self, viewer: &Viewer, name: &str) -> Result<ToolDetail, ConsoleError> {
        let tool = self.resolved(viewer, name).await?;
        let tools = std::slice::from_ref(&tool);
        let definition = serde_json::to_value(tool.definition());
        let definition = definition.map_err(|error| ConsoleError::host(&error))?;
        Ok(ToolDetail {
            row: tool_row(&tool),
            typescript: ResolvedTool::declare_all(tools, Detail::Full),
            python: ResolvedTool::python_module(tools),
            wit: ResolvedTool::package(tools).map_or_else(String::new, |it| it.to_string()),
            input_schema: definition["inputSchema"].clone(),
            output_schema: definition.get("outputSchema").cloned(),
            definition,
        })
    }

    /// The tool of this name, `server.tool`.
    pub(super) async fn resolved(
        &self,
        viewer: &Viewer,
        name: &str,
    ) -> Result<ResolvedTool, ConsoleError> {
        let tools = self.granted(viewer)?;
        let found = tools.resolve(name).await.map_err(|_| UNKNOWN)?;
        found.listed().await.map_err(ConsoleError::Conflict)
    }
}

/// A page of what a search found: its cursor is the number of rows before it.
fn by_rank(rows: Vec<ToolRow>, wanted: &PageQuery) -> Result<Page<ToolRow>, ConsoleError> {
    let rows: Vec<RankedTool> = rows
        .into_iter()
        .enumerate()
        .map(|(rank, row)| RankedTool { rank, row })
        .collect();
    let name = |ranked: &RankedTool| ranked.rank.to_string();
    let page = cursor::page(rows, wanted, |it| it.rank, name, |name| name.parse().ok())?;
    Ok(Page {
        items: page.items.into_iter().map(|ranked| ranked.row).collect(),
        next: page.next,
        total: page.total,
        problems: page.problems,
    })
}

/// A row, and its place in what a search found.
struct RankedTool {
    rank: usize,
    row: ToolRow,
}

/// A tool, as lists show it.
pub(super) fn tool_row(tool: &ResolvedTool) -> ToolRow {
    ToolRow {
        name: tool.qualified_name(),
        server: tool.server().to_string(),
        tool: tool.definition().name.clone(),
        description: tool.summary().description,
    }
}
