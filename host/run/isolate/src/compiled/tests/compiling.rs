//! Whose turn it is to have a component compiled.

use std::pin::pin;
use std::time::Duration;

use ampoule_tools::Principal;
use futures::FutureExt;
use futures::future::join_all;
use tokio::time::timeout;

use super::*;

#[tokio::test]
async fn a_client_that_compiles_a_lot_only_slows_itself_down() {
    let host = Host::new("test", Vec::new());
    let (ada, bob) = (Principal::new("ada"), Principal::new("bob"));
    let compiling = host.components.engine().compiling();
    let taken = compiling.wait(Some(&bob)).await.unwrap();
    let compile = |whose, name: &str| {
        let wasm = format!("(component (core module ${name}))");
        let component = Component::from_bytes(wat::parse_str(wasm).unwrap()).unwrap();
        let host = &host;
        async move {
            let limits = Limits::default();
            // It exports nothing to be run, which is said once it is compiled.
            let compiled = host.components.compile(&component, &limits, whose).await;
            assert!(compiled.is_err());
        }
    };
    let flood: Vec<_> = (0..5)
        .map(|number| compile(Some(&bob), &format!("bob{number}")))
        .collect();
    let mut flood = pin!(join_all(flood));
    let mut alone = pin!(compile(Some(&ada), "ada"));
    // All are in the line by then.
    assert!((&mut flood).now_or_never().is_none());
    assert!((&mut alone).now_or_never().is_none());
    drop(taken);
    // Nobody looks at the others meanwhile: had one of these the turn, it would keep it.
    let first = timeout(Duration::from_secs(60), alone).await;
    first.expect("ada's turn comes first");
    flood.await;
}
