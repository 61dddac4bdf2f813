//! Resources of servers, and templates of their addresses.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CacheScope, JsonObject, ListResourceTemplatesResult, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;

use super::super::asker::Asker;
use super::super::client::Client;
use super::inquiry::{Inquiry, InquiryResult};
use super::{OfferKind, page};
use crate::content::addresses;
use crate::content::text::quoted;

impl Client {
    /// A page of the resources of all servers, and the cursor of the next one.
    pub(in crate::mcp) async fn listed_resources(
        &self,
        cursor: Option<&str>,
        asker: &Asker,
    ) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
        let listed = self.listed_by::<Resource>(OfferKind::Resources, asker);
        let all = listed.await?.into_iter().flat_map(|(server, resources)| {
            resources.into_iter().map(move |mut resource| {
                resource.uri = addresses::address(&server, &resource.uri);
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
        asker: &Asker,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listed = self.listed_by::<ResourceTemplate>(OfferKind::Templates, asker);
        let all = listed.await?.into_iter().flat_map(|(server, templates)| {
            templates.into_iter().map(move |mut template| {
                template.uri_template = addresses::address(&server, &template.uri_template);
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

    /// Reads a server's resource; or gives what the server asks before.
    pub(in crate::mcp) async fn read_from_server(
        &self,
        request: ReadResourceRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (address, asker) = (&*request.uri, Asker::of(context));
        let (server, own) = self.server_of_resource(address, &asker).await?;
        let next = match request.request_state {
            Some(state) => Inquiry::Continued {
                state,
                responses: request.input_responses.unwrap_or_default(),
            },
            None => {
                let mut arguments = JsonObject::new();
                arguments.insert("uri".to_owned(), (&*own).into());
                Inquiry::New {
                    server: Arc::clone(&server),
                    offered: OfferKind::Read,
                    arguments,
                }
            }
        };
        let inquired = self.inquire::<Vec<ResourceContents>>(next, context).await?;
        let mut contents = match inquired {
            InquiryResult::Asks(asks) => return Ok(ReadResourceResponse::InputRequired(asks)),
            InquiryResult::Given(contents) => contents,
        };
        if *own != *address {
            for part in &mut contents {
                let uri = match part {
                    ResourceContents::TextResourceContents { uri, .. }
                    | ResourceContents::BlobResourceContents { uri, .. } => uri,
                    _ => continue,
                };
                *uri = addresses::address(&server, uri);
            }
        }
        let mut read = ReadResourceResult::new(contents);
        read.ttl_ms = Some(0);
        read.cache_scope = Some(CacheScope::Private);
        Ok(read.into())
    }

    /// The server of a resource, and its own address there. An address without a server's name, such
    /// as that of a link in a tool's result, is that of the one server that lists it.
    pub(in crate::mcp) async fn server_of_resource<'a>(
        &self,
        address: &'a str,
        asker: &Asker,
    ) -> Result<(Arc<str>, Cow<'a, str>), ErrorData> {
        let servers = self.servers_with(OfferKind::Read, asker).await?;
        match addresses::own_address(address) {
            Some((server, own)) if servers.iter().any(|known| **known == *server) => {
                Ok((Arc::from(server), own))
            }
            Some(_) => Err(unknown(address)),
            None => {
                let server = self.server_that_lists(address, asker).await?;
                Ok((server, address.into()))
            }
        }
    }

    /// The one server that has an app there, or lists an address, or a template that it fits.
    async fn server_that_lists(&self, address: &str, asker: &Asker) -> Result<Arc<str>, ErrorData> {
        if let Some(server) = self.server_of_app(address, asker).await {
            return Ok(server);
        }
        let listed = self.listed_by::<Resource>(OfferKind::Resources, asker);
        let has = |resources: Vec<Resource>| resources.iter().any(|it| it.uri == address);
        let mut meant = of_those(listed.await?, has);
        if meant.is_empty() {
            let listed = self.listed_by::<ResourceTemplate>(OfferKind::Templates, asker);
            let has = |templates: Vec<ResourceTemplate>| {
                let mut templates = templates.iter();
                templates.any(|it| addresses::fits(&it.uri_template, address))
            };
            meant = of_those(listed.await?, has);
        }
        match meant.len() {
            1 => Ok(meant.remove(0)),
            0 => Err(unknown(address)),
            _ => {
                let meant: Vec<_> = meant.iter().map(|server| format!("`{server}`")).collect();
                let said = format!(
                    "several servers have this resource: {}. Put {}SERVER/ before its address",
                    meant.join(", "),
                    addresses::ADDRESS
                );
                Err(not_found(said, address))
            }
        }
    }
}

/// The servers whose list has what is meant.
fn of_those<T>(listed: Vec<(Arc<str>, Vec<T>)>, has: impl Fn(Vec<T>) -> bool) -> Vec<Arc<str>> {
    let meant = listed.into_iter();
    meant
        .filter_map(|(server, items)| has(items).then_some(server))
        .collect()
}

fn unknown(address: &str) -> ErrorData {
    let said = format!(
        "unknown resource `{}`; `resources/list` and `resources/templates/list` have the addresses",
        quoted(address)
    );
    not_found(said, address)
}

fn not_found(said: String, address: &str) -> ErrorData {
    ErrorData::resource_not_found(said, Some(json!({ "uri": address })))
}
