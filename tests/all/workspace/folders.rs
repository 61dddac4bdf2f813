//! Grants: runs without files, folders of the operator's, and principals.

use ampoule::{Sharing, Workspaces};
use serde_json::json;

use super::*;

#[tokio::test]
async fn without_a_workspace_errors_say_how_to_get_one() {
    let runtime = runtime_builder().build().unwrap();
    for (script, told) in [
        (
            Script::typescript("import fs from 'node:fs'; return fs.readFileSync('x')"),
            "--workspace FOLDER",
        ),
        (Script::python("open('x')"), "--workspace FOLDER"),
        (
            Script::python("import os\nos.listdir('x')"),
            "--workspace FOLDER",
        ),
    ] {
        let outcome = runtime.isolate(script).run().await.unwrap();
        let ending = outcome.ending.to_string();
        assert!(ending.contains(told), "{ending}");
    }
    let path = Script::typescript("import path from 'node:path'; return path.join('a', '../b')");
    let outcome = runtime.isolate(path).run().await.unwrap();
    assert_eq!(value(&outcome, ""), json!("b"));
}

#[tokio::test]
async fn each_principal_has_files_of_its_own_unless_they_share_them() {
    let above = tempfile::tempdir().unwrap();
    for (sharing, found) in [(Sharing::ByPrincipal, false), (Sharing::Project, true)] {
        let workspaces = Workspaces::new(
            above.path().join(format!("{sharing:?}")),
            sharing,
            Quota::default(),
        );
        let runtime = runtime_builder().workspaces(workspaces).build().unwrap();
        let run = async |who: &str, source: &str| {
            let isolate = runtime.isolate(Script::typescript(source)).principal(who);
            value(&isolate.run().await.unwrap(), source)
        };
        run(
            "ada",
            "import fs from 'fs'; fs.writeFileSync('x', 'ada'); return 1",
        )
        .await;
        let looks = "import fs from 'fs'; return fs.existsSync('x')";
        assert_eq!(run("ada", looks).await, json!(true));
        assert_eq!(run("bob", looks).await, json!(found));
    }
}

#[tokio::test]
async fn folders_of_the_operators_are_read_or_written() {
    let above = tempfile::tempdir().unwrap();
    for name in ["in", "out"] {
        fs::create_dir(above.path().join(name)).unwrap();
    }
    fs::write(above.path().join("in/r"), "r").unwrap();
    let folder =
        |name: &str| Workspace::folder(&above.path().join(name), name == "out", Quota::default());
    let runtime = runtime_builder()
        .folder("in", folder("in").unwrap())
        .folder("out", folder("out").unwrap())
        .build()
        .unwrap();
    let source = "
import os
got = [os.listdir('/folders'), open('/folders/in/r').read()]
open('/folders/out/w', 'w').write('w')
for path in ('/folders/in/w', '/folders/none/w'):
    try: open(path, 'w')
    except OSError as error: got.append(f'{type(error).__name__} {error.strerror}')
# Its working folder is in memory.
open('w', 'w').write('x')
got.append([os.listdir('.'), os.listdir('/')])
return got";
    let outcome = runtime.isolate(Script::python(source)).run().await.unwrap();
    let expected = json!([
        ["in", "out"],
        "r",
        "OSError Read-only file system: `/folders/in` is granted for reading only",
        "FileNotFoundError No such file or directory: this run has /folders/in, /folders/out",
        [["w"], ["folders", "tmp", "workspace"]],
    ]);
    assert_eq!(value(&outcome, source), expected);
    assert_eq!(fs::read_to_string(above.path().join("out/w")).unwrap(), "w");
}
