//! Quotas.

use std::sync::Arc;

use ampoule_quota::{Quotas, Rule};
use ampoule_tools::Deadline;
use serde_json::json;

use super::*;

fn quotas(limits: Rule) -> Arc<Quotas> {
    Arc::new(Quotas::new(vec![limits.called("few")], None).unwrap())
}

fn calls(most: u32) -> Arc<Quotas> {
    quotas(Rule {
        calls_per_hour: Some(most),
        ..Rule::default()
    })
}

#[tokio::test]
async fn a_call_beyond_the_quota_is_denied() {
    let world = World::new();
    let governance = world.builder("").quotas(calls(2)).build().unwrap();
    let run = begin(&governance).await;
    for number in 0..2 {
        world
            .call(&run, number, "crm", "get", json!({}))
            .await
            .unwrap();
    }
    let told = denied(world.call(&run, 2, "crm", "get", json!({})).await);
    assert!(
        told.contains("the quota `few` is exhausted: 2 calls an hour"),
        "{told}"
    );
    assert_eq!(world.crm.take_calls().len(), 2);
}

#[tokio::test]
async fn what_policies_deny_is_not_counted() {
    let world = World::new();
    let builder =
        world.builder(r#"@id("x") forbid(principal, action == Action::"mail.send", resource);"#);
    let governance = builder.quotas(calls(1)).build().unwrap();
    let run = begin(&governance).await;
    for number in 0..3 {
        denied(world.call(&run, number, "mail", "send", json!({})).await);
    }
    world.call(&run, 3, "crm", "get", json!({})).await.unwrap();
}

#[tokio::test]
async fn bytes_of_arguments_and_results_count() {
    let world = World::new();
    let limits = Rule {
        bytes_per_day: Some(1000),
        ..Rule::default()
    };
    let governance = world.builder("").quotas(quotas(limits)).build().unwrap();
    let run = begin(&governance).await;
    world.crm.answer(structured(json!("x".repeat(600))));
    world
        .call(&run, 0, "crm", "get", json!({"text": "y".repeat(300)}))
        .await
        .unwrap();
    world
        .call(&run, 1, "crm", "get", json!({"text": "y".repeat(300)}))
        .await
        .unwrap();
    let told = denied(world.call(&run, 2, "crm", "get", json!({})).await);
    assert!(told.contains("1000 bytes of calls a day"), "{told}");
}

#[tokio::test]
async fn runs_are_counted_and_what_they_used() {
    let world = World::new();
    let limits = Rule {
        runs_per_day: Some(2),
        fuel_per_day: Some(1500),
        ..Rule::default()
    };
    let governance = world.builder("").quotas(quotas(limits)).build().unwrap();
    for _ in 0..2 {
        begin(&governance)
            .await
            .end(
                &mut [],
                EndFacts {
                    fuel: 100,
                    ..returned()
                },
            )
            .await;
    }
    let refused = governance.run(facts()).await.unwrap_err();
    assert!(refused.to_string().contains("2 runs a day"), "{refused}");
    // One that was parked was counted when it began.
    let resumed = governance.resume(facts()).await.unwrap();
    resumed.end(&mut [], returned()).await;
    let other = RunFacts {
        principal: Some(Principal::new("bob")),
        ..facts()
    };
    let other = governance.run(other).await.unwrap();
    other
        .end(
            &mut [],
            EndFacts {
                fuel: 1500,
                ..returned()
            },
        )
        .await;
    let bob = RunFacts {
        principal: Some(Principal::new("bob")),
        ..facts()
    };
    let refused = governance.run(bob).await.unwrap_err();
    assert!(
        refused.to_string().contains("1500 units of fuel"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_quota_holds_the_group_and_the_client_that_it_names() {
    let world = World::new();
    let limits = Rule {
        group: "support".into(),
        client: "cursor".into(),
        runs_per_day: Some(3),
        calls_per_hour: Some(2),
        ..Rule::default()
    };
    let governance = world.builder("").quotas(quotas(limits)).build().unwrap();
    let of = |groups: &[&str], client: &str| RunFacts {
        principal: Some(Principal::new("ada").with_groups(groups.iter().copied())),
        client: Some(client.into()),
        ..facts()
    };
    let run = governance.run(of(&["support"], "cursor")).await.unwrap();
    for number in 0..2 {
        world
            .call(&run, number, "crm", "get", json!({}))
            .await
            .unwrap();
    }
    let left = run.left().unwrap();
    assert_eq!(left.iter().map(|it| it.left).collect::<Vec<_>>(), [0, 2]);
    // Another run of the same principal has no more.
    let next = governance.run(of(&["support"], "cursor")).await.unwrap();
    denied(world.call(&next, 0, "crm", "get", json!({})).await);
    governance.run(of(&["support"], "cursor")).await.unwrap();
    let refused = governance.run(of(&["support"], "cursor")).await;
    assert!(refused.unwrap_err().to_string().contains("3 runs a day"));
    // It is about nobody else, and nothing else.
    for (groups, client) in [(&["sales"][..], "cursor"), (&["support"], "zed"), (&[], "")] {
        let run = governance.run(of(groups, client)).await.unwrap();
        for number in 0..3 {
            world
                .call(&run, number, "crm", "get", json!({}))
                .await
                .unwrap();
        }
        assert_eq!(run.left().unwrap(), []);
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_on_before_it_leaves_is_not_counted() {
    let world = World::new();
    let builder = world
        .builder(r#"@id("ask") @ask forbid(principal, action == Action::"mail.send", resource);"#);
    let governance = builder
        .quotas(calls(1))
        .asking(world.asking())
        .build()
        .unwrap();
    let run = begin(&governance).await;
    let layers = run.inside_of(&ampoule_tools::Layers::default());
    let next = layers.before(&world.mail, "send");
    let call = next.call(
        object(json!({})),
        context(&run, 0, "mail", "send", Deadline::never()),
    );
    let waited = tokio::time::timeout(Duration::from_millis(30), call).await;
    assert!(waited.is_err());
    world.call(&run, 1, "crm", "get", json!({})).await.unwrap();
    // One that has left is.
    world.crm.hang();
    denied(world.call(&run, 2, "crm", "get", json!({})).await);
}
