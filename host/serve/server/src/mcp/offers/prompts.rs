//! Prompts of servers.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, GetPromptRequestParams, GetPromptResponse, GetPromptResult, JsonObject,
    ListPromptsResult, Prompt, ResultType,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::super::asker::Asker;
use super::super::client::Client;
use super::inquiry::{Inquiry, InquiryResult};
use super::{OfferKind, names, page};
use crate::content::text::quoted;

impl Client {
    /// The prompts of all servers.
    pub(in crate::mcp) async fn listed_prompts(
        &self,
        cursor: Option<&str>,
        asker: &Asker,
    ) -> Result<ListPromptsResult, ErrorData> {
        let listed = self.listed_by::<Prompt>(OfferKind::Prompts, asker).await?;
        let all = listed.into_iter().flat_map(|(server, prompts)| {
            prompts.into_iter().map(move |mut prompt| {
                prompt.name = names::prompt(&server, &prompt.name);
                prompt
            })
        });
        let page = page(all.collect(), cursor)?;
        let mut list = ListPromptsResult::with_all_items(page.items);
        list.next_cursor = page.next;
        list.ttl_ms = Some(0);
        list.cache_scope = Some(CacheScope::Private);
        Ok(list)
    }

    /// A prompt, filled in by its server; or what the server asks before.
    pub(in crate::mcp) async fn prompt(
        &self,
        request: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let next = match request.request_state {
            Some(state) => Inquiry::Continued {
                state,
                responses: request.input_responses.unwrap_or_default(),
            },
            None if request.name.is_empty() => {
                let said =
                    "`prompts/get` takes `name`, the name of a prompt, and `arguments`, an object";
                return Err(ErrorData::invalid_params(said, None));
            }
            None => {
                let asker = Asker::of(context);
                let (server, name) = self.server_of_prompt(&request.name, &asker).await?;
                let mut arguments = JsonObject::new();
                arguments.insert("name".to_owned(), name.into());
                if let Some(given) = request.arguments {
                    arguments.insert("arguments".to_owned(), Value::Object(given));
                }
                Inquiry::New {
                    server,
                    offered: OfferKind::Prompt,
                    arguments,
                }
            }
        };
        match self.inquire::<GetPromptResult>(next, context).await? {
            InquiryResult::Asks(asks) => Ok(GetPromptResponse::InputRequired(asks)),
            InquiryResult::Given(mut prompt) => {
                // Scripts don't get it.
                prompt.result_type = Some(ResultType::COMPLETE);
                Ok(GetPromptResponse::Complete(prompt))
            }
        }
    }

    /// The server that a prompt's name means, and the prompt's name there. Where names of servers and
    /// prompts can be parted in several ways, or the server's name is not there, the lists decide.
    pub(super) async fn server_of_prompt(
        &self,
        name: &str,
        asker: &Asker,
    ) -> Result<(Arc<str>, String), ErrorData> {
        let servers = self.servers_with(OfferKind::Prompt, asker).await?;
        let means = |server: &Arc<str>| {
            let own = names::own_prompt(server, name)?;
            Some((Arc::clone(server), own.to_owned()))
        };
        let mut meant: Vec<_> = servers.iter().filter_map(means).collect();
        if meant.len() != 1 {
            let listed = self.listed_by::<Prompt>(OfferKind::Prompts, asker).await?;
            let has = |(server, own): &(Arc<str>, String)| {
                let mut of_server = listed.iter().filter(|(name, _)| name == server);
                of_server.any(|(_, prompts)| prompts.iter().any(|it| it.name == *own))
            };
            meant.retain(has);
            if meant.is_empty() {
                let plain = servers.iter().map(|it| (Arc::clone(it), name.to_owned()));
                meant = plain.filter(has).collect();
            }
        }
        match meant.len() {
            1 => Ok(meant.remove(0)),
            0 => {
                let said = format!(
                    "unknown prompt `{}`; `prompts/list` lists the prompts, named `server__prompt`",
                    quoted(name)
                );
                Err(ErrorData::invalid_params(said, None))
            }
            _ => {
                let servers: Vec<_> = meant
                    .iter()
                    .map(|(server, _)| format!("`{server}`"))
                    .collect();
                let said = format!(
                    "`{}` may be a prompt of each of the servers {}: get it in a script, by `$prompt` of the server that is meant",
                    quoted(name),
                    servers.join(", ")
                );
                Err(ErrorData::invalid_params(said, None))
            }
        }
    }
}
