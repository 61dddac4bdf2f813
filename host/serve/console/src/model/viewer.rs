//! The reader of an answer.

use ampoule::Principal;
use serde::Serialize;
use utoipa::ToSchema;

/// The person or program for whom the console answers. What belongs to another principal does not
/// exist for a viewer who is not an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    principal: Option<Principal>,
    is_operator: bool,
}

impl Viewer {
    /// The user of this machine, who sees everything.
    pub fn local() -> Self {
        Self {
            principal: None,
            is_operator: true,
        }
    }

    /// A principal that was let in over HTTP.
    pub fn principal(principal: Principal, is_operator: bool) -> Self {
        Self {
            principal: Some(principal),
            is_operator,
        }
    }

    /// The principal; none is the local user.
    pub fn owner(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }

    /// The principal whose things are looked through; none looks through those of all.
    pub(crate) fn filter(&self) -> Option<&Principal> {
        self.principal.as_ref().filter(|_| !self.is_operator)
    }

    /// Whether the viewer sees and changes what belongs to others.
    pub fn is_operator(&self) -> bool {
        self.is_operator
    }

    /// The viewer's name, as audit log and policies have it.
    pub fn name(&self) -> &str {
        let name = self.principal.as_ref().map(|it| &**it.name());
        name.unwrap_or(ampoule_governance::LOCAL)
    }

    /// Whether the viewer may see what belongs to a principal of this name; none is the local user.
    pub fn may_see(&self, owner: Option<&str>) -> bool {
        self.is_operator || self.principal.as_ref().map(|it| &**it.name()) == owner
    }
}

/// The signed-in principal.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Me {
    /// The name; `local` is the user of this machine.
    pub principal: String,
    /// The groups, from the sign-in.
    pub groups: Vec<String>,
    /// Whether everything of all principals is shown.
    pub operator: bool,
    /// The version of Ampoule.
    pub version: String,
    /// The parts that are set up: `runs`, `approvals`, `sessions`, `files`, `skills`, `policies`,
    /// `audit`, `records`, `toolkits`.
    pub parts: Vec<String>,
}
