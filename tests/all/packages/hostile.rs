//! Wheels that are not what they should be. Each is refused when Python is first needed, whatever the
//! script is, with a sentence that names the package.

use ampoule::{Limits, RuntimeBuilder};

use super::{Wheel, greeting, run, with};

async fn refused(builder: RuntimeBuilder) -> String {
    let runtime = builder.build().expect("a runtime");
    let error = run(&runtime, "return 1").await.expect_err("it is refused");
    assert!(error.is_config(), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn wheels_whose_files_are_not_as_recorded_are_refused() {
    let cases = [
        (
            Wheel::new("bad").unrecorded("bad.py", "1"),
            "bad.py is not what its RECORD says",
        ),
        (
            Wheel::new("bad").file("../../bad.py", "1"),
            "'../../bad.py' leads out of the package",
        ),
        (
            Wheel::new("bad").file("/etc/bad.py", "1"),
            "leads out of the package",
        ),
        (
            Wheel::new("bad").file("json.py", "1"),
            "its module `json` has the name of one that Python has here already",
        ),
        (
            Wheel::new("bad").file("tools/__init__.py", "1"),
            "its module `tools` has the name",
        ),
        (
            Wheel::new("bad").file("bad/fast.cpython-314-x86_64-linux-gnu.so", "1"),
            "is compiled code",
        ),
        (
            Wheel::new("bad").file("bad/__init__.py", "import numpy\n"),
            "its module `bad` can't be imported here: ModuleNotFoundError",
        ),
        (
            Wheel::new("bad").file("bad.py", "raise SystemExit(3)"),
            "its module `bad` can't be imported here: SystemExit: 3",
        ),
    ];
    for (wheel, says) in cases {
        let folder = tempfile::tempdir().unwrap();
        let said = refused(with(folder.path(), &[wheel])).await;
        assert!(said.contains("the package `bad` can't be used"), "{said}");
        assert!(said.contains(says), "{said}");
        assert!(said.contains("`ampoule python rm bad`"), "{said}");
    }
}

#[tokio::test]
async fn two_packages_with_different_files_of_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let other = Wheel::new("other").file("greeting/words.py", "HELLO = 'Bye'\n");
    let said = refused(with(folder.path(), &[greeting(), other])).await;
    let says =
        "the package `other` can't be used: another package has the file greeting/words.py, too";
    assert!(said.contains(says), "{said}");
}

#[tokio::test]
async fn a_wheel_that_expands_without_end_is_refused_before_it_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let bomb = Wheel::new("bomb").file("bomb/zeros.bin", vec![0; 300 << 20]);
    let said = refused(with(folder.path(), &[bomb])).await;
    let says = "all packages together are larger than 256 MiB when unpacked";
    assert!(said.contains(says), "{said}");
}

#[tokio::test]
async fn an_import_that_loops_or_takes_all_memory_ends_at_a_limit() {
    let limits = Limits {
        fuel: 2_000_000_000,
        ..Limits::default_ceilings()
    };
    let loops = Wheel::new("loops").file("loops.py", "while True:\n    pass\n");
    let grows = Wheel::new("grows").file(
        "grows.py",
        "held = []\nwhile True:\n    held.append(bytes(1 << 20))\n",
    );
    for (wheel, limit) in [(loops, "fuel"), (grows, "memory")] {
        let folder = tempfile::tempdir().unwrap();
        let said = refused(with(folder.path(), &[wheel]).ceilings(limits)).await;
        assert!(
            said.contains("can't be imported") && said.contains(limit),
            "{said}"
        );
        assert!(said.contains("s` was under way"), "{said}");
    }
}

#[tokio::test]
async fn bytes_that_are_no_archive_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let wheels = ampoule::PackageFolder::new(folder.path());
    let name = ampoule::WheelName::of("noise-1.0-py3-none-any.whl").unwrap();
    let package = wheels.keep_wheel(&name, b"not an archive").unwrap();
    let builder = ampoule_tests::runtime_builder().python_packages(wheels, vec![package]);
    let said = refused(builder).await;
    assert!(
        said.contains("the package `noise` can't be used: File is not a zip file"),
        "{said}"
    );
}

#[tokio::test]
async fn a_wheel_that_was_changed_or_removed_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = Wheel::new("changed").file("changed.py", "VALUE = 1\n");
    let builder = with(folder.path(), &[wheel]);
    let kept = folder.path().join("packages");
    let file = std::fs::read_dir(&kept)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let other = Wheel::new("changed").file("changed.py", "VALUE = 2\n");
    std::fs::write(&file, other.bytes()).unwrap();
    let said = refused(builder).await;
    assert!(
        said.contains("the wheel of changed==1.0") && said.contains("another digest"),
        "{said}"
    );

    let wheel = Wheel::new("removed").file("removed.py", "VALUE = 1\n");
    let builder = with(folder.path(), &[wheel]);
    std::fs::remove_dir_all(&kept).unwrap();
    let said = refused(builder).await;
    assert!(
        said.contains("run `ampoule python add removed==1.0`"),
        "{said}"
    );
}
