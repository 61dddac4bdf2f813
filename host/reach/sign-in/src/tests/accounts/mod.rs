//! Principals who sign in on a page, each for themselves, and who tries to get at another's.
//!
//! - `browser`: what looks at the page; `attacks`: what must not work; `kept`: what is on the disk

mod attacks;
mod browser;
mod kept;

use std::sync::Arc;

use http::{Method, StatusCode};
use parking_lot::Mutex;

use self::browser::{Browser, between};
use super::*;
use crate::Owner;
use crate::accounts::{AccountEvent, Accounts};

/// A resource, and a server on whose page principals sign in to it.
pub(super) struct Host {
    pub(super) server: Server,
    pub(super) folder: tempfile::TempDir,
    pub(super) accounts: Accounts,
    events: Arc<Mutex<Vec<AccountEvent>>>,
}

impl Host {
    pub(super) async fn new() -> anyhow::Result<Self> {
        let events = Arc::<Mutex<Vec<AccountEvent>>>::default();
        let told = Arc::clone(&events);
        let accounts = Accounts::new(Some("http://127.0.0.1:8080"), move |event| {
            told.lock().push(event)
        })?;
        Ok(Self {
            server: Server::start().await?,
            folder: tempfile::tempdir()?,
            accounts,
            events,
        })
    }

    /// The sign-in of a principal, of which nothing is known but what is on the disk.
    pub(super) fn of(&self, principal: &str) -> anyhow::Result<SignIn> {
        let host = started(&self.server, self.folder.path())?;
        Ok(host.owned_by(Owner::Principal(principal.into())))
    }

    pub(super) fn invited(&self, principal: &str) -> anyhow::Result<String> {
        Ok(self.accounts.invite(&self.of(principal)?)?.address)
    }

    /// A principal signs in as they are meant to.
    pub(super) async fn signs_in(&self, principal: &str) -> anyhow::Result<String> {
        let mut browser = Browser::default();
        let address = self.invited(principal)?;
        let back = browser.goes_away(&self.accounts, &address).await?;
        let done = browser.get(&self.accounts, &back).await;
        anyhow::ensure!(done.status() == StatusCode::OK, "{}", done.body());
        Ok(done.into_body())
    }

    /// The token of a principal, if they have one.
    pub(super) async fn token(&self, principal: &str) -> anyhow::Result<Option<HeaderValue>> {
        Ok(self.of(principal)?.authorization().await?)
    }

    pub(super) fn failures(&self) -> Vec<String> {
        let events = self.events.lock();
        events.iter().filter_map(|it| it.failed.clone()).collect()
    }
}

#[tokio::test]
async fn each_principal_signs_in_as_themselves_and_the_host_stays_as_it_is() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let shown = host.signs_in("ada").await?;
    for said in ["ada", "notes", "ada@example.com", &host.server.base] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert_eq!(host.token("grace").await?, None);
    host.signs_in("grace").await?;
    let (ada, grace) = (host.token("ada").await?, host.token("grace").await?);
    assert!(ada.is_some() && grace.is_some() && ada != grace);
    // Of no principal, and of one with a similar name.
    let own = started(&host.server, host.folder.path())?;
    assert_eq!(own.authorization().await?, None);
    for other in ["Ada", "ada ", "ad", "ada\u{0}", "", "local"] {
        assert_eq!(host.token(other).await?, None, "{other:?}");
    }
    // All of them by one client, which comes back to the page.
    let told = host.server.told.lock();
    assert_eq!(told.clients.len(), 1);
    for asked in &told.asked {
        assert_eq!(asked["redirect_uri"], "http://127.0.0.1:8080/auth/callback");
        assert_eq!(asked["code_challenge_method"], "S256");
        assert_eq!(asked["resource"], host.server.resource().as_str());
    }
    let events = host.events.lock().clone();
    let event = |principal: &str| AccountEvent {
        principal: principal.into(),
        server: "notes".to_owned(),
        failed: None,
    };
    assert_eq!(events, [event("ada"), event("grace")]);
    Ok(())
}

