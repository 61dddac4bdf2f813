//! Sign-ins to servers: each principal's own, on the page of the server, and those of the host.

use ampoule_sign_in::accounts::Accounts;
use ampoule_sign_in::{Owner, SignIn, SignInOptions, SignInStatus, Store};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::*;
use crate::model::Viewer;
use crate::{ConsoleError, FoundSignIn, SignInOwner, SignInSource};

/// Nobody signs in to any server.
pub(super) struct NoSignIns;

impl SignInSource for NoSignIns {
    fn find<'a>(
        &'a self,
        _server: &'a str,
        _principal: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<FoundSignIn>, String>> {
        std::future::ready(Ok(None)).boxed()
    }

    fn open<'a>(
        &'a self,
        _server: &'a str,
        _principal: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<SignIn>, String>> {
        std::future::ready(Ok(None)).boxed()
    }

    fn accounts(&self) -> Option<&Accounts> {
        None
    }
}

/// Everybody, or each principal, signs in to `demo`.
struct DemoSignIns {
    owner: SignInOwner,
    status: Option<SignInStatus>,
    accounts: Accounts,
    sign_in: SignIn,
}

impl DemoSignIns {
    fn new(folder: &TempDir, owner: SignInOwner, status: Option<SignInStatus>) -> Self {
        let resource = "https://tickets.example.com/mcp".parse().unwrap();
        let options = SignInOptions::new("demo", resource);
        let store = Store::in_folder(folder.path().join("sign-in"));
        let http = reqwest::Client::builder().no_proxy();
        Self {
            owner,
            status,
            accounts: Accounts::new(Some("https://ampoule.example"), |_| ()).unwrap(),
            sign_in: SignIn::new(options, store, http).unwrap(),
        }
    }
}

impl SignInSource for DemoSignIns {
    fn find<'a>(
        &'a self,
        server: &'a str,
        _principal: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<FoundSignIn>, String>> {
        let found = (server == "demo").then(|| FoundSignIn {
            owner: self.owner,
            status: self.status.clone(),
        });
        std::future::ready(Ok(found)).boxed()
    }

    fn open<'a>(
        &'a self,
        server: &'a str,
        principal: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<SignIn>, String>> {
        let owner = principal.map_or(Owner::Host, |name| Owner::Principal(name.into()));
        let opened = (server == "demo").then(|| self.sign_in.owned_by(owner));
        std::future::ready(Ok(opened)).boxed()
    }

    fn accounts(&self) -> Option<&Accounts> {
        Some(&self.accounts)
    }
}

/// The fixture's console, whose servers have these sign-ins.
fn with(fixture: &Fixture, sign_ins: DemoSignIns) -> Console {
    let sources = Sources {
        sign_ins: Arc::new(sign_ins),
        ..fixture.console.sources().clone()
    };
    Console::new(sources, Browsers::new(Admission::Local, false))
}

fn principal(name: &str, is_operator: bool) -> Viewer {
    Viewer::principal(ampoule::Principal::new(name), is_operator)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_principal_signs_in_as_themselves() {
    let fixture = Fixture::principals().await;
    let status = SignInStatus {
        who: Some("ada@example.com".to_owned()),
        issuer: "https://login.example.com".to_owned(),
        until: Some(std::time::UNIX_EPOCH + Duration::from_secs(1_800_000_000)),
        refreshed: true,
        scopes: vec!["tickets".to_owned()],
    };
    let own = DemoSignIns::new(&fixture.folder, SignInOwner::Principal, Some(status));
    let console = with(&fixture, own);
    let (ada, bob) = (principal("ada", false), principal("bob", false));
    let shown = console.server(&ada, "demo").await.unwrap().sign_in.unwrap();
    assert_eq!((&*shown.whose, shown.signed_in), ("own", true));
    assert_eq!(shown.who.as_deref(), Some("ada@example.com"));
    assert_eq!(shown.until.as_deref(), Some("2027-01-15T08:00:00.000Z"));
    assert!(shown.can_change && shown.renewed);
    let hers = console.sign_in_to_server(&ada, "demo").await.unwrap();
    let his = console.sign_in_to_server(&bob, "demo").await.unwrap();
    for begun in [&hers, &his] {
        let begins = begun
            .address
            .starts_with("https://ampoule.example/auth/start/");
        assert!(begins, "{begun:?}");
    }
    assert_ne!(hers.address, his.address, "each signs in for themselves");
    let out = console.sign_out_of_server(&ada, "demo").await.unwrap();
    assert_eq!(out.row.name, "demo");
    let signed_out = fixture
        .get(&fixture.olga, "/api/v1/audit?kind=sign-in")
        .await;
    let signed_out = signed_out.json();
    assert_eq!(signed_out["items"][0]["principal"], "ada", "{signed_out}");
    let unknown = console.sign_in_to_server(&ada, "nothing").await;
    assert!(
        matches!(unknown, Err(ConsoleError::NotFound(_))),
        "{unknown:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sign_in_of_the_host_is_for_the_host_to_change() {
    let fixture = Fixture::principals().await;
    let host = DemoSignIns::new(&fixture.folder, SignInOwner::Host, None);
    let console = with(&fixture, host);
    let (ada, olga) = (principal("ada", false), principal("olga", true));
    let of = async |viewer: &Viewer| console.server(viewer, "demo").await.unwrap().sign_in;
    assert!(of(&ada).await.is_none(), "principals see nothing of it");
    let seen = of(&olga).await.unwrap();
    assert!(!seen.can_change && !seen.signed_in, "{seen:?}");
    assert!(of(&Viewer::local()).await.unwrap().can_change);
    for viewer in [&ada, &olga] {
        let begun = console.sign_in_to_server(viewer, "demo").await;
        assert!(matches!(begun, Err(ConsoleError::Conflict(_))), "{begun:?}");
        let ended = console.sign_out_of_server(viewer, "demo").await;
        assert!(matches!(ended, Err(ConsoleError::Conflict(_))), "{ended:?}");
    }
}
