//! The files that runs have, unless they are given something else.

use std::sync::Arc;

use ampoule_tools::{Error, Principal};
use ampoule_workspace::{Tree, Workspaces};

/// What runs have of files, unless they are given something else.
#[derive(Default)]
pub(crate) struct OfferedFiles {
    pub(crate) workspaces: Option<Workspaces>,
    pub(crate) folders: Vec<(String, Arc<Tree>)>,
}

impl OfferedFiles {
    /// The workspace of a principal, if there are any.
    pub(crate) fn workspace(
        &self,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<Tree>>, Error> {
        let Some(workspaces) = &self.workspaces else {
            return Ok(None);
        };
        let name = principal.map(|principal| &**principal.name());
        let opened = workspaces.of(name);
        opened
            .map(Some)
            .map_err(|error| Error::host("the workspace can't be used", error))
    }
}
