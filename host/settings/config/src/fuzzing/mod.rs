//! What must hold of configurations that nobody thought of: of whole files, of the texts in them, and
//! of what the console shows. Tests try some of them in each run.

use std::ffi::OsString;
use std::path::Path;

use ampoule_secrets::{Reference, is_sealed};

use crate::expand::{Surroundings, expand};
use crate::{User, file, shown_keys};

/// The value of a variable, which is shown nowhere.
const VALUE: &str = "hunter2-hunter2";
/// What stands for a secret in a file.
const SECRET: &str = "S3CRET";

fn user() -> User {
    let variables = [
        ("TOKEN", VALUE),
        ("TOOLS", "/opt/tools"),
        ("HOME", "/home/ada"),
    ];
    User {
        environment: variables
            .map(|(name, value)| (name.to_owned(), value.into()))
            .into(),
        ..User::default()
    }
}

/// A whole file: it is read, or each mistake is said without any value of a variable. Returns a
/// short description of the outcome.
///
/// # Panics
///
/// Where a mistake shows one, or a sign that a terminal would obey.
pub fn configuration(data: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(data) else {
        return "not text".to_owned();
    };
    let (file, folder) = (Path::new("etc/ampoule.toml"), Path::new("/srv/etc"));
    let (said, became) = match file::parse(file, folder, text, &user()) {
        Ok(config) => {
            let said: Vec<String> = config.disabled.values().map(ToString::to_string).collect();
            let counts = [
                config.servers.len(),
                config.schedules.len(),
                config.hooks.len(),
            ];
            (said.join("\n"), format!("{counts:?}"))
        }
        Err(error) => (error.to_string(), String::new()),
    };
    assert!(!said.contains(VALUE), "{said}");
    assert!(
        !said.contains(|c: char| c.is_control() && c != '\n'),
        "{said:?}"
    );
    became + &words_of(&said)
}

/// A text of a file: variables and references in it are replaced once. Returns a short
/// description of the outcome.
///
/// # Panics
///
/// Where something else is replaced, or a reference is another one when it is read again.
pub fn text(data: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(data) else {
        return "not text".to_owned();
    };
    let variable = |name: &str| match name {
        "TOKEN" => Some(OsString::from("${TOKEN}$$")),
        "EMPTY" => Some(OsString::new()),
        _ => None,
    };
    let around = |may_refer| Surroundings {
        folder: Path::new("/etc/ampoule"),
        environment: &variable,
        may_refer,
    };
    let made = expand(text, around(true));
    let elsewhere = expand(text, around(false));
    if let Ok(elsewhere) = &elsewhere {
        assert!(
            !is_sealed(elsewhere),
            "{text:?} refers to a secret of another's file"
        );
    }
    match &made {
        Ok(made) => {
            if !text.contains('$') {
                assert_eq!(made, text);
            }
            if is_sealed(made) {
                // A reference is read again as it was written.
                assert!(text.contains("${"), "{text:?}");
                assert!(!text.contains(['\u{fdd0}', '\u{fdd1}']), "{text:?}");
            }
        }
        Err(why) => assert!(!why.contains(|c: char| c.is_control()), "{why:?}"),
    }
    match Reference::parse(text, Path::new("/etc/ampoule")) {
        // No configuration has the signs that stand around a seal.
        Ok(_) if is_sealed(text) => "sealed".to_owned(),
        Ok(reference) => {
            let seal = reference.seal();
            assert!(is_sealed(&seal));
            let written = seal.trim_matches(['\u{fdd0}', '\u{fdd1}']);
            let again = Reference::parse(written, Path::new("/elsewhere"));
            assert_eq!(again.as_ref(), Ok(&reference), "{text:?}");
            assert!(
                !reference.to_string().contains(char::is_control),
                "{reference}"
            );
            let kind = reference.to_string();
            let kind = kind.split(':').next().unwrap_or_default();
            format!("a reference of {kind}")
        }
        Err(why) => match made {
            Ok(made) => format!("{} {}", made.len().min(8), is_sealed(&made)),
            Err(_) => why.to_owned(),
        },
    }
}

