//! Components that users compiled, in whatever language.

use std::path::PathBuf;
use std::sync::Arc;

use ampoule_tools::Error;
use serde_json::value::RawValue;

/// How every WebAssembly file begins.
const MAGIC: &[u8] = b"\0asm";
/// What follows in a component.
const COMPONENT: [u8; 4] = [0x0d, 0, 1, 0];
/// What follows in a core module.
const CORE_MODULE: [u8; 4] = [1, 0, 0, 0];

/// A component that a user compiled, with the arguments of its run.
///
/// It may import the tools that it is granted, each server's as the interface `mcp:<server>/<server>`,
/// the interfaces of `ampoule:guest`, and of WASI 0.2 and 0.3 the clocks, `random`, standard output
/// and error, the folders that it is [given](Self::folder), and the HTTP requests that the run may
/// have made. It exports `run: async func(arguments: string) -> result<string, string>`, also
/// without `async`, with JSON in both strings; or `run` with types of its own, such as
/// `run: func(input: report) -> result<summary, string>`; or else `wasi:cli/run`, which gets the JSON
/// as its one argument.
#[derive(Debug, Clone)]
pub struct Component {
    pub(crate) wasm: Arc<[u8]>,
    pub(crate) digest: blake3::Hash,
    pub(crate) arguments: Option<Box<RawValue>>,
    pub(crate) env: Vec<Variable>,
    pub(crate) folders: Vec<Folder>,
}

/// A variable of a component's environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// A folder that a component may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folder {
    pub(crate) host: PathBuf,
    pub(crate) guest: String,
    pub(crate) access: Access,
}

/// What a component may do in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read what is there.
    Read,
    /// Change it as well. What it writes has no limit but the disk's.
    Write,
}

impl Component {
    /// A component from its binary form. It is compiled when it first runs.
    ///
    /// # Errors
    ///
    /// A request error if the bytes are not a component; for a core module it says how to turn it
    /// into one.
    pub fn from_bytes(wasm: impl Into<Arc<[u8]>>) -> Result<Self, Error> {
        let wasm = wasm.into();
        let Some(version) = wasm
            .strip_prefix(MAGIC)
            .and_then(|rest| rest.first_chunk::<4>())
        else {
            return Err(Error::request(
                "this is not WebAssembly: a component begins with the bytes `\\0asm`",
            ));
        };
        match *version {
            COMPONENT => Ok(Self {
                digest: blake3::hash(&wasm),
                wasm,
                arguments: None,
                env: Vec::new(),
                folders: Vec::new(),
            }),
            CORE_MODULE => Err(Error::request(
                "this is a core module, not a component. Make it one: `wasm-tools component new module.wasm -o component.wasm`; \
                 or build for `wasm32-wasip2`, which gives a component",
            )),
            [a, b, c, d] => Err(Error::request(format!(
                "this is WebAssembly of an unknown kind ({a:02x} {b:02x} {c:02x} {d:02x} after `\\0asm`)"
            ))),
        }
    }

    /// Whether bytes are WebAssembly, of whatever kind.
    pub fn is_wasm(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// The arguments of its run, as JSON. Default: `{}`.
    #[must_use]
    pub fn arguments(mut self, arguments: Box<RawValue>) -> Self {
        self.arguments = Some(arguments);
        self
    }

    /// Adds a variable to its environment, which is empty otherwise.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push(Variable {
            name: name.into(),
            value: value.into(),
        });
        self
    }

    /// Lets it use a folder of the host, under a name of its own, such as `/data`. Nothing outside
    /// it can be reached, not even by links.
    #[must_use]
    pub fn folder(
        mut self,
        host: impl Into<PathBuf>,
        guest: impl Into<String>,
        access: Access,
    ) -> Self {
        self.folders.push(Folder {
            host: host.into(),
            guest: guest.into(),
            access,
        });
        self
    }

    /// The binary form, as it was given.
    pub fn wasm(&self) -> &Arc<[u8]> {
        &self.wasm
    }

    /// The arguments of its run, if any were given.
    pub fn given_arguments(&self) -> Option<&RawValue> {
        self.arguments.as_deref()
    }

    /// The variables of its environment, in the order in which they were added.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        let variables = self.env.iter();
        variables.map(|variable| (variable.name.as_str(), variable.value.as_str()))
    }

    /// Whether it may use folders of the host.
    pub fn has_folders(&self) -> bool {
        !self.folders.is_empty()
    }

    /// Lets go of the code, which is compiled.
    #[doc(hidden)]
    pub fn without_code(mut self) -> Self {
        self.wasm = Arc::default();
        self
    }

    pub(crate) fn arguments_text(&self) -> &str {
        self.arguments.as_deref().map_or("{}", RawValue::get)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_component_is_refused_with_advice() {
        let said = |bytes: &[u8]| Component::from_bytes(bytes).unwrap_err().to_string();
        assert!(said(b"export default 1").starts_with("this is not WebAssembly"));
        assert!(said(b"\0as").starts_with("this is not WebAssembly"));
        assert!(said(b"\0asm\x01\0\0\0").contains("wasm-tools component new"));
        assert!(said(b"\0asm\x02\0\0\0").contains("02 00 00 00"));
        assert!(Component::from_bytes(*b"\0asm\x0d\0\x01\0").is_ok());
    }
}
