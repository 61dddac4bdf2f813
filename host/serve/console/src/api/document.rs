//! The OpenAPI document: what all routes share.

use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi as Described};

use super::Problem;

/// What all routes share.
#[derive(Described)]
#[openapi(
    info(
        title = "Ampoule console",
        description = "What the console of a running Ampoule shows and does. Principals see what is theirs, operators everything: what belongs to another principal is answered as what does not exist.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    components(schemas(Problem)),
    modifiers(&SignIns),
    security(("token" = []), ("browser" = [])),
    tags(
        (name = "runs", description = "Active, parked and recorded runs"),
        (name = "approvals", description = "Calls that wait for a person"),
        (name = "catalog", description = "Servers, tools and toolkits"),
        (name = "lasting", description = "Sessions, files and skills"),
        (name = "governance", description = "Policies, the audit log, statistics, principals, the configuration"),
    )
)]
struct Base;

/// How a request says who it is from.
struct SignIns;

impl Modify for SignIns {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        let token = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "A token of `[serve.auth]`, or of the company's issuer",
            ))
            .build();
        let cookie = ApiKeyValue::with_description(
            "ampoule-console-PORT",
            "The cookie of a browser that is signed in. Requests that change something also need the header `x-ampoule-csrf`.",
        );
        components.add_security_scheme("token", SecurityScheme::Http(token));
        components.add_security_scheme("browser", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    }
}

/// The document, without routes.
pub(super) fn base() -> OpenApi {
    Base::openapi()
}
