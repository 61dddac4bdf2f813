//! A task in each of the three forms: the model fails, corrects its script, and answers.

use ampoule_tests::command::Workplace;
use ampoule_tests::model::{ModelReply, ModelServer, script};

use super::{chat, events, first};

const FORMS: [&str; 3] = ["openai", "responses", "anthropic"];

fn story() -> [ModelReply; 3] {
    let wrong = script(
        "return (await tools.demo.listProducts()).items.lengthy.x",
        "typescript",
    );
    let right = script(
        "const page = await tools.demo.listProducts();\nconsole.log('größe 😀');\nreturn page.total",
        "typescript",
    );
    [
        ModelReply::Calls("I count them.".to_owned(), vec![wrong]),
        ModelReply::Calls("Once more.".to_owned(), vec![right]),
        ModelReply::Says("There are 40 products; naïve 😀.".to_owned()),
    ]
}

#[tokio::test]
async fn a_failure_is_corrected_by_the_next_script_in_each_form() {
    for form in FORMS {
        let (workplace, model) = (Workplace::default(), ModelServer::playing(story()).await);
        let ran = chat(&workplace, &model, form, &["-p", "How many products?"]).await;
        assert_eq!(ran.code, Some(0), "{form}: {ran:?}");
        assert!(
            ran.stdout.ends_with("There are 40 products; naïve 😀.\n"),
            "{form}: {ran:?}"
        );
        // The script, its calls and its output are for people, beside the answer.
        for shown in [
            "│ const page = await tools.demo.listProducts();",
            "✓ demo.list_products",
            "größe 😀",
            "3 requests, 3000 tokens read",
        ] {
            assert!(ran.stderr.contains(shown), "{form}: `{shown}`: {ran:?}");
        }
        let requests = model.requests().await;
        assert_eq!(requests.len(), 3, "{form}");
        let second = requests[1].last_text();
        assert!(
            second.contains("TypeError") || second.contains("lengthy"),
            "{form}: {second}"
        );
        assert!(
            requests[2].last_text().contains("40"),
            "{form}: {:?}",
            requests[2].texts()
        );
        // The model sees what any client's model sees.
        let tools = requests[0].tools();
        assert_eq!(tools[..2], ["execute_code", "search_tools"], "{form}");
        assert_eq!(requests[0].body["stream"], true);
    }
}

#[tokio::test]
async fn programs_get_the_same_events_in_each_form() {
    for form in FORMS {
        let (workplace, model) = (Workplace::default(), ModelServer::playing(story()).await);
        let ran = chat(
            &workplace,
            &model,
            form,
            &["-p", "How many products?", "--json"],
        )
        .await;
        assert_eq!(ran.code, Some(0), "{form}: {ran:?}");
        let events = events(&ran);
        let begin = first(&events, "begin");
        assert_eq!(
            (&begin["model"], &begin["tools"][0]),
            (&"scripted".into(), &"execute_code".into())
        );
        let call = first(&events, "call");
        assert_eq!(call["tool"], "execute_code", "{form}");
        assert!(
            call["arguments"]["code"]
                .as_str()
                .unwrap()
                .contains("lengthy")
        );
        let texts = events.iter().filter(|event| event["type"] == "text");
        let text: String = texts.map(|event| event["text"].as_str().unwrap()).collect();
        assert_eq!(
            text, "I count them.Once more.There are 40 products; naïve 😀.",
            "{form}"
        );
        let results: Vec<_> = events
            .iter()
            .filter(|event| event["type"] == "result")
            .collect();
        assert_eq!(
            (&results[0]["isError"], &results[1]["isError"]),
            (&true.into(), &false.into())
        );
        let tool = first(&events, "toolCall");
        assert_eq!(
            (&tool["server"], &tool["tool"]),
            (&"demo".into(), &"list_products".into())
        );
        let end = events.last().unwrap();
        assert_eq!(
            (&end["type"], &end["ending"], &end["steps"]),
            (&"end".into(), &"answered".into(), &3.into())
        );
        assert_eq!(end["text"], "There are 40 products; naïve 😀.");
        let usage = &end["usage"];
        assert_eq!(
            (&usage["input"], &usage["cached"], &usage["output"]),
            (&3000.into(), &1200.into(), &150.into()),
            "{form}"
        );
    }
}

#[tokio::test]
async fn two_calls_of_one_answer_and_python_work() {
    let calls = vec![
        script("sum(range(4))", "python"),
        (
            "search_tools".to_owned(),
            r#"{"query": "tickets"}"#.to_owned(),
        ),
    ];
    for form in FORMS {
        let replies = [
            ModelReply::Calls(String::new(), calls.clone()),
            ModelReply::Says("6".to_owned()),
        ];
        let (workplace, model) = (Workplace::default(), ModelServer::playing(replies).await);
        let ran = chat(&workplace, &model, form, &["-p", "add"]).await;
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(0), "6\n"),
            "{form}: {ran:?}"
        );
        let texts = model.requests().await[1].texts();
        let [.., sum, found] = &texts[..] else {
            panic!("{texts:?}")
        };
        assert!(
            sum.contains('6') && found.contains("listTickets"),
            "{form}: {texts:?}"
        );
        assert!(
            ran.stderr
                .contains("→ search_tools {\"query\":\"tickets\"}"),
            "{ran:?}"
        );
    }
}
