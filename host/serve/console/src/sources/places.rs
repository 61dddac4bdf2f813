//! Where the console's answers come from, as the program that has it says.

use std::path::PathBuf;
use std::sync::Arc;

use ampoule::Runtime;
use ampoule_approvals::Store;
use ampoule_server::Server;
use ampoule_server::unattended::UnattendedRuns;

use super::{SettingsSource, SignInSource};
use crate::model::Viewer;

/// Where the console's answers come from.
#[derive(Clone)]
pub struct Sources {
    /// The server whose runs are shown, and with whose runtime people run scripts.
    pub server: Server,
    /// The folder with the sockets of this user's other processes: operators see their runs, too. None
    /// for a console that is reached over a network: its operators need not be this user.
    pub sockets: Option<PathBuf>,
    /// The questions to people.
    pub approvals: Option<Store>,
    /// Who may answer them here.
    pub answerers: Answerers,
    /// The folder of the audit log.
    pub audit: Option<PathBuf>,
    /// The configuration.
    pub settings: Arc<dyn SettingsSource>,
    /// Sign-ins to servers.
    pub sign_ins: Arc<dyn SignInSource>,
    /// The schedules of this server, where a clock starts runs in it.
    pub unattended: Option<UnattendedRuns>,
}

/// Who may answer questions in the console. Where the operator's configuration asks people in other
/// places alone, the console is not another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answerers {
    /// Principals, the questions about their own calls.
    pub principals: bool,
    /// Operators, all questions.
    pub operators: bool,
}

impl Answerers {
    pub(crate) fn may(self, viewer: &Viewer) -> bool {
        match viewer.is_operator() {
            true => self.operators,
            false => self.principals,
        }
    }
}

impl Sources {
    /// The runtime of the server.
    pub(crate) fn runtime(&self) -> &Runtime {
        self.server.runtime()
    }
}
