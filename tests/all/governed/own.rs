//! What scripts have of governance.

use ampoule::governance::quota::{Quotas, Rule};

use super::*;

#[tokio::test]
async fn scripts_mask_by_themselves_in_both_languages() {
    let world = World::new();
    let governance = tokens(Governance::builder(), &world).build().unwrap();
    let runtime = world.runtime(&governance);
    for (language, source) in [
        (
            Language::TypeScript,
            "const { email } = await tools.crm.get();
            return [await tools.privacy.mask(email), await tools.privacy.mask({ value: { to: [email] } }), email.length]",
        ),
        (
            Language::Python,
            "
email = (await tools.crm.get())['email']
[await tools.privacy.mask(email), await tools.privacy.mask(value={'to': [email]}), len(email)]",
        ),
    ] {
        let outcome = script(&runtime, language, source).run().await.unwrap();
        let masked = json!(["<email:1>", { "to": ["<email:1>"] }, ADA.len()]);
        assert_eq!(value(&outcome), masked);
    }
}

#[tokio::test]
async fn what_is_left_is_told_and_what_is_used_up_is_an_error() {
    let world = World::new();
    let limits = Rule {
        calls_per_hour: Some(3),
        ..Rule::default()
    };
    let quotas = Quotas::new(vec![limits.called("few")], None).unwrap();
    let governance = Governance::builder()
        .quotas(Arc::new(quotas))
        .build()
        .unwrap();
    let runtime = world.runtime(&governance);
    let source = "
        await tools.crm.get();
        const [{ quota, left }] = await tools.quotas.left();
        await tools.crm.get();
        await tools.crm.get();
        return [quota, left, await tools.crm.get().catch(error => String(error))]";
    let told = value(&typescript(&runtime, source).run().await.unwrap());
    assert_eq!((&told[0], &told[1]), (&json!("few"), &json!(2)));
    assert!(
        told[2]
            .as_str()
            .unwrap()
            .contains("the quota `few` is exhausted: 3 calls an hour"),
        "{told}"
    );
}

#[tokio::test]
async fn a_run_beyond_the_quota_does_not_begin() {
    let world = World::new();
    let limits = Rule {
        runs_per_minute: Some(1),
        ..Rule::default()
    };
    let quotas = Quotas::new(vec![limits.called("few")], None).unwrap();
    let governance = Governance::builder()
        .quotas(Arc::new(quotas))
        .build()
        .unwrap();
    let runtime = world.runtime(&governance);
    typescript(&runtime, "return 1").run().await.unwrap();
    let refused = typescript(&runtime, "return 1").run().await.unwrap_err();
    assert!(
        refused.is_request() && refused.to_string().contains("few"),
        "{refused}"
    );
}
