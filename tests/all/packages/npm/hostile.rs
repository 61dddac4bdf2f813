//! Tarballs that are not what they should be. Each is refused when JavaScript is first needed,
//! whatever the script is, with a sentence that names the package.

use ampoule::{Limits, PackageFolder, RuntimeBuilder};

use super::{Tarball, run, with};

async fn refused(builder: RuntimeBuilder) -> String {
    let runtime = builder.build().expect("a runtime");
    let error = run(&runtime, "return 1").await.expect_err("it is refused");
    assert!(error.is_config(), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn tarballs_that_are_not_what_they_must_be_are_refused() {
    let bad = |keys| Tarball::new("bad", keys);
    let cases = [
        (
            bad("").entry("package/../../bad.js", "1"),
            "leads out of the package",
        ),
        (
            bad("").entry("/etc/bad.js", "1"),
            "leads out of the package",
        ),
        (
            bad("").file("fast.node", "1"),
            "fast.node belongs to compiled code",
        ),
        (
            bad(r#""scripts":{"install":"make"}"#),
            "it has the install script `install`",
        ),
        (bad(r#""version":"2.0.0""#), "it says that it is bad 2.0.0"),
        (
            bad(r#""main":"a.js""#).file("a.js", "require('stream')"),
            "its module \"bad\" can't be imported here: Error: /packages/bad/a.js imports \"stream\", which is not here",
        ),
        (
            bad(r#""main":"a.js""#).file("a.js", "throw new RangeError('no')"),
            "its module \"bad\" can't be imported here: RangeError: no",
        ),
    ];
    for (tarball, says) in cases {
        let folder = tempfile::tempdir().unwrap();
        let said = refused(with(folder.path(), &[tarball])).await;
        assert!(said.contains("the package `bad` can't be used"), "{said}");
        assert!(said.contains(says), "{said}");
        assert!(said.contains("`ampoule javascript rm bad`"), "{said}");
    }
    let folder = tempfile::tempdir().unwrap();
    let said = refused(with(folder.path(), &[Tarball::new("path", "")])).await;
    assert!(
        said.contains("the name of a module that scripts have already"),
        "{said}"
    );
}

#[tokio::test]
async fn a_tarball_that_expands_without_end_is_refused_before_it_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let bomb = Tarball::new("bomb", "").file("zeros.bin", vec![0; 300 << 20]);
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
    let module = |text| Tarball::new("bad", r#""main":"a.js""#).file("a.js", text);
    let loops = module("for (;;);");
    let grows = module("const held = []; for (;;) held.push(new Uint8Array(1 << 20).fill(1));");
    // The limit on fuel ends everything. A lack of memory is an error of the module that asked.
    let cases = [
        (loops, "fuel", "the import of `bad` was under way"),
        (
            grows,
            "out of memory",
            "its module \"bad\" can't be imported",
        ),
    ];
    for (tarball, limit, names) in cases {
        let folder = tempfile::tempdir().unwrap();
        let said = refused(with(folder.path(), &[tarball]).ceilings(limits)).await;
        assert!(
            said.contains("can't be imported") && said.contains(limit),
            "{said}"
        );
        assert!(said.contains(names), "{said}");
    }
}

#[tokio::test]
async fn of_many_packages_the_one_that_awaits_for_ever_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let good = Tarball::new("good", r#""main":"a.js""#).file("a.js", "exports.value = 1");
    let stuck = Tarball::new("stuck", r#""main":"a.mjs""#).file(
        "a.mjs",
        "console.log('loading'); await new Promise(() => {})",
    );
    let said = refused(with(folder.path(), &[good, stuck])).await;
    assert!(said.contains("good, stuck can't be imported"), "{said}");
    let says = "the import of `stuck` was under way";
    assert!(said.contains(says), "{said}");
}

#[tokio::test]
async fn a_tarball_that_was_changed_or_is_no_archive_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    // No other test has this package: its code is not compiled already.
    let changed = Tarball::new("changed", r#""main":"a.js""#).file("a.js", "exports.value = 1");
    let builder = with(folder.path(), &[changed]);
    for file in std::fs::read_dir(folder.path().join("packages")).unwrap() {
        std::fs::write(file.unwrap().path(), "altered").unwrap();
    }
    let said = refused(builder).await;
    let says = "the tarball of changed@1.0.0";
    assert!(
        said.contains(says) && said.contains("another digest"),
        "{said}"
    );

    let noise = PackageFolder::new(folder.path().join("noise"));
    let package = noise
        .keep_tarball("noise", "1.0.0", b"not an archive")
        .unwrap();
    let builder = ampoule_tests::runtime_builder().javascript_packages(noise, vec![package]);
    let said = refused(builder).await;
    assert!(
        said.contains("the package `noise` can't be used: its archive can't be read"),
        "{said}"
    );
}
