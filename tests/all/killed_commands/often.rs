//! Many kills of each process, so that they come at all moments.

#![expect(clippy::print_stderr, reason = "figures")]

use super::run::Stores;
use super::{Tally, chat, kills, schedule};

/// How often each kind of process is killed: more than 300 together.
const OFTEN: u64 = 50;

/// Kills at random moments meet runs before they are kept, and after.
fn meets_both(tally: &Tally) {
    eprintln!("{tally:?}");
    assert!(tally.lost > 0, "no run was lost: {tally:?}");
    assert!(tally.kept + tally.told > 0, "no run was kept: {tally:?}");
}

#[tokio::test]
async fn a_session_and_files() {
    meets_both(&Stores::SESSION_AND_FILES.tried(kills(OFTEN)).await);
}

#[tokio::test]
async fn a_session_and_the_record() {
    meets_both(&Stores::SESSION_AND_RECORD.tried(kills(OFTEN)).await);
}

#[tokio::test]
async fn files_and_the_record() {
    meets_both(&Stores::FILES_AND_RECORD.tried(kills(OFTEN)).await);
}

#[tokio::test]
async fn all_stores() {
    meets_both(&Stores::ALL.tried(kills(OFTEN)).await);
}

#[tokio::test]
async fn runs_that_are_parked() {
    eprintln!("{:?}", Stores::PARKED.tried(kills(OFTEN)).await);
}

#[tokio::test]
async fn a_chat() {
    meets_both(&chat::tried(kills(OFTEN)).await);
}

#[tokio::test]
async fn a_schedule() {
    schedule::tried(kills(OFTEN)).await;
}
