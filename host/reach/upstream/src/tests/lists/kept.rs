//! What is kept of lists for later processes.

use std::path::Path;

use ampoule_tools::Binding;
use serde_json::json;

use super::{listing, names, tool};
use crate::cache::Cache;
use crate::testing::{call, upstream, upstream_kept_in};
use crate::{Era, UpstreamOptions};

fn keeping_in(folder: &Path) -> UpstreamOptions {
    UpstreamOptions {
        cache_dir: Some(folder.to_owned()),
        ..Default::default()
    }
}

#[tokio::test]
async fn a_kept_list_answers_before_the_server_is_started_and_is_brought_up_to_date_by_the_first_call()
 {
    let folder = tempfile::tempdir().unwrap();
    let options = keeping_in(folder.path());
    let kept = || {
        let mut files = std::fs::read_dir(folder.path().join("tools")).ok()?;
        // What is still being written has an extension of its own.
        let file = files.find_map(|file| {
            let path = file.ok()?.path();
            path.extension()
                .is_some_and(|found| found == "json")
                .then_some(path)
        });
        std::fs::read_to_string(file?).ok()
    };
    {
        let (upstream, mut fakes) = upstream(options.clone());
        let asking = listing(&upstream);
        let mut fake = fakes.session().await;
        let request = fake.recv().await;
        fake.answer(&request, json!({ "tools": [tool("old")] }))
            .await;
        asking.await.unwrap();
        while kept().is_none() {
            tokio::task::yield_now().await;
        }
    }
    let (upstream, mut fakes) = upstream(options);
    assert_eq!(names(&upstream.tools().await.unwrap()), ["old"]);
    assert!(fakes.is_empty(), "the server was started");
    let calling = call(&upstream, "old");
    // What the server speaks was kept as well.
    let mut fake = fakes.next().await;
    let initialize = fake.recv().await;
    assert_eq!(initialize["method"], "initialize");
    fake.answer(&initialize, json!({ "protocolVersion": "2025-06-18" }))
        .await;
    fake.recv().await;
    for _ in 0..2 {
        let request = fake.recv().await;
        let list = request["method"] == "tools/list";
        fake.answer(
            &request,
            if list {
                json!({ "tools": [tool("new")] })
            } else {
                json!({})
            },
        )
        .await;
    }
    calling.await.unwrap().unwrap();
    assert_eq!(names(&upstream.tools().await.unwrap()), ["new"]);
    while !kept().unwrap().contains("new") {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_list_with_the_deepest_schemas_can_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let options = keeping_in(folder.path());
    let schema = format!(r#"{{"a":{}{}}}"#, "[".repeat(118), "]".repeat(118));
    let (first, mut fakes) = upstream(options.clone());
    let asking = listing(&first);
    let mut fake = fakes.session().await;
    let request = fake.recv().await;
    fake.raw(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{{"name":"deep","inputSchema":{schema}}}]}}}}"#,
        request["id"]
    ))
    .await;
    asking.await.unwrap();
    assert!(first.problems().is_empty(), "{:?}", first.problems());
    // What was to be kept, is.
    first.stop().await;
    let (second, _fakes) = upstream(options);
    assert_eq!(names(&second.known_tools().unwrap()), ["deep"]);
}

#[tokio::test]
async fn what_is_meant_for_one_who_signed_in_is_not_kept_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let cache = || Cache::new(folder.path(), blake3::hash(b"far")).across_sign_ins();
    for (scope, kept) in [("private", None), ("public", Some(1))] {
        let (upstream, mut fakes) = upstream_kept_in(UpstreamOptions::default(), Some(cache()));
        let asking = listing(&upstream);
        let mut fake = fakes.next().await;
        let discover = fake.recv().await;
        assert_eq!(discover["method"], "server/discover");
        fake.answer(&discover, json!({ "supportedVersions": ["2026-07-28"] }))
            .await;
        let request = fake.recv().await;
        let list = json!({ "tools": [tool("a")], "ttlMs": 0, "cacheScope": scope });
        fake.answer(&request, list).await;
        assert_eq!(asking.await.unwrap().len(), 1);
        // What was to be kept, is.
        upstream.stop().await;
        let remembered = cache().load().unwrap();
        assert_eq!(remembered.era, Era::Stateless);
        assert_eq!(remembered.tools.map(|tools| tools.len()), kept, "{scope}");
    }
}
