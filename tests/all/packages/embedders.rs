//! Packages of a configuration in programs that embed Ampoule by its packages for Node, Python and C.

use ampoule::PackageFolder;
use ampoule_tests::command::Workplace;
use serde_json::json;

use super::greeting;
use super::npm;
use crate::embedders::Embedder;

async fn has_packages(embedder: Embedder) {
    let workplace = Workplace::default();
    let folder = PackageFolder::new(workplace.path().join("packages"));
    let python = greeting().kept(&folder).to_string();
    let npm = npm::greeting().kept(&folder).to_string();
    let table = |name: &str, package: &str| {
        format!(
            "[{name}]\nfolder = 'packages'\npackages = [{}]\n",
            json!(package)
        )
    };
    let config = table("python", &python) + &table("javascript", &npm);
    workplace.file("ampoule.toml", config);
    let python = "import greeting\nreturn greeting.greet('you')";
    let javascript = "import { greet } from 'greeting'; return greet('you')";
    for (language, code) in [("python", python), ("javascript", javascript)] {
        let options = json!({ "language": language });
        let returned = embedder.returned(&workplace, code, &options).await;
        assert_eq!(returned, json!("Hello, you"), "{language}");
    }
}

#[tokio::test]
async fn nodes_package_has_them() {
    let test = "packages::embedders::nodes_package_has_them";
    if let Some(embedder) = Embedder::node(test) {
        has_packages(embedder).await;
    }
}

#[tokio::test]
async fn pythons_package_has_them() {
    let test = "packages::embedders::pythons_package_has_them";
    if let Some(embedder) = Embedder::python(test) {
        has_packages(embedder).await;
    }
}

#[tokio::test]
async fn the_library_for_c_has_them() {
    let test = "packages::embedders::the_library_for_c_has_them";
    if let Some(embedder) = Embedder::c(test).await {
        has_packages(embedder).await;
    }
}
