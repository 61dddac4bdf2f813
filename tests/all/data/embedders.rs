//! The guest of a configuration, in programs that embed Ampoule by its packages for Node, Python and C.

use std::collections::BTreeSet;

use ampoule::{DataGuest, RecordOptions};
use ampoule_tests::command::Workplace;
use ampoule_tests::runtime_builder;
use serde_json::json;

use super::stand_in;
use crate::embedders::Embedder;

/// Which guests the records tell of that a program's runs left: one for each kind of script.
async fn has_the_guest(embedder: Embedder) {
    let workplace = Workplace::default();
    workplace.file(DataGuest::FILE, stand_in());
    let config = format!(
        "[python]\ndata-guest = '{}'\n[records]\nkeep = 'all'\n",
        DataGuest::FILE
    );
    workplace.file("ampoule.toml", config);
    let options = json!({ "language": "python" });
    for code in ["return 1", "return 1  # pandas", "return 1  # numpy"] {
        let returned = embedder.returned(&workplace, code, &options).await;
        assert_eq!(returned, 1, "{code}");
    }
    let folder = workplace.path().join("data/ampoule/records");
    let runtime = runtime_builder().records(folder, RecordOptions::default());
    let records = runtime.build().unwrap().records(None).unwrap();
    let listed = records.list().unwrap();
    assert_eq!(listed.len(), 3);
    let guests = listed.iter().map(|entry| &entry.head.build.guest);
    let guests: BTreeSet<&String> = guests.collect();
    assert_eq!(guests.len(), 2, "{guests:?}");
}

#[tokio::test]
async fn nodes_package_has_it() {
    let test = "data::embedders::nodes_package_has_it";
    if let Some(embedder) = Embedder::node(test) {
        has_the_guest(embedder).await;
    }
}

#[tokio::test]
async fn pythons_package_has_it() {
    let test = "data::embedders::pythons_package_has_it";
    if let Some(embedder) = Embedder::python(test) {
        has_the_guest(embedder).await;
    }
}

#[tokio::test]
async fn the_library_for_c_has_it() {
    let test = "data::embedders::the_library_for_c_has_it";
    if let Some(embedder) = Embedder::c(test).await {
        has_the_guest(embedder).await;
    }
}
