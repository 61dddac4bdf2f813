//! Packages of npm that the operator added.

mod cli;
mod hostile;
mod imports;
mod lasting;
mod real;
mod tarball;

use std::path::Path;

use ampoule::{Error, Outcome, Package, PackageFolder, Runtime, RuntimeBuilder, Script};
use ampoule_tests::{runtime_builder, test_tools};
use serde_json::Value;

use tarball::Tarball;

/// A runtime with these packages; the folder has their tarballs.
fn with(folder: &Path, tarballs: &[Tarball]) -> RuntimeBuilder {
    let folder = PackageFolder::new(folder.join("packages"));
    let packages: Vec<Package> = tarballs.iter().map(|it| it.kept(&folder)).collect();
    runtime_builder()
        .binding(test_tools())
        .javascript_packages(folder, packages)
}

async fn run(runtime: &Runtime, source: &str) -> Result<Outcome, Error> {
    runtime.isolate(Script::typescript(source)).run().await
}

/// What a script returns.
async fn value(runtime: &Runtime, source: &str) -> Value {
    let outcome = run(runtime, source).await.expect("it runs");
    outcome
        .value()
        .unwrap_or_else(|error| panic!("{error}: {}", outcome.ending))
}

/// A package of ES modules, one of which is not loaded beforehand.
pub(in crate::packages) fn greeting() -> Tarball {
    let exports = r#""type":"module","exports":{".":"./index.js","./late/*":"./late/*.js"}"#;
    Tarball::new("greeting", exports)
        .file(
            "index.js",
            "import { HELLO } from './words.js';\nexport const loads = [1];\n\
             export const greet = (name) => `${HELLO}, ${name}`;\n\
             export default greet;\n\
             export const broken = () => { throw new TypeError('inside') };\n\
             export const spin = () => { for (;;); };\n",
        )
        .file("words.js", "export const HELLO = 'Hello';\n")
        .file("late/value.js", "export const VALUE = 42;\n")
}

/// The bytes of that package, with these files besides, by whatever name.
pub(crate) fn changed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut tarball = greeting();
    for (name, content) in files {
        tarball = tarball.entry(name, *content);
    }
    tarball.bytes()
}
