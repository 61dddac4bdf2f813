//! JSON in the JavaScript guest, which reads and writes it with code of its own: whole documents,
//! to and from texts and calls. That this code does what the engine's does, in each corner, is
//! tested where it is, beside the engine (`guests/javascript/src/json`).

use serde_json::json;

use ampoule_tests::value;

#[tokio::test]
async fn documents_come_back_as_they_were_written() {
    assert_eq!(
        value(include_str!("../json/documents.js")).await,
        json!("alike")
    );
}
