//! Packages of pure Python, and of npm, that the operator added: they are imported once, on this
//! machine, and runs begin with a memory in which they are.
//!
//! - `image`: a guest with packages in its memory, made from their archives
//! - `still_world`: the world of the run that imports them, in which nothing is random
//!
//! The guest with packages is a guest of its own, with a hash of its own: compiled code, sessions,
//! parked runs and records tell it from one without packages, or with others.

mod image;
mod still_world;

use std::sync::Arc;

use ampoule_persistence::packages::{Ecosystem, Package, PackageFolder};
use ampoule_tools::Error;
use tokio::task::spawn_blocking;

use self::image::Image;
use crate::guests::{GuestError, GuestKind, PackagedGuest};
use crate::runtime::{Runtime, RuntimeBuilder};

impl RuntimeBuilder {
    /// Packages of pure Python that scripts can import, and the folder that holds their wheels. They
    /// are imported once for all runs, when Python is first needed or by [`Runtime::warm`], with
    /// the memory of a run, and the ceilings of work and time; after that, a run begins with them at
    /// the cost of any other. Default: none.
    #[must_use]
    pub fn python_packages(mut self, folder: PackageFolder, packages: Vec<Package>) -> Self {
        // Each guest of Python imports them by itself.
        self.python_data = image(Ecosystem::Python, folder.clone(), packages.clone());
        self.python = image(Ecosystem::Python, folder, packages);
        self
    }

    /// Packages of npm that scripts in JavaScript and TypeScript can import, and the folder that
    /// holds their tarballs: as [`python_packages`](Self::python_packages). Default: none.
    #[must_use]
    pub fn javascript_packages(mut self, folder: PackageFolder, packages: Vec<Package>) -> Self {
        self.javascript = image(Ecosystem::Npm, folder, packages);
        self
    }
}

fn image(
    of: Ecosystem,
    folder: PackageFolder,
    mut packages: Vec<Package>,
) -> Option<Arc<dyn PackagedGuest>> {
    // The same packages are the same guest, in whatever order they are named.
    packages.sort();
    match packages.is_empty() {
        true => None,
        false => Some(Arc::new(Image::new(of, folder, packages))),
    }
}

impl Runtime {
    /// The packages that scripts can import beside what a guest brings, such as that of a language.
    pub fn packages(&self, guest: impl Into<GuestKind>) -> &[Package] {
        let source = self.guests().find(guest.into());
        source.map_or(&[], |source| source.packages())
    }

    /// What modules of the [packages](Self::packages) of a guest could not be imported beforehand, with
    /// the reasons: scripts that import them get the same error. Imports them, if that is not known.
    ///
    /// # Errors
    ///
    /// A configuration error if a package can't be used, or the runtime lacks the guest.
    pub async fn try_packages(&self, guest: impl Into<GuestKind>) -> Result<Vec<String>, Error> {
        let source = Arc::clone(self.guests().get(guest.into())?);
        let tried = spawn_blocking(move || source.failures()).await;
        let tried = tried.map_err(|error| Error::host("importing packages broke off", error))?;
        tried.map_err(|error| match error {
            GuestError::Packages(why) => Error::config(why),
            artifact @ GuestError::Artifact(_) => Error::host("the guest can't be read", artifact),
        })
    }
}
