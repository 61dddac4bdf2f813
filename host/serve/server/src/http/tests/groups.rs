//! What exists for whom: by the groups of a token.

use std::num::NonZeroU16;

use ampoule::ToolResult;
use ampoule::governance::{Governance, KnownServer};
use ampoule_access::tokens::{Entry, Token};
use ampoule_access::{Access, AccessOptions, Source};
use ampoule_policy::Sources;
use ampoule_untrusted::text::one_line;

use super::*;

/// A server where `mail.send` is there for the group `support`, and tokens of two people.
async fn for_groups(folder: &tempfile::TempDir) -> (Served, [String; 2]) {
    let tokens = ["ada", "bob"].map(|name| {
        let token = Token::random().unwrap();
        let entry = Entry::new(name, &token, NonZeroU16::MIN, None).unwrap();
        let groups = match name {
            "ada" => vec!["support".to_owned()],
            _ => Vec::new(),
        };
        (entry.in_groups(&groups).unwrap(), token.expose().to_owned())
    });
    let list: String = tokens
        .iter()
        .map(|(entry, _)| format!("{entry}\n"))
        .collect();
    let file = folder.path().join("tokens");
    std::fs::write(&file, list).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, private).unwrap();
    let options = AccessOptions {
        tokens: vec![Source::File(file)],
        issuer: None,
        ..AccessOptions::default()
    };
    let access = Access::new(options, reqwest::ClientBuilder::new()).await;
    let named = |name: &str| {
        let tool = json!({ "name": name, "inputSchema": { "type": "object" } });
        serde_json::from_value::<ampoule::Tool>(tool).unwrap()
    };
    let answers = |_, _| std::future::ready(Ok(ToolResult::default()));
    let mail = Functions::new("mail")
        .raw(named("read"), answers)
        .raw(named("send"), answers);
    let roles = json!({
        "all": { "tools": ["mail.read"] },
        "support": { "tools": ["mail"], "groups": ["support"] },
    });
    let sources = Sources {
        roles: serde_json::from_value(roles).unwrap(),
        ..Sources::default()
    };
    let governance = Governance::builder()
        .servers(vec![KnownServer::of(&mail)])
        .policies(sources)
        .build()
        .unwrap();
    let runtime = Runtime::builder().binding(mail).governance(governance);
    let options = Options {
        access: access.unwrap(),
        ..Options::default()
    };
    (
        serving(runtime, options).await,
        tokens.map(|(_, token)| token),
    )
}

async fn asks(served: &Served, token: &str, message: Value) -> String {
    let (headers, message) = stateless(message);
    let bearer = format!("Bearer {token}");
    let mut headers: Vec<_> = headers
        .iter()
        .map(|(name, it)| (*name, it.as_str()))
        .collect();
    headers.push(("authorization", &bearer));
    let answer = served.post(&headers, &message).await.message();
    assert!(
        answer["result"].is_object(),
        "{}",
        one_line(&answer.to_string())
    );
    answer["result"].to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_somebody_may_never_call_is_not_there_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let (served, [ada, bob]) = for_groups(&folder).await;
    let search = json!({ "name": "search_tools", "arguments": {} });
    let keys =
        "try { await tools.mail.send({}); return 'sent' } catch (error) { return error.message }";
    for message in [
        request("tools/list", json!({})),
        request("tools/call", search),
        execute("return (await tools.$search('', { limit: 99 })).map((tool) => tool.name).join()"),
    ] {
        for (token, is_there) in [(&ada, true), (&bob, false), (&ada, true)] {
            let said = asks(&served, token, message.clone()).await;
            assert!(said.contains("read"), "{said}");
            assert_eq!(said.contains("send"), is_there, "{said}");
            // Nobody has a role for the other server's.
            assert!(!said.contains("hang"), "{said}");
        }
    }
    let listed = asks(&served, &bob, request("tools/list", json!({}))).await;
    assert!(listed.contains(r#""cacheScope":"private""#), "{listed}");
    assert!(asks(&served, &ada, execute(keys)).await.contains("sent"));
    let unknown = asks(&served, &bob, execute(keys)).await;
    assert!(
        !unknown.contains("sent") && !unknown.contains("policy"),
        "{unknown}"
    );
}