/// The keys whose values may hold secrets, with the secret in the value.
const HIDDEN: [&str; 9] = [
    "[servers.a]\ncommand = 'a'\nargs = [VALUE]\n",
    "[servers.a]\ncommand = 'a'\nenv = { A = VALUE }\n",
    "[servers.a]\nurl = 'https://a.example'\nheaders = { A = VALUE }\n",
    "[servers.a]\nurl = 'https://a.example'\nheaders-command = ['a', VALUE]\n",
    "[servers.a]\nopenapi = 'a.yaml'\ncredentials = { a = VALUE }\nserver-variables = { a = VALUE }\n",
    "[serve.auth]\ntokens-command = ['a', VALUE]\n",
    "[approvals.webhook]\nsecret = VALUE\nanswer-secret = VALUE\n",
    "[[audit.export]]\nheaders.A = VALUE\n[[outbound.allow]]\nheaders = { A = VALUE }\n",
    "[servers.a.auth]\nclient-secret = VALUE\nexchange = { client-secret = VALUE }\n[chat]\nkey = VALUE\n[hooks.a]\nsecret = VALUE\n[console]\nclient-secret = VALUE\n",
];
/// The keys whose values are addresses.
const ADDRESSES: [&str; 6] = [
    "[servers.a]\nurl = VALUE\n",
    "[servers.a]\nopenapi = VALUE\nbase-url = VALUE\n",
    "[servers.a.accounts.b]\nurl = VALUE\n",
    "[serve]\norigins = [VALUE, 'https://a.example']\n",
    "[approvals.webhook]\nurl = VALUE\n",
    "[[audit.export]]\nendpoint = VALUE\n",
];

/// What the console shows of keys that hold a secret, and of addresses with a secret in them. The
/// first byte chooses the key, the lines are parts of its value. Returns a short description of the
/// outcome.
///
/// # Panics
///
/// Where the secret is shown.
pub fn shown(data: &[u8]) -> String {
    let (Some(first), Ok(rest)) = (
        data.first(),
        std::str::from_utf8(data.get(1..).unwrap_or_default()),
    ) else {
        return "not text".to_owned();
    };
    let parts: Vec<&str> = rest.split('\n').collect();
    let part = |place: usize| parts.get(place).copied().unwrap_or_default();
    let place = usize::from(*first) % (HIDDEN.len() + 2 * ADDRESSES.len());
    let (table, value) = match HIDDEN.get(place) {
        Some(table) => (table, format!("{}{SECRET}{}", part(0), part(1))),
        None => {
            let [scheme, user, host, path, query, rest] = [0, 1, 2, 3, 4, 5].map(part);
            // What is `file` is a path, and what has no scheme is not an address.
            let scheme = match scheme.trim().eq_ignore_ascii_case("file") || scheme.is_empty() {
                true => "https",
                false => scheme,
            };
            let place = place - HIDDEN.len();
            let user = match place < ADDRESSES.len() {
                // A password may have any sign in it.
                true => format!("{user}:{SECRET}{rest}@"),
                false => String::new(),
            };
            let value = format!("{scheme}://{user}{host}/{path}{SECRET}?{query}={SECRET}#{SECRET}");
            (&ADDRESSES[place % ADDRESSES.len()], value)
        }
    };
    let quoted = toml::Value::String(value).to_string();
    let text = table.replace("VALUE", &quoted);
    match shown_keys(&text) {
        Ok(keys) => {
            for key in &keys {
                let value = key.value.as_deref().unwrap_or_default();
                assert!(
                    !value.contains(SECRET),
                    "{} shows {value} of {text}",
                    key.key
                );
            }
            format!("{place}: {} keys", keys.len())
        }
        Err(why) => format!("{place}: {}", words_of(&why)),
    }
}

/// The words of a sentence, without what it quotes and counts.
fn words_of(said: &str) -> String {
    let mut is_quoted = false;
    let words = said.chars().filter(|c| {
        is_quoted ^= *c == '`';
        !is_quoted && !c.is_ascii_digit()
    });
    words.take(80).collect()
}

#[cfg(test)]
mod tests;
