//! What servers ask during an agent's runs, at the terminal.

use std::sync::Arc;

use ampoule::{Ask, AskKind};
use ampoule_chat::tools::Respondent;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::asking::Person;

impl Respondent for Person {
    fn answer(&self, params: Value) -> BoxFuture<'_, Value> {
        async move {
            let Value::Object(params) = params else {
                return json!({ "action": "cancel" });
            };
            let kind = match params.get("mode").and_then(Value::as_str) {
                Some("url") => AskKind::Url,
                _ => AskKind::Form,
            };
            let ask = Ask::new(Arc::from(""), kind, params);
            let answer = ampoule::Respondent::answer(self, ask).await;
            match answer {
                Ok(answer) => Value::Object(answer),
                Err(why) => {
                    tracing::warn!("a question was not asked: {why}");
                    json!({ "action": "cancel" })
                }
            }
        }
        .boxed()
    }
}
