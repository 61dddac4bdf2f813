//! HTTP APIs of the configuration.

use ampoule::upstream::UpstreamOptions;
use ampoule_config::Api;
use ampoule_openapi::{ApiServer, Source};

/// An API, as its binding takes it.
pub(crate) fn api_server(api: Api, options: UpstreamOptions) -> Result<ApiServer, String> {
    let document = match api.document.contains("://") {
        true => Source::Address(api.document.parse().map_err(|error| format!("{error}"))?),
        false => Source::File(api.document.into()),
    };
    let secrets = api.variables.into_iter().map(|(_, value)| value);
    Ok(ApiServer {
        base_url: api.base_url,
        headers: api.headers,
        credentials: api.credentials,
        secrets: secrets.collect(),
        tls: api.tls,
        options,
        ..ApiServer::new(document)
    })
}
