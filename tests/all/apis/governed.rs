//! Roles, approvals and policies about the operations of a document.

use serde_json::json;

use super::shop::{configured, shop, value};

#[tokio::test]
async fn governance_treats_operations_as_tools() {
    let server = shop().await;
    let workplace = configured(&server, "approvals.ask = 'pets.delete*'");
    let ran = workplace
        .run(&["run", "-q", "-e", "await tools.pets.deletePet({ id: '1' })"])
        .await;
    let told = "a person must allow calls of pets.deletePet";
    assert!(ran.code == Some(1) && ran.stderr.contains(told), "{ran:?}");
    let workplace = configured(&server, "[roles.all]\ntools = ['pets']\nread-only = true");
    let listed = workplace.run(&["tools"]).await;
    assert_eq!(listed.stdout.lines().count(), 2, "{listed:?}");
    assert!(server.got.lock().unwrap().is_empty());
}

/// Policies are about arguments, which have the types of the document.
#[tokio::test]
async fn policies_are_about_the_arguments_of_operations() {
    let server = shop().await;
    let workplace = configured(&server, "");
    let policy = |condition: &str| {
        let text = format!(
            "@id(\"first\")\n@reason(\"the first pet stays\")\nforbid(principal, action == Action::\"pets.deletePet\", resource)\nwhen {{ {condition} }};\n"
        );
        workplace.file("policies/pets.cedar", text);
    };
    // An argument that the operation lacks, and one of another type.
    for condition in ["context.arguments.nme == \"1\"", "context.arguments.id > 1"] {
        policy(condition);
        let wrong = workplace.run(&["policy", "check"]).await;
        assert_eq!(wrong.code, Some(1), "{wrong:?}");
        assert!(wrong.stdout.contains("pets.cedar:"), "{wrong:?}");
    }
    policy("context.arguments.id == \"1\"");
    let script = "const of = async (id) => { try { return await pets.deletePet({ id }) } catch (error) { return [error.kind, error.message] } };
        return [await of('1'), await of('2')]";
    let value = value(&workplace, script).await;
    assert_eq!(value[0][0], "denied", "{value}");
    let why = value[0][1].as_str().unwrap();
    assert!(why.contains("the first pet stays"), "{value}");
    assert_eq!(value[1], json!(null));
    let got = server.got.lock().unwrap().clone();
    assert_eq!(got.len(), 1, "{got:?}");
    assert!(got[0].starts_with("DELETE /v1/pets/2 "), "{got:?}");
}
