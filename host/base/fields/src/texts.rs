//! Texts, alone and in lists and tables.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::{self, DeserializeOwned, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A text, or texts, in which `${NAME}` stands for a variable of the environment.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename = "$ampoule::expanded")]
pub struct ExpandedText<T = String>(T);

impl<T> ExpandedText<T> {
    /// What is written, with its variables replaced.
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// A text with variables whose values may be secrets: the reader notes them, so that they can be
/// redacted in messages.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename = "$ampoule::secret")]
#[schemars(with = "String")]
pub struct SecretText(pub String);

/// A text with variables whose values may be secrets, and with references to secrets, which stay
/// sealed: `ampoule-secrets` opens them.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename = "$ampoule::sealed")]
#[schemars(with = "String")]
pub struct SealedText(pub String);

/// A text with its variables replaced.
///
/// # Errors
///
/// The value is not a text, or a variable in it is not set.
pub fn expanded<'de, D: Deserializer<'de>, T: From<String>>(
    deserializer: D,
) -> Result<T, D::Error> {
    ExpandedText::<String>::deserialize(deserializer).map(|text| text.0.into())
}

/// A list of such texts.
///
/// # Errors
///
/// As for [`expanded`].
pub fn expanded_texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    ExpandedText::<Vec<String>>::deserialize(deserializer).map(ExpandedText::into_inner)
}

impl AsRef<str> for ExpandedText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Headers of HTTP, by name. Their values may be secrets.
#[derive(Clone, Default, Deserialize)]
#[serde(rename = "$ampoule::headers")]
pub struct Headers<V = ExpandedText>(BTreeMap<String, V>);

impl<V> Headers<V> {
    /// The headers.
    pub fn into_inner(self) -> BTreeMap<String, V> {
        self.0
    }
}

impl<V> fmt::Debug for Headers<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Headers")
            .field(&self.0.keys().collect::<Vec<_>>())
            .finish()
    }
}

/// Headers of HTTP, by name, with the variables in them replaced.
///
/// # Errors
///
/// A name is not one of a header, a value is not a text, or a variable in it is not set.
pub fn headers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    Headers::<SecretText>::deserialize(deserializer).map(|headers| plain_texts(headers.0))
}

/// Headers of HTTP, by name, in which references to secrets stay sealed.
///
/// # Errors
///
/// As for [`headers`].
pub fn sealed_headers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    Headers::<SealedText>::deserialize(deserializer).map(|headers| sealed_texts(headers.0))
}

/// Variables of a process, by name, with those of the environment in them replaced. References to
/// secrets stay sealed.
///
/// # Errors
///
/// A name is not one of a variable, a value is not a text, or a variable in it is not set.
pub fn variables<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename = "$ampoule::variables")]
    struct Variables(BTreeMap<String, SealedText>);

    Variables::deserialize(deserializer).map(|variables| sealed_texts(variables.0))
}

fn plain_texts(texts: BTreeMap<String, SecretText>) -> BTreeMap<String, String> {
    let texts = texts.into_iter();
    texts.map(|(name, SecretText(text))| (name, text)).collect()
}

fn sealed_texts(texts: BTreeMap<String, SealedText>) -> BTreeMap<String, String> {
    let texts = texts.into_iter();
    texts.map(|(name, SealedText(text))| (name, text)).collect()
}

#[derive(Deserialize)]
#[serde(rename = "$ampoule::program")]
struct Program(String);

/// A program that is started.
///
/// # Errors
///
/// The value is empty, or not a text, or a variable in it is not set.
pub fn program<'de, D: Deserializer<'de>, T: From<String>>(deserializer: D) -> Result<T, D::Error> {
    Program::deserialize(deserializer).map(|program| program.0.into())
}

/// A list of a program that is started, and its arguments.
///
/// # Errors
///
/// As for [`program`].
pub fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Words;

    impl<'de> Visitor<'de> for Words {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of a program and its arguments")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
            let Some(Program(program)) = list.next_element()? else {
                return Err(de::Error::custom("the command is empty"));
            };
            let mut words = vec![program];
            while let Some(SecretText(argument)) = list.next_element()? {
                words.push(argument);
            }
            Ok(words)
        }
    }

    deserializer.deserialize_seq(Words)
}

#[derive(Deserialize)]
#[serde(rename = "$ampoule::path")]
struct FilePath(PathBuf);

/// A path, relative to the folder of the file.
///
/// # Errors
///
/// The value is not a text, or a variable in it is not set.
pub fn path<'de, D: Deserializer<'de>, T: From<PathBuf>>(deserializer: D) -> Result<T, D::Error> {
    FilePath::deserialize(deserializer).map(|path| path.0.into())
}

