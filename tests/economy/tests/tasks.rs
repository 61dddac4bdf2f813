//! The tasks' table in the documents is what is measured.

use ampoule_economy::tasks::{self, Installed};
use ampoule_tests::{binary, prepared};

#[tokio::test(flavor = "multi_thread")]
async fn the_tasks_in_the_documents_take_what_is_measured() {
    const NAME: &str = "the_tasks_in_the_documents_take_what_is_measured";
    let folders = [NAME; 2]
        .into_iter()
        .zip(["AMPOULE_TEST_NODE", "AMPOULE_TEST_PYTHON"]);
    let folders = folders.map(|(test, variable)| prepared(test, variable));
    let [Some(node), Some(python)] = <[_; 2]>::try_from(folders.collect::<Vec<_>>()).unwrap()
    else {
        return;
    };
    let installed = Installed {
        node,
        python,
        ampoule: binary(),
    };
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/tokens.md");
    let document = std::fs::read_to_string(document).unwrap();
    let measured = tasks::measured(&installed).await.unwrap();
    for table in measured.split("\n\n") {
        assert!(document.contains(table.trim_end()), "{measured}");
    }
}
