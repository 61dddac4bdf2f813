//! What there is to say of a record before it is run again.

use ampoule_records::{Build, Record};

/// What there is to say where the record is of another build.
pub(super) fn other_build(record: &Record, now: &Build) -> Option<String> {
    let then = &record.head.build;
    if then.packages != now.packages {
        return Some(other_packages(then, now));
    }
    let what = match (then.version == now.version, then.guest == now.guest) {
        (true, true) => return None,
        (false, _) => format!("Ampoule {}, and this is {}", then.version, now.version),
        (true, false) => format!(
            "another interpreter ({:.8}, and this is {:.8})",
            then.guest, now.guest
        ),
    };
    Some(format!(
        "the record was made with {what}: the result may differ"
    ))
}

/// What there is to say where the record is of a run with other packages.
fn other_packages(then: &Build, now: &Build) -> String {
    let beside = |these: &[String], those: &[String]| {
        let others = these.iter().filter(|package| !those.contains(package));
        let names = others.map(|package| package.split(' ').next().unwrap_or_default());
        names.collect::<Vec<_>>().join(", ")
    };
    let missing = beside(&then.packages, &now.packages);
    let added = beside(&now.packages, &then.packages);
    let said = match (&*missing, &*added) {
        (missing, "") => format!("the packages {missing}, which are not here"),
        ("", added) => format!("fewer packages than are here: without {added}"),
        (missing, added) => format!("the packages {missing} instead of {added}"),
    };
    format!("the record was made with {said}: the result may differ")
}

/// What there is to say where secrets were redacted.
pub(super) fn blots(record: &Record) -> Option<String> {
    let blotted = record.ended.blotted;
    (blotted > 0).then(|| {
        format!(
            "secrets were redacted in the record, in {blotted} places, where the script sees `*`"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_says_which_packages_differ() {
        let with = |packages: &[&str]| Build {
            version: String::new(),
            guest: String::new(),
            packages: packages
                .iter()
                .map(|package| format!("{package} --hash=sha256:0"))
                .collect(),
        };
        for (then, now, says) in [
            (
                &["a==1", "b==1"][..],
                &["a==1"][..],
                "with the packages b==1, which are not here:",
            ),
            (
                &["a==1"],
                &["a==1", "b==1"],
                "with fewer packages than are here: without b==1:",
            ),
            (
                &["a==1"],
                &["a==2"],
                "with the packages a==1 instead of a==2:",
            ),
        ] {
            let said = other_packages(&with(then), &with(now));
            assert!(said.contains(says), "{said}");
        }
    }
}
