//! HTTP requests of scripts, as the configuration allows them.

use ampoule::RuntimeBuilder;
use ampoule::outbound::{NAME, Outbound};
use ampoule_config::Config;

use super::SetupError;

/// Sets up HTTP requests in a runtime.
pub(super) fn given(
    builder: RuntimeBuilder,
    config: &Config,
) -> Result<RuntimeBuilder, SetupError> {
    let Some(requests) = &config.outbound else {
        return Ok(builder);
    };
    let is_taken = |name: &String| name.eq_ignore_ascii_case(NAME);
    if let Some(name) = config.servers.keys().find(|name| is_taken(name)) {
        return Err(SetupError::new(format!(
            "servers.{name}: [outbound] uses this name for scripts' HTTP requests; rename the server"
        )));
    }
    let options = requests.options(config.tls.clone());
    Ok(builder.outbound(Outbound::List(requests.rules()), options))
}
