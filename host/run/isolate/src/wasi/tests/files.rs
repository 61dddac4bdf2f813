//! Folders that a run was granted, by WASI 0.3.

use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::{Host, guest, told};
use crate::component::Access;

#[tokio::test]
async fn files_are_listed_read_and_written() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["one", "two", "three"] {
        std::fs::write(folder.path().join(name), name).expect("a file");
    }
    let granted = |access| guest("files", "{}").folder(folder.path(), "/data", access);
    let host = Host::new();
    // Three entries, no errors, and what was written from the third byte on.
    let outcome = host.run(granted(Access::Write)).await;
    assert_eq!(told(&outcome), "30000onetwo");
    let text = std::fs::read(folder.path().join("file.txt")).expect("a file");
    assert_eq!(text, b"\0\0onetwo");
    assert!(outcome.usage.fuel > 5 * crate::wasi::price::FILE);
    // It can't be opened to be written.
    let outcome = host.run(granted(Access::Read)).await;
    assert!(told(&outcome).contains("unreachable"), "{}", told(&outcome));
}

/// Threads that wait for a guest would keep all others from theirs.
#[test]
fn listings_that_are_not_read_take_no_threads() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(4)
        .enable_all()
        .build()
        .expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    for at in 0..10 {
        std::fs::write(folder.path().join(at.to_string()), "").expect("a file");
    }
    let mut host = Host::new();
    host.limits.wall_time = Duration::from_secs(60);
    host.limits.fuel = 1 << 50;
    let listings = guest("listings", "{}").folder(folder.path(), "/data", Access::Read);
    let gauge = host.gauge.clone();
    runtime.block_on(async {
        let run = tokio::spawn(async move { told(&host.run(listings).await) });
        // The guest has asked for all listings once it has used as much.
        let begun = async {
            while gauge.fuel() < 64 * crate::wasi::price::FILE {
                sleep(Duration::from_millis(10)).await;
            }
        };
        let begun = timeout(Duration::from_secs(60), begun).await;
        begun.expect("it begins");
        let thread = timeout(Duration::from_secs(10), spawn_blocking(|| ())).await;
        assert!(thread.is_ok(), "no thread is free");
        assert!(!run.is_finished());
        run.abort();
    });
    runtime.shutdown_background();
}
