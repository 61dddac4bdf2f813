use super::{Ecosystem, Package, PackageError, PackageFolder, WheelName};

const DIGEST: &str = "024ca478df22e9340661486f85298cff5f6dcdba14f3813e8830015b9ed1948f";

#[test]
fn a_package_is_written_as_in_requirements_of_pip() {
    let text = format!("ruamel-yaml==0.18.6 --hash=sha256:{DIGEST}");
    let package: Package = text.parse().unwrap();
    assert_eq!(
        (package.name(), package.version()),
        ("ruamel-yaml", "0.18.6")
    );
    assert_eq!(package.to_string(), text);
    assert!(package.is_called("Ruamel.YAML") && !package.is_called("ruamel"));
    for wrong in [
        "tabulate",
        "tabulate==0.9.0",
        "tabulate --hash=sha256:00",
        &format!("tabulate>=0.9.0 --hash=sha256:{DIGEST}"),
        &format!("../tabulate==0.9.0 --hash=sha256:{DIGEST}"),
        &format!("tabulate==../9 --hash=sha256:{DIGEST}"),
        &format!("tabulate==0.9.0 --hash=md5:{DIGEST}"),
        &format!("tabulate==0.9.0 --hash=sha256:{}", DIGEST.to_uppercase()),
        &format!("tabulate==0.9.0 --hash=sha256:{DIGEST}00"),
    ] {
        assert!(wrong.parse::<Package>().is_err(), "{wrong}");
    }
}

#[test]
fn only_names_of_wheels_of_pure_python_are_taken() {
    for (file, name, version) in [
        ("tabulate-0.9.0-py3-none-any.whl", "tabulate", "0.9.0"),
        ("six-1.16.0-py2.py3-none-any.whl", "six", "1.16.0"),
        ("et_xmlfile-2.0.0-1-py3-none-any.whl", "et-xmlfile", "2.0.0"),
    ] {
        let wheel = WheelName::of(file).unwrap();
        assert_eq!((wheel.name(), wheel.version()), (name, version));
    }
    for compiled in [
        "PyYAML-6.0.2-cp314-cp314-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
        "old-1.0-py2-none-any.whl",
        "tool-1.0-py3-none-win_amd64.whl",
    ] {
        let refused = WheelName::of(compiled).unwrap_err().to_string();
        assert!(
            refused.contains(compiled) && refused.contains("py3-none-any"),
            "{refused}"
        );
    }
    for wrong in [
        "tabulate-0.9.0.tar.gz",
        "a.whl",
        "../a-1-py3-none-any.whl",
        "a-1/2-py3-none-any.whl",
    ] {
        assert!(
            matches!(WheelName::of(wrong), Err(PackageError::FileName(_))),
            "{wrong}"
        );
    }
}

#[test]
fn a_wheel_is_kept_by_its_digest_and_one_that_was_changed_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = PackageFolder::new(place.path().join("packages"));
    let name = WheelName::of("tabulate-0.9.0-py3-none-any.whl").unwrap();
    let package = folder.keep_wheel(&name, b"bytes").unwrap();
    assert_eq!(folder.archive(&package).unwrap(), b"bytes");
    let other = folder.keep_wheel(&name, b"other").unwrap();
    assert_ne!(package.digest(), other.digest());
    assert_eq!(
        folder.archives(&[other, package.clone()]).unwrap(),
        [b"other", b"bytes"]
    );

    let file = folder.path().join(format!("{}.whl", package.digest()));
    std::fs::write(&file, b"altered").unwrap();
    let altered = folder.archive(&package).unwrap_err().to_string();
    assert!(
        altered.contains("another digest") && altered.contains("ampoule python add"),
        "{altered}"
    );
    std::fs::remove_file(&file).unwrap();
    let missing = folder.archive(&package).unwrap_err().to_string();
    assert!(
        missing.contains("run `ampoule python add tabulate==0.9.0`"),
        "{missing}"
    );
}

#[test]
fn a_package_of_npm_is_written_with_its_digest_and_its_tarball_is_kept_by_it() {
    for (name, version) in [("dayjs", "1.11.23"), ("@scope/some.name", "2.0.0-beta.1+x")] {
        let text = format!("{name}@{version} --hash=sha256:{DIGEST}");
        let package = Ecosystem::Npm.package(&text).unwrap();
        assert_eq!((package.name(), package.version()), (name, version));
        assert_eq!(package.to_string(), text);
        assert!(package.is_called(name) && !package.is_called("other"));
        assert!(Ecosystem::Python.package(&text).is_err());
    }
    for wrong in [
        "dayjs",
        "dayjs@1.0.0",
        &format!("dayjs==1.0.0 --hash=sha256:{DIGEST}"),
        &format!("../dayjs@1.0.0 --hash=sha256:{DIGEST}"),
        &format!("@scope@1.0.0 --hash=sha256:{DIGEST}"),
        &format!("@a/b/c@1.0.0 --hash=sha256:{DIGEST}"),
        &format!("dayjs@../1 --hash=sha256:{DIGEST}"),
        &format!("dayjs@latest --hash=sha256:{DIGEST}"),
        &format!("dayjs@1.0.0 --hash=sha512:{DIGEST}"),
    ] {
        assert!(Ecosystem::Npm.package(wrong).is_err(), "{wrong}");
    }
    let place = tempfile::tempdir().unwrap();
    let folder = PackageFolder::new(place.path().join("packages"));
    let package = folder.keep_tarball("dayjs", "1.0.0", b"bytes").unwrap();
    assert_eq!(folder.archive(&package).unwrap(), b"bytes");
    let file = folder.path().join(format!("{}.tgz", package.digest()));
    std::fs::write(&file, b"altered").unwrap();
    let altered = folder.archive(&package).unwrap_err().to_string();
    assert!(
        altered.contains("the tarball of dayjs@1.0.0")
            && altered.contains("`ampoule javascript add dayjs@1.0.0`"),
        "{altered}"
    );
}

#[test]
fn more_packages_than_there_may_be_are_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let packages: Vec<Package> = (0..=100)
        .map(|number| Package::new(&format!("p{number}"), "1", &"0".repeat(64)).unwrap())
        .collect();
    let error = PackageFolder::new(folder.path())
        .archives(&packages)
        .unwrap_err();
    assert!(matches!(error, PackageError::TooMany(101)), "{error}");
}

#[test]
fn downloads_are_read_only_as_far_as_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a", "b"].map(|name| folder.path().join(name));
    for file in &files {
        let file = std::fs::File::create(file).unwrap();
        file.set_len(40 << 20).unwrap();
    }
    let error = PackageFolder::read(&files).unwrap_err();
    assert!(matches!(error, PackageError::TooLarge { .. }), "{error}");
    assert_eq!(PackageFolder::read(&files[..1]).unwrap()[0].len(), 40 << 20);
}
