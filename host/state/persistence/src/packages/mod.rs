//! Packages that scripts can import, on disk: wheels of pure Python, and tarballs of npm.
//!
//! Each is kept under the SHA-256 digest of its bytes, and the configuration names the digest.
//! So one that was changed is not the configured one, whatever its name says.
//!
//! - `ecosystem`: where packages are from; `package`: one package by name, version and digest; `wheel_name`: what a wheel's file name tells
//! - `folder`: what is kept of them; `settings`: `[python]` and `[javascript]`; `error`: why something can't be done
//! - `fuzzing`: what must hold of any name
//!
//! Nothing here looks into an archive: it is unpacked in an isolate alone.

mod ecosystem;
mod error;
mod folder;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod package;
mod settings;
#[cfg(test)]
mod tests;
mod wheel_name;

pub use ecosystem::Ecosystem;
pub use error::PackageError;
pub use folder::{MOST_BYTES, PackageFolder};
pub use package::{MOST_PACKAGES, Package};
pub use settings::{JavaScriptSettings, PythonSettings};
pub use wheel_name::WheelName;
