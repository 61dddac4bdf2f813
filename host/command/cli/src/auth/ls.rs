//! `ampoule auth ls`: the sign-ins that there are.

use std::process::ExitCode;

use ampoule_config::Reach;
use ampoule_untrusted::text;
use clap::Args;

use crate::exit::Failure;
use crate::setup::Setup;
use crate::{probe, streams};

/// Lists the sign-ins to servers: the host's own, and those of principals of `ampoule serve --http`.
#[derive(Debug, Args)]
pub(super) struct Ls {
    #[command(flatten)]
    setup: Setup,
}

impl Ls {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let config = self.setup.read()?;
        let out = streams::out();
        let mut is_empty = true;
        for (name, server) in &config.servers {
            if matches!(server.reach, Reach::Process(_)) {
                continue;
            }
            if let Some(status) = ampoule_configured::signed_in(name, &server.reach).await {
                is_empty = false;
                out.line(out.prose(&format!("{name}: {}", probe::whose(&status))));
            }
        }
        let (key, idle) = (config.serve.sign_in_key.clone(), config.serve.sign_in_idle);
        let store = ampoule_configured::store_of_principals(key, idle);
        let listed = store.map_err(Failure::usage)?.of_principals().await;
        let listed = listed.map_err(|error| Failure::usage(error.to_string()))?;
        for one in &listed {
            is_empty = false;
            let status = one.status.as_ref().map(probe::whose);
            let status = status.unwrap_or_else(|| "has to sign in again".to_owned());
            let (server, principal) = (text::one_line(&one.server), text::one_line(&one.principal));
            out.line(out.prose(&format!("{server}, principal {principal}: {status}")));
        }
        if is_empty {
            out.line(out.prose("nobody is signed in to any server"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
