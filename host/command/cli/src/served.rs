//! The server of a configuration, as `ampoule serve` and `ampoule console` have it.

use ampoule::Grant;
use ampoule_server::Server;
use ampoule_telemetry::Telemetry;

use super::exit::Failure;
use super::setup::ConfiguredRuntime;
use super::toolkit;

impl ConfiguredRuntime {
    /// A server of these tools and toolkits, which asks people where the configuration says.
    pub(super) fn server(&self, grant: Grant, telemetry: &Telemetry) -> Result<Server, Failure> {
        let server = self.server_without_toolkits(grant, Some(telemetry))?;
        self.set_toolkits(&server)?;
        Ok(server)
    }

    /// The same, without toolkits.
    pub(super) fn server_without_toolkits(
        &self,
        grant: Grant,
        telemetry: Option<&Telemetry>,
    ) -> Result<Server, Failure> {
        let server = Server::new(self.runtime.clone(), grant, &self.components)?;
        let mut server = server.exposure(self.exposure.clone());
        if let Some(telemetry) = telemetry {
            server = server.telemetry(telemetry.clone());
        }
        if let Some(dialogues) = &self.places.dialogues {
            server = server.dialogues(dialogues.clone());
        }
        if self.governed.as_ref().is_some_and(|it| it.previews) {
            server = server.previews();
        }
        Ok(server)
    }

    /// Gives a server the toolkits of the configuration.
    pub(super) fn set_toolkits(&self, server: &Server) -> Result<(), Failure> {
        let toolkits = toolkit::offered(self.toolkits.clone(), &self.exposure);
        server.set_toolkits(toolkits)?;
        Ok(())
    }
}
