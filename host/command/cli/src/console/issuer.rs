//! How people sign in to the console of a server at the company's issuer.

use ampoule_config::Config;
use ampoule_console::access::{CALLBACK, IssuerSignIn};
use ampoule_sign_in::Secret;
use ampoule_sign_in::issuer::{IssuerClient, IssuerClientOptions, OPENID};
use url::Url;

use crate::auth;
use crate::exit::Failure;
use crate::governance::ServerAddress;

/// The issuer, where `[console]` names the client by which people sign in there. `beneath`: where the
/// server listens.
pub(crate) fn sign_in(
    config: &Config,
    beneath: &ServerAddress,
) -> Result<Option<IssuerSignIn>, Failure> {
    let Some(settings) = &config.console else {
        return Ok(None);
    };
    let access = config.serve.auth.as_ref();
    let named = access.and_then(|access| access.issuer.as_ref().zip(access.audience.as_ref()));
    let (Some(client_id), Some(access), Some((issuer, audience))) =
        (&settings.client_id, access, named)
    else {
        return Ok(None);
    };
    let address = auth::server_address(config, access, beneath);
    let redirect = address.and_then(|address| redirect(&address));
    let redirect = redirect.ok_or_else(|| {
        Failure::usage(
            "`console.client-id`: the issuer leads browsers back to this server, and Ampoule does not know how they reach it; set `address` in `[serve]`, such as \"https://ampoule.example.com\"",
        )
    })?;
    let mut scopes = vec![OPENID.to_owned()];
    for scope in access.scopes.iter().chain(&settings.scopes) {
        if !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
    let options = IssuerClientOptions {
        issuer: issuer.clone(),
        client_id: client_id.clone(),
        client_secret: settings
            .client_secret
            .as_ref()
            .map(|it| Secret::new(&*it.0)),
        scopes,
        resource: access.resource.as_ref().unwrap_or(audience).clone(),
        redirect,
    };
    let tls = access.tls.clone().unwrap_or_default();
    let http = tls.client().map_err(Failure::usage)?;
    let client = IssuerClient::new(options, http);
    let client = client.map_err(|error| Failure::usage(format!("`serve.auth`: {error}")))?;
    let sign_in = IssuerSignIn::new(client).map_err(|problem| Failure::host(&problem))?;
    Ok(Some(sign_in))
}

/// Where the issuer leads browsers back to, of a server at this address.
fn redirect(address: &str) -> Option<Url> {
    let mut url = Url::parse(address).ok()?;
    url.host()?;
    url.set_path(CALLBACK);
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, beneath: &ServerAddress) -> Result<Option<Url>, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ampoule.toml");
        let auth = "[serve.auth]\nissuer = 'https://login.example.com'\naudience = 'ampoule'\nresource = 'https://ampoule.example.com/mcp'\n";
        std::fs::write(&file, format!("{auth}{text}")).unwrap();
        let config = Config::find(Some(&file)).unwrap();
        let found = sign_in(&config, beneath).map_err(|failure| failure.message().to_owned());
        Ok(found?.map(|it| it.redirect().clone()))
    }

    #[test]
    fn the_issuer_leads_browsers_to_the_address_of_the_server() {
        let at = ServerAddress::Address("http://127.0.0.1:8080".to_owned());
        let client = "[console]\nclient-id = 'console'\n";
        let callback = |origin: &str| Url::parse(&format!("{origin}{CALLBACK}")).ok();
        let found = of(client, &at);
        assert_eq!(found, Ok(callback("https://ampoule.example.com")));
        let address = "[serve]\naddress = 'https://console.example.com:8443/'\n";
        let found = of(&format!("{client}{address}"), &at);
        assert_eq!(found, Ok(callback("https://console.example.com:8443")));
        assert_eq!(of("[console]\n", &at), Ok(None), "people paste tokens");
        assert_eq!(of("", &at), Ok(None), "there is no console");
    }
}
