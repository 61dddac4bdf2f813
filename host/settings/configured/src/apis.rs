//! HTTP APIs of the configuration.

use ampoule::upstream::UpstreamOptions;
use ampoule_config::{Api, Graphql};
use ampoule_graphql::GraphqlServer;
use ampoule_openapi::{ApiServer, Source};

/// An API with an OpenAPI document, as its binding takes it.
pub(crate) fn api_server(api: Api, options: UpstreamOptions) -> Result<ApiServer, String> {
    let document = source(api.document)?;
    let secrets = api.variables.into_iter().map(|(_, value)| value);
    Ok(ApiServer {
        base_url: api.base_url,
        server: api.server,
        server_variables: api.server_variables,
        headers: api.headers,
        credentials: api.credentials,
        secrets: secrets.collect(),
        tls: api.tls,
        options,
        ..ApiServer::new(document)
    })
}

/// A GraphQL API, as its binding takes it.
pub(crate) fn graphql_server(
    api: Graphql,
    options: UpstreamOptions,
) -> Result<GraphqlServer, String> {
    let secrets = api.variables.into_iter().map(|(_, value)| value);
    Ok(GraphqlServer {
        schema: api.schema.map(source).transpose()?,
        documents: api.documents,
        headers: api.headers,
        credentials: api.credentials,
        secrets: secrets.collect(),
        tls: api.tls,
        options,
        ..GraphqlServer::new(api.endpoint)
    })
}

/// Where a description is.
fn source(place: String) -> Result<Source, String> {
    Ok(match place.contains("://") {
        true => Source::Address(place.parse().map_err(|error| format!("{error}"))?),
        false => Source::File(place.into()),
    })
}
