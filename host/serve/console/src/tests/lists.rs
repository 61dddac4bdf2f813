//! Lists: cursors go through all rows once, whatever comes meanwhile.

use ampoule::Principal;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn cursors_go_through_all_rows_once() {
    let fixture = Fixture::principals().await;
    let mut wanted = Vec::new();
    for number in 0..5 {
        let run = fixture.run(&fixture.ada, &format!("return {number}")).await;
        wanted.push(run["run"].as_str().unwrap().to_owned());
    }
    wanted.reverse();
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/api/v1/runs?limit=2{cursor}");
        let page = fixture.get(&fixture.ada, &path).await.json();
        let rows = page["items"].as_array().unwrap();
        assert!(rows.len() <= 2, "{page}");
        found.extend(rows.iter().map(|it| it["run"].as_str().unwrap().to_owned()));
        // What comes meanwhile is newer, and neither hides nor repeats a row.
        fixture.run(&fixture.ada, "return 'later'").await;
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(found, wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_the_audit_log_come_a_page_at_a_time() {
    let fixture = Fixture::principals().await;
    for number in 0..3 {
        fixture.run(&fixture.ada, &format!("return {number}")).await;
    }
    let all = fixture
        .get(&fixture.ada, "/api/v1/audit?limit=500")
        .await
        .json();
    let all: Vec<&str> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = fixture
            .get(&fixture.ada, &format!("/api/v1/audit?limit=2{cursor}"))
            .await
            .json();
        let rows = page["items"].as_array().unwrap();
        found.extend(rows.iter().map(|it| it["id"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(found, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_cursor_and_no_number_is_refused() {
    let fixture = Fixture::principals().await;
    for path in [
        "/api/v1/runs?cursor=nonsense!",
        "/api/v1/runs?cursor=AAAA",
        "/api/v1/audit?cursor=1-2",
        "/api/v1/runs?limit=many",
        "/api/v1/audit?since=yesterday",
        "/api/v1/audit/export?format=xml",
    ] {
        let refused = fixture.get(&fixture.olga, path).await;
        assert_eq!(
            refused.status,
            StatusCode::BAD_REQUEST,
            "{path}: {refused:?}"
        );
        assert_eq!(
            refused.header("content-type"),
            "application/problem+json",
            "{path}"
        );
    }
    let large = "x".repeat(2 << 20);
    let too_large = fixture
        .post(&fixture.ada, "/api/v1/runs", &json!({ "code": large }))
        .await;
    assert_eq!(
        too_large.status,
        StatusCode::PAYLOAD_TOO_LARGE,
        "{too_large:?}"
    );
}

/// How many records there are, beside the first.
const MANY: usize = 10_000;
/// How long a page of them may take in a program that is built for tests, on a loaded machine.
const SLOWEST: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_runs_are_listed_and_each_record_is_read_once() {
    let fixture = Fixture::principals().await;
    let run = fixture.run(&fixture.ada, "return 1").await;
    let id = run["run"].as_str().unwrap().to_owned();
    let (runtime, ada) = (fixture.console.sources().runtime(), Principal::new("ada"));
    let shelf = runtime.records(Some(&ada)).unwrap();
    let file = shelf.path().join(format!("{id}.record"));
    let record = std::fs::read_to_string(&file).unwrap();
    let (process, _) = id.split_once('-').unwrap();
    let copy = |number: usize| format!("{process}-{:x}", 0xf00_0000 + number);
    for number in 0..MANY {
        let copied = record.replace(&id, &copy(number));
        let path = shelf.path().join(format!("{}.record", copy(number)));
        std::fs::write(path, copied).unwrap();
    }
    let page = async |query: &str| {
        let began = std::time::Instant::now();
        let path = format!("/api/v1/runs?limit=500{query}");
        (
            fixture.get(&fixture.ada, &path).await.json(),
            began.elapsed(),
        )
    };
    let (first, _) = page("").await;
    assert_eq!(first["total"], MANY as u64 + 1, "the runs are all there");
    let (mut rows, mut next, mut pages) = (0, String::new(), 0);
    let mut slowest = Duration::ZERO;
    loop {
        let (page, took) = page(&next).await;
        rows += page["items"].as_array().unwrap().len();
        (pages, slowest) = (pages + 1, slowest.max(took));
        match page["next"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!((rows, pages), (MANY + 1, 21));
    assert!(slowest < SLOWEST, "a page took {slowest:?}");
    // What is listed again is not read again: a record that can't be read any more stays in the list.
    std::fs::write(shelf.path().join(format!("{}.record", copy(7))), "damaged").unwrap();
    let (again, _) = page("").await;
    assert_eq!(again["total"], MANY as u64 + 1);
    // A record that is gone is gone from the list.
    std::fs::remove_file(shelf.path().join(format!("{}.record", copy(7)))).unwrap();
    assert_eq!(page("").await.0["total"], MANY as u64);
}
