//! The names by which a reader of the configuration recognizes values that depend on where the file is, and
//! on the environment. Other formats read such values as they are written.

/// A text in which `${NAME}` stands for a variable of the environment.
pub const EXPANDED: &str = "$ampoule::expanded";
/// The same, a path relative to the folder of the file.
pub const PATH: &str = "$ampoule::path";
/// A program: a name that is looked up in `PATH`, or such a path.
pub const PROGRAM: &str = "$ampoule::program";
/// A text with variables whose values may be secrets: the reader notes them.
pub const SECRET: &str = "$ampoule::secret";
/// The same, where references to secrets stay sealed until somebody needs them.
pub const SEALED: &str = "$ampoule::sealed";
/// Variables of a process, by their names.
pub const VARIABLES: &str = "$ampoule::variables";
/// Headers of HTTP: a secret that lost its name may stand in the place of a name.
pub const HEADERS: &str = "$ampoule::headers";
/// A table whose keys are patterns of tools.
pub const BY_TOOLS: &str = "$ampoule::by-tools";
/// A path, relative to the folder of the file, or an address.
pub const PLACE: &str = "$ampoule::place";
/// A path, relative to the folder of the file, or a text with a reference to a secret, which stays
/// sealed.
pub const PATH_OR_SECRET: &str = "$ampoule::path-or-secret";