#[derive(Deserialize)]
#[serde(rename = "$ampoule::place")]
struct Place(String);

/// A path, relative to the folder of the file, or an address, which begins with `https://` or
/// `http://`. What is put in for variables may be secrets.
///
/// # Errors
///
/// The value is not a text, or a variable in it is not set.
pub fn place<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Place::deserialize(deserializer).map(|place| place.0)
}

#[derive(Deserialize)]
#[serde(rename = "$ampoule::path-or-secret")]
struct PathOrSecret(String);

/// A path, relative to the folder of the file, or a text with a reference to a secret, which stays
/// sealed.
///
/// # Errors
///
/// The value is not a text, or a variable in it is not set.
pub fn path_or_secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    PathOrSecret::deserialize(deserializer).map(|text| text.0)
}

/// A list of such paths.
///
/// # Errors
///
/// As for [`path`].
pub fn paths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
    let paths = Vec::<FilePath>::deserialize(deserializer)?;
    Ok(paths.into_iter().map(|path| path.0).collect())
}

/// A text that is not empty.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Text(pub(crate) String);

impl TryFrom<String> for Text {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.trim().is_empty() {
            true => Err("this is empty; name something, or remove it"),
            false => Ok(Self(text)),
        }
    }
}

/// A text that is not empty.
///
/// # Errors
///
/// The value is empty, or not a text.
pub fn text<'de, D: Deserializer<'de>, T: From<String>>(deserializer: D) -> Result<T, D::Error> {
    Text::deserialize(deserializer).map(|text| text.0.into())
}

/// A text that is not empty, as its type reads it.
///
/// # Errors
///
/// The value is empty, or not a text, or what its type says is wrong with it.
pub fn parsed<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    let text = Text::deserialize(deserializer)?;
    text.0.parse().map_err(de::Error::custom)
}

/// A list of texts that are not empty.
///
/// # Errors
///
/// As for [`text`].
pub fn texts<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: From<Vec<String>>,
{
    let texts = Vec::<Text>::deserialize(deserializer)?;
    let texts: Vec<String> = texts.into_iter().map(|text| text.0).collect();
    Ok(texts.into())
}

/// The same, at least one. An empty list of those whom a rule is about would be read as everybody.
///
/// # Errors
///
/// The list is empty, or as for [`text`].
pub fn some_texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts: Vec<String> = texts(deserializer)?;
    match texts.is_empty() {
        true => Err(de::Error::custom(
            "this list is empty; name something, or remove it",
        )),
        false => Ok(texts),
    }
}

/// A table whose keys are patterns of tools.
///
/// # Errors
///
/// A key is empty, or what its value's type says is wrong with it.
pub fn by_tools<'de, D, T>(deserializer: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    #[derive(Deserialize)]
    #[serde(
        rename = "$ampoule::by-tools",
        bound(deserialize = "T: DeserializeOwned")
    )]
    struct ByTools<T>(BTreeMap<String, T>);

    ByTools::deserialize(deserializer).map(|by_tools| by_tools.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::lists::one_or_more;

    #[test]
    fn texts_are_not_empty() {
        assert!(text::<_, String>(json!(" ")).is_err());
        assert!(some_texts(json!([])).is_err());
        assert_eq!(texts::<_, Vec<String>>(json!([])).ok(), Some(Vec::new()));
        assert_eq!(one_or_more(json!("a")).ok(), Some(vec!["a".to_owned()]));
        for wrong in [json!([]), json!([""]), json!(5), json!({}), json!("")] {
            assert!(one_or_more(&wrong).is_err(), "{wrong}");
        }
        assert!(parsed::<_, u8>(json!("300")).is_err());
    }

    #[test]
    fn other_formats_read_values_as_they_are_written() {
        let expanded: ExpandedText = serde_json::from_str("\"${HOME}\"").unwrap();
        assert_eq!(expanded.as_ref(), "${HOME}");
        let folder: Option<PathBuf> = path(json!("a/b")).unwrap();
        assert_eq!(folder, Some(PathBuf::from("a/b")));
        let words: Vec<String> = command(json!(["./list", "$NAME"])).unwrap();
        assert_eq!(words, ["./list", "$NAME"]);
        assert!(command(json!([])).is_err() && command(json!("x")).is_err());
        let env = variables(json!({ "NAME": "${OTHER}" })).unwrap();
        assert_eq!(env["NAME"], "${OTHER}");
        let headers: Headers = serde_json::from_str("{\"A\": \"hunter2\"}").unwrap();
        assert!(!format!("{headers:?}").contains("hunter2"));
    }
}
