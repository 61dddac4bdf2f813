//! The server of a configuration, as `ampoule serve` and `ampoule console` have it.

use ampoule::Grant;
use ampoule_server::Server;
use ampoule_telemetry::Telemetry;

use super::exit::Failure;
use super::setup::ConfiguredRuntime;
use super::toolkit;

impl ConfiguredRuntime {
    /// A server of these tools, which asks people where the configuration says.
    pub(super) fn server(&self, grant: Grant, telemetry: &Telemetry) -> Result<Server, Failure> {
        let server = Server::new(self.runtime.clone(), grant, &self.components)?;
        let mut server = server
            .exposure(self.exposure.clone())
            .telemetry(telemetry.clone());
        if let Some(dialogues) = &self.places.dialogues {
            server = server.dialogues(dialogues.clone());
        }
        if self.governed.as_ref().is_some_and(|it| it.previews) {
            server = server.previews();
        }
        let toolkits = toolkit::offered(self.toolkits.clone(), &self.exposure);
        server.set_toolkits(toolkits)?;
        Ok(server)
    }
}
