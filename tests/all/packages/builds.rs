//! Nothing of a package runs on this machine when it is added: neither what would build it, nor what
//! lies in the folder that the user is in.

use std::path::Path;

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::prepared;
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};

use super::Wheel;

/// A source package whose build writes a file.
fn source(marker: &Path) -> Vec<u8> {
    let project = "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n\
                   [project]\nname = 'evil'\nversion = '1.0'\n";
    let backend = format!("open({:?}, 'w').close()\n", marker.display().to_string());
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, text) in [
        ("evil-1.0/pyproject.toml", project.to_owned()),
        ("evil-1.0/backend.py", backend),
        (
            "evil-1.0/PKG-INFO",
            "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n".to_owned(),
        ),
    ] {
        let mut header = Header::new_gnu();
        header.set_mode(0o644);
        header.set_size(text.len() as u64);
        archive
            .append_data(&mut header, name, text.as_bytes())
            .expect("an entry");
    }
    let compressed = archive.into_inner().expect("an archive");
    compressed.finish().expect("an archive")
}

/// Runs `ampoule` with Python and pip before all other programs.
async fn run(workplace: &Workplace, programs: &Path, arguments: &[&str]) -> Ran {
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = [programs.to_owned()]
        .into_iter()
        .chain(std::env::split_paths(&old));
    let mut command = workplace.command(binary(), arguments);
    command.env("PATH", std::env::join_paths(all).expect("paths"));
    ended(command).await
}

#[tokio::test]
async fn no_package_of_python_is_built() {
    let Some(python) = prepared("no_package_of_python_is_built", "AMPOULE_TEST_PYTHON") else {
        return;
    };
    let programs = python.join("venv/bin");
    let workplace = Workplace::default();
    let marker = workplace.path().join("built");
    workplace.file("evil-1.0.tar.gz", source(&marker));
    let needs = format!(
        "Metadata-Version: 2.1\nName: nice\nVersion: 1.0\nRequires-Dist: evil @ file://{}\n",
        workplace.path().join("evil-1.0.tar.gz").display()
    );
    let nice = Wheel::bare("nice")
        .file("nice-1.0.dist-info/METADATA", needs)
        .file("nice.py", "");
    let file = format!("wheels/{}", nice.file_name());
    workplace.file(&file, nice.bytes());
    // In the folder that the user is in, there is something by the name of pip.
    let found = workplace.path().join("found");
    let found = format!("open({:?}, 'w').close()\n", found.display().to_string());
    workplace.file("pip.py", found);
    let built = [
        (
            &["python", "add", "nice", "--from", "wheels"][..],
            "would have to be built",
        ),
        (&["python", "add", &file], "would have to be built"),
        (
            &["python", "add", "evil-1.0.tar.gz"],
            "is not the name of a package",
        ),
        (
            &[
                "python",
                "add",
                "git+https://example.com/x-1.0-py3-none-any.whl",
            ],
            "is not the name",
        ),
    ];
    for (arguments, says) in built {
        let ran = run(&workplace, &programs, arguments).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(says), "{ran:?}");
    }
    for file in ["built", "found"] {
        assert!(!workplace.path().join(file).exists(), "{file}");
    }
}
