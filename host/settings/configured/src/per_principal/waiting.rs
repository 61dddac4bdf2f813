//! A call whose principal has to sign in: they are given an address, and where their client shows
//! it to them, the call waits.

use std::time::Duration;

use ampoule_sign_in::accounts::{Accounts, Invitation, VALID};
use ampoule_sign_in::{SignIn, SignInVersion};
use ampoule_tools::{Ask, AskKind, CallContext, CallError, Notice, Respondent};
use ampoule_untrusted::text::one_line;
use serde_json::{Map, Value};

/// How often it is looked whether another process kept the sign-in.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Waits until the owner of a sign-in has made it, if their client can show them the address. The
/// run's time stands still meanwhile, and the run can be parked.
///
/// # Errors
///
/// [`CallError::NeedsSignIn`] with the address, if the client can't show it to a person, or nobody
/// has signed in.
pub(super) async fn signed_in(
    accounts: &Accounts,
    sign_in: &SignIn,
    principal: &str,
    context: &CallContext,
) -> Result<(), CallError> {
    let before = sign_in.version();
    let mut made = accounts.signed_in();
    let invitation = accounts
        .invite(sign_in)
        .map_err(|why| CallError::NeedsSignIn(format!("{}: {why}", sign_in.server())))?;
    let needed = |why: &str| needed(sign_in.server(), principal, &invitation, why);
    let respondent = context.respondent();
    let Some(respondent) = respondent.filter(|it| it.abilities().url) else {
        return Err(needed(""));
    };
    let _paused = context.deadline().pause();
    let arrives = async {
        while !is_made(sign_in, &before).await {
            let _ = tokio::time::timeout(LOOK_AGAIN, made.changed()).await;
        }
    };
    tokio::select! {
        () = arrives => {
            respondent.hear(Notice::Done {
                server: sign_in.server().into(),
                elicitation: invitation.name.clone(),
            });
            Ok(())
        }
        why = refused(&**respondent, sign_in, principal, &invitation) => Err(needed(&why)),
        () = tokio::time::sleep(VALID) => Err(needed(" (nobody did within ten minutes)")),
    }
}

async fn is_made(sign_in: &SignIn, before: &Option<SignInVersion>) -> bool {
    sign_in.version() != *before && matches!(sign_in.signed_in().await, Ok(Some(_)))
}

/// Why the person does not open the address, as soon as the client says so. A person who opens it is
/// waited for.
async fn refused(
    respondent: &dyn Respondent,
    sign_in: &SignIn,
    principal: &str,
    invitation: &Invitation,
) -> String {
    let server = sign_in.server();
    let message = format!(
        "{} has to sign in to {server}, for scripts to use their account there.",
        one_line(principal)
    );
    let params: [(&str, Value); 4] = [
        ("mode", "url".into()),
        ("message", message.into()),
        ("url", invitation.address.as_str().into()),
        ("elicitationId", invitation.name.as_str().into()),
    ];
    let params = params
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let params: Map<String, Value> = params.collect();
    let asked = Ask::new(server.into(), AskKind::Url, params);
    match respondent.answer(asked).await {
        Ok(reply) => match reply.get("action").and_then(Value::as_str) {
            Some("accept") => std::future::pending().await,
            _ => " (the address was not opened)".to_owned(),
        },
        Err(why) => format!(" ({})", one_line(&why)),
    }
}

fn needed(server: &str, principal: &str, invitation: &Invitation, why: &str) -> CallError {
    let (principal, address) = (one_line(principal), &invitation.address);
    CallError::NeedsSignIn(format!(
        "{principal} has to sign in to {server}{why}: give {principal} this address to open in a browser, and run the script again after that: {address} (valid for ten minutes, once, and only for {principal})"
    ))
}
