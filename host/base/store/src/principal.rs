//! The folder that belongs to a principal.

/// The folder of the local user, who has no principal.
pub const LOCAL: &str = "local";

/// The name of a principal's folder in a store; [`LOCAL`] without a principal.
///
/// The name is a hash, because a person may have chosen the principal's name: no principal can choose
/// a path, the folder [`LOCAL`], or the folder of another principal.
pub fn principal_folder(principal: Option<&str>) -> String {
    match principal {
        None => LOCAL.to_owned(),
        Some(name) => blake3::hash(name.as_bytes()).to_hex()[..32].to_owned(),
    }
}

/// Whether a name is one that [`principal_folder`] gives.
pub fn is_principal_folder(name: &str) -> bool {
    name == LOCAL || name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::{LOCAL, is_principal_folder, principal_folder};

    #[test]
    fn a_principal_keeps_the_name_of_its_folder() {
        assert_eq!(principal_folder(None), "local");
        assert_eq!(
            principal_folder(Some("")),
            "af1349b9f5f9a1a6a0404dea36dcc949"
        );
        assert_eq!(
            principal_folder(Some("abc")),
            "6437b3ac38465133ffb63b75273a8db5"
        );
    }

    #[test]
    fn no_principal_chooses_its_folder() {
        for name in [
            LOCAL, "", ".", "..", "../local", "/etc", "a/b", "a\\b", "a\0b",
        ] {
            let folder = principal_folder(Some(name));
            assert_eq!(folder.len(), 32, "{name}");
            assert!(
                folder.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "{name}: {folder}"
            );
            assert!(is_principal_folder(&folder), "{name}: {folder}");
        }
    }

    #[test]
    fn other_names_are_not_folders_of_principals() {
        assert!(is_principal_folder(LOCAL));
        for name in [
            "",
            "key",
            "approved",
            "af1349b9",
            "zf1349b9f5f9a1a6a0404dea36dcc949",
        ] {
            assert!(!is_principal_folder(name), "{name}");
        }
    }
}
