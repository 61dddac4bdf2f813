//! What becomes of hostile words in TypeScript, as its compiler reads it: the modules that Ampoule
//! writes, and the types that jco makes of its WIT.

use std::path::{Path, PathBuf};

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::prepared;
use serde_json::Value;

use super::{
    SERVERS, assert_same_shapes, files, generated, harmless_tools, hostile_tools, lines, looker,
};

/// What the compiler says of files: a line for each.
async fn shapes(workplace: &Workplace, node: &Path, files: &[PathBuf]) -> Vec<String> {
    let arguments = [looker("shape.cjs"), node.join("node_modules/typescript")];
    lines(workplace, Path::new("node"), &arguments, files).await
}

#[tokio::test]
async fn modules_in_typescript_are_those_of_harmless_words() {
    let Some(node) = prepared(
        "modules_in_typescript_are_those_of_harmless_words",
        "AMPOULE_TEST_NODE",
    ) else {
        return;
    };
    let mut all = Vec::new();
    for tools in [hostile_tools(), harmless_tools()] {
        let workplace = generated(&tools, "typescript").await;
        let files = files(&workplace, "guest", ".ts");
        all.push(shapes(&workplace, &node, &files).await);
    }
    let harmless = all.pop().expect("two");
    let hostile = all.pop().expect("two");
    // No file is wrong, or has an order to the compiler: but for the two that refer to others.
    let own = [1, SERVERS].map(|count| format!("[[0,0,1,{count}],"));
    let (own, others): (Vec<_>, Vec<_>) = hostile
        .iter()
        .partition(|shape| own.iter().any(|own| shape.starts_with(own)));
    assert_eq!(own.len(), 2, "{hostile:#?}");
    assert!(
        others.iter().all(|shape| shape.starts_with("[[0,0,0,0],")),
        "{hostile:#?}"
    );
    assert_same_shapes(hostile, harmless);
}

/// The files that jco makes for the world of these tools, for components and for those that run
/// them, and what the compiler says of them.
async fn types_of_jco(tools: &[Value], node: &Path) -> Vec<String> {
    let workplace = generated(tools, "wit").await;
    let made = workplace.path().join("types");
    let mut jco = workplace.command("node", &[]);
    jco.arg(looker("types.mjs")).arg(node);
    let ran = ended({
        jco.args([&workplace.path().join("guest/wit"), &made]);
        jco
    })
    .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let files = files(&workplace, "types", ".d.ts");
    shapes(&workplace, node, &files).await
}

#[tokio::test]
async fn the_types_of_jco_are_those_of_harmless_words() {
    let Some(node) = prepared(
        "the_types_of_jco_are_those_of_harmless_words",
        "AMPOULE_TEST_NODE",
    ) else {
        return;
    };
    let hostile = types_of_jco(&hostile_tools(), &node).await;
    let harmless = types_of_jco(&harmless_tools(), &node).await;
    // For each server a file of either kind, and some besides.
    assert!(harmless.len() > 24, "{harmless:#?}");
    assert_same_shapes(hostile, harmless);
}
