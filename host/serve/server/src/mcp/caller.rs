//! Who sent a request, and what its client can do.

use ampoule::{Abilities, Principal};
use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;

use crate::runs::requester::Requester;

/// Who sent a request, over HTTP, where the gate says it.
pub(super) fn principal(context: &RequestContext<RoleServer>) -> Option<&Principal> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    parts.extensions.get::<Principal>()
}

/// The client's name, as the client states it: nothing proves it.
pub(super) fn name(context: &RequestContext<RoleServer>) -> Option<String> {
    context.client_info().map(|client| bounded(&client.name))
}

/// How much of a client's name counts, in bytes.
const NAME_BYTES: usize = 256;

/// A client's name, cut where it is too long to be kept. A mark stands for the rest: what was cut
/// is not the name of another client.
pub(crate) fn bounded(name: &str) -> String {
    match name.len() <= NAME_BYTES {
        true => name.to_owned(),
        false => format!("{}…", &name[..name.floor_char_boundary(NAME_BYTES)]),
    }
}

/// The principal and the client that sent a request.
pub(super) fn requester(context: &RequestContext<RoleServer>) -> Requester {
    Requester {
        principal: principal(context).cloned(),
        client: name(context),
        abilities: abilities(context),
        shows_apps: shows_apps(context),
    }
}

/// The extension of clients that show the apps of tools.
const APPS: &str = "io.modelcontextprotocol/ui";

/// Whether a client shows the apps of tools, as the client states it.
pub(super) fn shows_apps(context: &RequestContext<RoleServer>) -> bool {
    let extensions = context
        .client_capabilities()
        .and_then(|capabilities| capabilities.extensions);
    extensions.is_some_and(|extensions| extensions.contains_key(APPS))
}

/// Whether a request came over HTTP.
pub(super) fn came_over_http(context: &RequestContext<RoleServer>) -> bool {
    context.extensions.get::<http::request::Parts>().is_some()
}

/// Whether a client that cancels a request says so. Over HTTP, since 2026-07-28, it ends the
/// stream, and so does a client that vanishes.
pub(super) fn says_when_it_gives_up(context: &RequestContext<RoleServer>) -> bool {
    !(came_over_http(context) && ends_requests(context))
}

/// Whether what this client is asked ends its request.
pub(super) fn ends_requests(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// What a client can answer, as the client states it.
pub(super) fn abilities(context: &RequestContext<RoleServer>) -> Abilities {
    let mut abilities = Abilities::default();
    let Some(capabilities) = context.client_capabilities() else {
        return abilities;
    };
    if let Some(elicitation) = capabilities.elicitation {
        abilities.url = elicitation.url.is_some();
        // Before there were modes, there were forms.
        abilities.form = elicitation.form.is_some() || !abilities.url;
    }
    if let Some(sampling) = capabilities.sampling {
        abilities.sampling = true;
        abilities.sampling_tools = sampling.tools.is_some();
    }
    abilities.roots = capabilities.roots.is_some();
    abilities
}
