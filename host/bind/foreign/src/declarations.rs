//! Tools as a model sees them: declared in the language of its scripts.

use std::sync::Arc;

use ampoule::{Binding, Grant, GrantedTools};
use ampoule_projection::Detail;
use ampoule_tools::{Catalog, ResolvedTool};

use crate::options::{language, principal};
use crate::{Fault, GrantOptions, Runtime, Tools};

impl Runtime {
    /// Declarations of these tools, and of those of the runtime's servers that are granted, in a
    /// [language](crate::RunOptions::language) of scripts: for the description of a tool that runs
    /// scripts. May wait for servers to start.
    ///
    /// # Errors
    ///
    /// An unknown language or server, a server that can't be reached, or a closed runtime.
    pub fn declarations(
        &self,
        language_name: &str,
        granted: Option<GrantOptions>,
        tools: &[Tools],
    ) -> Result<String, Fault> {
        let runtime = self.runtime()?;
        let idiom = language(language_name)?.idiom();
        let granted = match granted {
            None => runtime.tools(Grant::none())?,
            Some(GrantOptions {
                grant,
                principal: name,
                groups,
            }) => {
                let principal = principal(name, groups)?;
                runtime.tools_of(grant.grant()?, principal.as_ref(), None)?
            }
        };
        let own = tools.iter().cloned();
        let own = own.map(|tools| Arc::new(tools) as Arc<dyn Binding>);
        let catalog = Catalog::new(own.collect());
        let catalog = catalog.map_err(|same| Fault::usage(same.to_string()))?;
        let own = GrantedTools::new(catalog, Grant::all());
        let own = own.map_err(|unknown| Fault::usage(unknown.to_string()))?;
        let declaring = async {
            let mut declared = declared(&granted.named_as(idiom)).await?;
            declared.extend(self::declared(&own.named_as(idiom)).await?);
            Ok(declared.join("\n"))
        };
        self.wait(declaring)
    }
}

async fn declared(tools: &GrantedTools) -> Result<Vec<String>, Fault> {
    let mut declared = Vec::new();
    for server in tools.servers_without_twins() {
        let tools = tools.tools_of(server).await;
        let tools = tools.map_err(|error| Fault::host(error.to_string()))?;
        declared.push(ResolvedTool::declare_all(&tools, Detail::Full));
    }
    Ok(declared)
}
