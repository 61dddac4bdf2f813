//! Resources of servers, and templates of their addresses.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, JsonObject, ListResourceTemplatesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use super::super::client::Client;
use super::{Offered, names, page};
use crate::content::text::quoted;

impl Client {
    /// A page of the resources of all servers, and the cursor of the next one.
    pub(in crate::mcp) async fn listed_resources(
        &self,
        cursor: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
        let listed = self.listed_by::<Resource>(Offered::Resources, context);
        let all = listed.await?.into_iter().flat_map(|(server, resources)| {
            resources.into_iter().map(move |mut resource| {
                resource.uri = names::address(&server, &resource.uri);
                resource
            })
        });
        let page = page(all.collect(), cursor)?;
        Ok((page.items, page.next))
    }

    /// The templates of all servers.
    pub(in crate::mcp) async fn listed_templates(
        &self,
        cursor: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listed = self.listed_by::<ResourceTemplate>(Offered::Templates, context);
        let all = listed.await?.into_iter().flat_map(|(server, templates)| {
            templates.into_iter().map(move |mut template| {
                template.uri_template = names::address(&server, &template.uri_template);
                template
            })
        });
        let page = page(all.collect(), cursor)?;
        let mut list = ListResourceTemplatesResult::with_all_items(page.items);
        list.next_cursor = page.next;
        list.ttl_ms = Some(0);
        list.cache_scope = Some(CacheScope::Private);
        Ok(list)
    }

    /// Reads a server's resource. An address without a server's name, such as that of a link in a tool's
    /// result, is read from the one server that lists it.
    pub(in crate::mcp) async fn read_from_server(
        &self,
        address: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResult, ErrorData> {
        let servers = self.servers_with(Offered::Read, context).await?;
        let (server, own) = match names::own_address(address) {
            Some((server, own)) if servers.iter().any(|known| **known == *server) => {
                (Arc::from(server), own)
            }
            Some(_) => return Err(unknown(address)),
            None => (self.server_that_lists(address, context).await?, address),
        };
        let mut arguments = JsonObject::new();
        arguments.insert("uri".to_owned(), own.into());
        let contents =
            self.ask::<Vec<ResourceContents>>(&server, Offered::Read, &arguments, context);
        let mut contents = contents.await?;
        if own.len() < address.len() {
            for part in &mut contents {
                let uri = match part {
                    ResourceContents::TextResourceContents { uri, .. }
                    | ResourceContents::BlobResourceContents { uri, .. } => uri,
                    _ => continue,
                };
                *uri = names::address(&server, uri);
            }
        }
        let mut read = ReadResourceResult::new(contents);
        read.ttl_ms = Some(0);
        read.cache_scope = Some(CacheScope::Private);
        Ok(read)
    }

    async fn server_that_lists(
        &self,
        address: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<str>, ErrorData> {
        let listed = self.listed_by::<Resource>(Offered::Resources, context);
        let mut with_it = listed.await?.into_iter().filter_map(|(server, resources)| {
            let mut resources = resources.iter();
            resources.any(|it| it.uri == address).then_some(server)
        });
        match (with_it.next(), with_it.next()) {
            (Some(server), None) => Ok(server),
            (Some(one), Some(other)) => {
                let said = format!(
                    "the servers `{one}` and `{other}` have this resource: put {}SERVER/ before its address",
                    names::ADDRESS
                );
                Err(ErrorData::resource_not_found(said, None))
            }
            (None, _) => Err(unknown(address)),
        }
    }
}

fn unknown(address: &str) -> ErrorData {
    let said = format!(
        "unknown resource `{}`; `resources/list` and `resources/templates/list` have the addresses",
        quoted(address)
    );
    ErrorData::resource_not_found(said, None)
}
