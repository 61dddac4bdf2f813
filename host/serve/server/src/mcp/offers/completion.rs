//! Values that arguments of prompts and templates may have.

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, JsonObject, Reference};

use super::super::asker::Asker;
use super::super::client::Client;
use super::{OfferKind, host_failed};
use crate::content::addresses;

impl Client {
    /// What the server of a prompt or template proposes.
    pub(in crate::mcp) async fn completed(
        &self,
        request: CompleteRequestParams,
        asker: &Asker,
    ) -> Result<CompleteResult, ErrorData> {
        let CompleteRequestParams {
            r#ref: mut named,
            argument,
            context: known,
            ..
        } = request;
        let server = match &mut named {
            Reference::Prompt(prompt) if prompt.name.is_empty() => {
                let said = "`completion/complete` takes `ref`, a prompt or a template, and `argument`, with `name` and `value`";
                return Err(ErrorData::invalid_params(said, None));
            }
            Reference::Prompt(prompt) => {
                let (server, own) = self.server_of_prompt(&prompt.name, asker).await?;
                prompt.name = own;
                server.to_string()
            }
            Reference::Resource(template) => {
                let Some((server, own)) = addresses::own_address(&template.uri) else {
                    let said = "unknown template; `resources/templates/list` lists the templates";
                    return Err(ErrorData::invalid_params(said, None));
                };
                template.uri = own.into_owned();
                server
            }
            _ => {
                let said = "`ref` must be a prompt or a template of resources";
                return Err(ErrorData::invalid_params(said, None));
            }
        };
        // A server without completion proposes nothing.
        let completing = self.servers_with(OfferKind::Complete, asker).await?;
        if !completing.iter().any(|known| **known == *server) {
            return Ok(CompleteResult::default());
        }
        let mut arguments = JsonObject::new();
        for (name, value) in [
            ("ref", serde_json::to_value(&named)),
            ("argument", serde_json::to_value(&argument)),
            ("context", serde_json::to_value(&known)),
        ] {
            let value = value.map_err(|error| host_failed(&error))?;
            if !value.is_null() {
                arguments.insert(name.to_owned(), value);
            }
        }
        let info = self.ask::<CompletionInfo>(&server, OfferKind::Complete, &arguments, asker);
        Ok(CompleteResult::new(info.await?))
    }
}
