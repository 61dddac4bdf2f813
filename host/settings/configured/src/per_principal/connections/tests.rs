use ampoule_sign_in::{Owner, SignInOptions, Store};
use ampoule_tools::Functions;

use super::*;

/// A connection of a principal's, with sign-ins in this folder.
async fn connection(folder: &std::path::Path, principal: &str) -> Connection {
    let address = "https://notes.example/mcp".parse().expect("an address");
    let options = SignInOptions::new("notes", address);
    let store = Store::in_folder(folder);
    let sign_in = SignIn::new(options, store, reqwest::Client::builder()).expect("a sign-in");
    let principal: Arc<str> = principal.into();
    let sign_in = sign_in.owned_by(Owner::Principal(Arc::clone(&principal)));
    Connection::new(&principal, Arc::new(Functions::new("notes")), sign_in).await
}

#[tokio::test]
async fn a_connection_is_its_principals_and_nobody_elses() {
    let folder = tempfile::tempdir().expect("a folder");
    let connections = Connections::default();
    let ada = connection(folder.path(), "ada").await;
    let ada = connections.put(ada).expect("room");
    for other in ["bob", "Ada", "ada ", ""] {
        assert!(connections.get(&other.into()).await.is_none(), "{other}");
    }
    let again = connections.get(&"ada".into()).await.expect("it is there");
    assert!(Arc::ptr_eq(&ada, &again));
    // Another task that made one at the same time gets the first.
    let second = connection(folder.path(), "ada").await;
    let second = connections.put(second).expect("room");
    assert!(Arc::ptr_eq(&ada, &second));
    assert_eq!(connections.all().len(), 1);
}

#[tokio::test]
async fn who_uses_the_server_is_not_thrown_out_and_who_does_not_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let connections = Connections::default();
    let mut used = Vec::new();
    for number in 0..MOST {
        let made = connection(folder.path(), &format!("p{number}")).await;
        used.push(connections.put(made).expect("room"));
    }
    let late = connection(folder.path(), "late").await;
    assert!(connections.put(late).is_err());
    // The one that nobody uses makes room.
    let idle = used.remove(7).principal.clone();
    let late = connection(folder.path(), "late").await;
    connections.put(late).expect("room");
    assert!(connections.get(&idle).await.is_none());
    assert!(connections.get(&"late".into()).await.is_some());
    assert!(connections.get(&"p8".into()).await.is_some());
    assert_eq!(connections.all().len(), MOST);
    assert_eq!(connections.take().len(), MOST);
    assert_eq!(connections.all().len(), 0);
}