#[tokio::test]
async fn a_sign_in_of_a_principals_is_refreshed_and_ended_alone() -> anyhow::Result<()> {
    let host = Host::new().await?;
    host.signs_in("ada").await?;
    host.signs_in("grace").await?;
    let grace = host.token("grace").await?;
    let ada = host.of("ada")?;
    let (before, made) = (ada.authorization().await?, ada.made().await);
    assert!(made.is_some() && made != host.of("grace")?.made().await);
    aged(&ada, Duration::from_secs(3600)).await?;
    let after = ada.authorization().await?;
    assert!(after.is_some() && before != after);
    assert_eq!(ada.made().await, made);
    assert_eq!(host.token("ada").await?, after);
    assert_eq!(host.token("grace").await?, grace);
    host.of("ada")?.sign_out().await?;
    assert_eq!(host.server.told.lock().revoked.len(), 1);
    assert_eq!(ada.authorization().await?, None);
    assert_eq!(ada.made().await, None);
    assert_eq!(host.token("grace").await?, grace);
    Ok(())
}

#[tokio::test]
async fn an_invitation_is_the_same_until_somebody_begins() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let first = host.invited("ada")?;
    assert_eq!(host.invited("ada")?, first);
    assert_ne!(host.invited("grace")?, first);
    let mut browser = Browser::default();
    // A look is not a beginning: chats look at addresses, too.
    for _ in 0..3 {
        Browser::default().get(&host.accounts, &first).await;
    }
    assert_eq!(host.invited("ada")?, first);
    browser.goes_away(&host.accounts, &first).await?;
    assert_ne!(host.invited("ada")?, first);
    Ok(())
}

#[tokio::test]
async fn an_address_stays_good_where_the_authorization_server_fails() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let address = host.invited("ada")?;
    host.server.told.lock().server = Some("http://169.254.169.254".to_owned());
    let mut browser = Browser::default();
    let failed = browser.goes_away(&host.accounts, &address).await;
    let failed = failed.expect_err("it fails").to_string();
    assert!(failed.contains("Not now"), "{failed}");
    assert_eq!(host.failures().len(), 1);
    host.server.told.lock().server = None;
    let back = browser.goes_away(&host.accounts, &address).await?;
    let done = browser.get(&host.accounts, &back).await;
    assert_eq!(done.status(), StatusCode::OK);
    assert!(host.token("ada").await?.is_some());
    Ok(())
}

#[tokio::test]
async fn a_client_that_the_server_forgot_is_registered_anew() -> anyhow::Result<()> {
    let host = Host::new().await?;
    host.signs_in("ada").await?;
    host.server.told.lock().clients.clear();
    let failed = host
        .signs_in("grace")
        .await
        .expect_err("it fails")
        .to_string();
    assert!(failed.contains("Not signed in"), "{failed}");
    host.signs_in("grace").await?;
    assert!(host.token("grace").await?.is_some());
    Ok(())
}

#[tokio::test]
async fn the_page_says_for_whom_it_is_and_can_be_framed_by_nobody() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let address = host.invited("<script>alert(1)</script>\u{202e}")?;
    let shown = Browser::default().get(&host.accounts, &address).await;
    assert!(!shown.body().contains("<script>"), "{}", shown.body());
    assert!(!shown.body().contains('\u{202e}'), "{}", shown.body());
    assert!(shown.body().contains("&lt;script&gt;"), "{}", shown.body());
    assert!(shown.body().contains(&host.server.base), "{}", shown.body());
    let header = |name: &str| shown.headers()[name].to_str().map(str::to_owned);
    assert!(header("content-security-policy")?.contains("frame-ancestors 'none'"));
    assert_eq!(header("x-frame-options")?, "DENY");
    assert_eq!(header("cache-control")?, "no-store");
    assert_eq!(header("referrer-policy")?, "no-referrer");
    let cookie = header("set-cookie")?;
    assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    Ok(())
}

#[tokio::test]
async fn a_server_that_does_not_know_its_address_invites_nobody() -> anyhow::Result<()> {
    let host = Host::new().await?;
    let nowhere = Accounts::new(None, |_| ())?;
    let refused = nowhere.invite(&host.of("ada")?).expect_err("it can't");
    assert!(
        refused.to_string().contains("`address` in `[serve]`"),
        "{refused}"
    );
    // Nor for the host itself.
    let own = started(&host.server, host.folder.path())?;
    assert!(host.accounts.invite(&own).is_err());
    for unfit in [
        "ftp://host",
        "not an address",
        "https://host/?query",
        "https://a:b@host",
    ] {
        assert!(Accounts::new(Some(unfit), |_| ()).is_err(), "{unfit}");
    }
    let beneath = Accounts::new(Some("https://host:8443/tools/"), |_| ())?;
    let address = beneath.invite(&host.of("ada")?)?.address;
    assert!(
        address.starts_with("https://host:8443/tools/auth/start/"),
        "{address}"
    );
    assert_eq!(beneath.host().as_deref(), Some("host:8443"));
    Ok(())
}
