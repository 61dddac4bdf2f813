//! What servers ask during a request for a prompt or a resource.

use super::watching::{Notes, address, message, server};
use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn what_servers_ask_during_a_prompt_or_a_resource_reaches_the_client_of_a_session() {
    let notes = Notes::default();
    let mut client = Client::of(&server(&notes)).with_session().await;
    let prompt = json!({ "name": "notes__asking" });
    let id = client.send("prompts/get", prompt).await;
    // Both are open at once, and each has its own answer.
    let mut asked = [client.message().await, client.message().await];
    asked.sort_by_key(|asked| asked["params"]["message"] == "notes asks: Who?");
    for (asked, name) in asked.iter().zip(["glass", "Ada"]) {
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let result = json!({ "action": "accept", "content": { "name": name } });
        client
            .say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }))
            .await;
    }
    let (answer, _) = client.answer(id).await;
    let text = &answer["result"]["messages"][0]["content"]["text"];
    assert_eq!(text, "Ada glass", "{answer}");
    let read = json!({ "uri": address("note://asking") });
    let id = client.send("resources/read", read).await;
    let asked = client.message().await;
    let declined = json!({ "code": -1, "message": "not today" });
    client
        .say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "error": declined }))
        .await;
    let (answer, _) = client.answer(id).await;
    assert!(message(&answer).contains("not today"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn since_2026_07_28_these_questions_are_the_answer_until_they_are_answered() {
    let notes = Notes::default();
    let mut client = Client::of(&server(&notes));
    let prompt = json!({ "name": "notes__asking" });
    let asks = client.ask("prompts/get", prompt.clone()).await;
    let result = &asks["result"];
    assert_eq!(result["resultType"], "input_required", "{asks}");
    let requests = result["inputRequests"].as_object().expect("requests");
    assert_eq!(requests.len(), 2, "{asks}");
    let responses = requests.iter().map(|(name, request)| {
        let name_given = match request["params"]["message"] == "notes asks: Who?" {
            true => "Ada",
            false => "glass",
        };
        let response = json!({ "action": "accept", "content": { "name": name_given } });
        (name.clone(), response)
    });
    let responses: Map<String, Value> = responses.collect();
    let mut next = prompt;
    next["inputResponses"] = responses.into();
    next["requestState"] = result["requestState"].clone();
    let given = client.ask("prompts/get", next.clone()).await;
    let text = &given["result"]["messages"][0]["content"]["text"];
    assert_eq!(text, "Ada glass", "{given}");
    assert_eq!(given["result"]["resultType"], "complete", "{given}");
    // A state is used once.
    let again = client.ask("prompts/get", next).await;
    assert!(message(&again).contains("unknown requestState"), "{again}");
    let read = json!({ "uri": address("note://asking") });
    let asks = client.ask("resources/read", read.clone()).await;
    let requests = asks["result"]["inputRequests"]
        .as_object()
        .expect("requests");
    let (name, _) = requests.iter().next().expect("a request");
    let mut next = read;
    next["inputResponses"] = json!({ name: { "action": "accept", "content": { "name": "Bob" } } });
    next["requestState"] = asks["result"]["requestState"].clone();
    let given = client.ask("resources/read", next).await;
    let contents = &given["result"]["contents"][0];
    assert_eq!(contents["text"], "Bob", "{given}");
    assert_eq!(contents["uri"], address("note://asking"), "{given}");
}
