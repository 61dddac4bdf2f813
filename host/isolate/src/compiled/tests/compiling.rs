//! Whose turn it is to have a component compiled.

use std::pin::pin;

use ampoule_tools::Principal;
use futures::FutureExt;
use futures::future::{join, join_all};
use parking_lot::Mutex;

use super::*;

#[tokio::test]
async fn who_has_many_compiled_waits_behind_themselves() {
    let host = Host::new("test", Vec::new());
    let (ada, bob) = (Principal::new("ada"), Principal::new("bob"));
    let compiling = host.components.engine().compiling();
    let taken = compiling.wait(Some(&bob)).await.unwrap();
    let order = Mutex::new(Vec::new());
    let compile = |whose, name: &str| {
        let wasm = format!("(component (core module ${name}))");
        let component = Component::from_bytes(wat::parse_str(wasm).unwrap()).unwrap();
        let (order, host) = (&order, &host);
        async move {
            let limits = Limits::default();
            // It exports nothing to be run, which is said once it is compiled.
            let compiled = host.components.compile(&component, &limits, whose).await;
            assert!(compiled.is_err());
            order.lock().push(whose.map(ToString::to_string));
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
    // Where two have ended by the time that somebody looks, the one that was first in the line is
    // looked at first.
    join(alone, flood).await;
    let order = order.lock().clone();
    assert_eq!(order[0].as_deref(), Some("ada"), "{order:?}");
    assert_eq!(order.len(), 6);
}
