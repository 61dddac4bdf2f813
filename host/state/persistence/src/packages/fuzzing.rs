//! What must hold of packages' names, versions and digests that nobody thought of, as a configuration
//! or the name of a wheel's file has them. Tests try some of them in each run, `tests/fuzz` tries more.

use super::{Ecosystem, Package, PackageError, WheelName};

/// A line of a configuration, or the name of a wheel's file: a package that is taken is the same when
/// it is read again, and is neither an option nor a path to those that get its name. Says what became
/// of it.
///
/// # Panics
///
/// Where something of that does not hold.
pub fn package(data: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(data) else {
        return "not text".to_owned();
    };
    // Of a digest, there is little to try: where none is written, this one is.
    let line = match text.contains(" --hash=") {
        true => text.to_owned(),
        false => format!("{text} --hash=sha256:{}", "0".repeat(64)),
    };
    let mut became = String::new();
    for ecosystem in [Ecosystem::Python, Ecosystem::Npm] {
        became += match ecosystem.package(&line) {
            Ok(package) => {
                check(&package, ecosystem);
                " a package"
            }
            Err(PackageError::Form | PackageError::NpmForm) => " none",
            Err(error) => panic!("{text:?}: {error}"),
        };
    }
    match WheelName::of(text) {
        Ok(wheel) => {
            let digest = "0".repeat(64);
            let package = Package::new(wheel.name(), wheel.version(), &digest);
            check(&package.expect("a wheel is a package"), Ecosystem::Python);
            // As it is put beside others for pip.
            let name = wheel.name().replace('-', "_");
            let file = format!("{name}-{}-py3-none-any.whl", wheel.version());
            assert_eq!(WheelName::of(&file).ok().as_ref(), Some(&wheel), "{text:?}");
            became + " a wheel"
        }
        Err(PackageError::Compiled { .. }) => became + " compiled",
        Err(_) => became,
    }
}

fn check(package: &Package, ecosystem: Ecosystem) {
    let again = ecosystem.package(&package.to_string());
    assert_eq!(again.ok().as_ref(), Some(package));
    assert!(package.is_called(package.name()), "{package}");
    let pinned = package.pinned();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@/-._~+!=".contains(c);
    assert!(pinned.chars().all(is_plain), "{pinned:?}");
    assert!(!pinned.starts_with(['-', '.', '/']), "{pinned:?}");
    let mut steps = pinned.split('/');
    assert!(!steps.any(|step| step == ".." || step == "."), "{pinned:?}");
}

#[cfg(test)]
mod tests {
    use ampoule_mutated::Inputs;

    #[test]
    fn packages_are_what_they_are_read_as() {
        let inputs = Inputs {
            right: &[
                b"tabulate==0.9.0 --hash=sha256:024ca478df22e9340661486f85298cff5f6dcdba14f3813e8830015b9ed1948f",
                b"dayjs@1.11.23 --hash=sha256:024ca478df22e9340661486f85298cff5f6dcdba14f3813e8830015b9ed1948f",
                b"@scope/name@1.0.0-beta.1+x --hash=sha256:024ca478df22e9340661486f85298cff5f6dcdba14f3813e8830015b9ed1948f",
                b"tabulate==0.9.0",
                b"dayjs@1.11.23",
                b"@scope/name@1.0.0-beta.1+x",
                b"et_xmlfile-2.0.0-1-py3-none-any.whl",
                b"six-1.16.0-py2.py3-none-any.whl",
            ],
            words: &[
                "==", "@", "/", "-", "--", "..", ".", "~", " ", "--hash=sha256:", "py3", "none", "any", ".whl", "_",
                "+", "!", "1!2.0", "A", "\n",
            ],
            cases: 40_000,
        };
        inputs.tried(super::package);
    }
}
