//! Lists of many pages, and of too many.

use serde_json::{Value, json};

use super::{listed, listing, names, tool};
use crate::UpstreamOptions;
use crate::testing::upstream;

#[tokio::test(start_paused = true)]
async fn pages_are_followed_until_they_repeat() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    for (number, (sent, next)) in [(Value::Null, "x"), (json!("x"), "y"), (json!("y"), "x")]
        .into_iter()
        .enumerate()
    {
        let request = fake.recv().await;
        assert_eq!(
            request["params"].get("cursor").unwrap_or(&Value::Null),
            &sent
        );
        fake.answer(
            &request,
            json!({ "tools": [tool(&format!("t{number}"))], "nextCursor": next }),
        )
        .await;
    }
    assert_eq!(names(&asking.await.unwrap()), ["t0", "t1", "t2"]);
    assert_eq!(
        upstream.problems().to_vec(),
        ["page 3 of the list of tools leads back to an earlier page"]
    );
}

#[tokio::test(start_paused = true)]
async fn endless_pages_and_endless_tools_end() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    let tools = async {
        let mut asking = std::pin::pin!(asking);
        for number in 0.. {
            let request = tokio::select! {
                tools = &mut asking => return tools.unwrap(),
                request = fake.recv() => request,
            };
            let tools = [tool(&format!("t{number}"))];
            let page = json!({ "tools": tools, "nextCursor": number.to_string() });
            fake.answer(&request, page).await;
        }
        unreachable!()
    };
    let tools = tools.await;
    assert!((1_000..2_048).contains(&tools.len()), "{}", tools.len());
    let [problem] = &*upstream.problems() else {
        panic!("{:?}", upstream.problems());
    };
    let expected = format!("page {} and the rest is left out", tools.len() + 1);
    assert_eq!(
        *problem,
        format!("the list of tools is larger than 128 MiB; {expected}")
    );

    let many: Vec<Value> = (0..131_072)
        .map(|number| tool(&number.to_string()))
        .collect();
    let (upstream, _, _, tools) = listed(many.into()).await;
    assert!((100_000..131_072).contains(&tools.len()), "{}", tools.len());
    assert_eq!(
        upstream.problems().to_vec(),
        ["the list of tools is larger than 128 MiB; the rest is left out"]
    );
}

#[tokio::test(start_paused = true)]
async fn pages_end_where_they_are_too_large_together() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    for number in 0..3 {
        let request = fake.recv().await;
        let mut tool = tool(&format!("t{number}"));
        tool["description"] = "x".repeat(60_000_000).into();
        fake.answer(
            &request,
            json!({ "tools": [tool], "nextCursor": number.to_string() }),
        )
        .await;
    }
    assert_eq!(names(&asking.await.unwrap()), ["t0", "t1"]);
    assert_eq!(
        upstream.problems().to_vec(),
        ["the list of tools is larger than 128 MiB; page 3 and the rest is left out"]
    );
}
