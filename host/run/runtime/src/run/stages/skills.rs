//! Runs whose scripts import skills, or save some; or that import a module of Ampoule's own.

use ampoule_isolate::{Code, Script};
use ampoule_tools::{Catalog, Error, Principal};
use tokio::task::spawn_blocking;

use super::step;
use crate::governed::CarriedData;
use crate::library;
use crate::run::draft::Draft;
use crate::run::isolate::Isolate;
use crate::runtime::Runtime;
use crate::skills::{self, NoteTaker, Notes};
use crate::stores::skills::refused;

/// Whether the script of a run may import skills.
pub(in crate::run) struct Preparation {
    imports: bool,
}

impl Preparation {
    /// Where the script has to do with skills, notes the answers that its calls get: it may save some.
    /// The rest of a run has what it began with, and so does one that is run again.
    pub(super) fn of(isolate: &mut Isolate, catalog: &Catalog) -> Result<Self, Error> {
        let request = &isolate.request;
        let (Some(store), Code::Script(script)) = (&isolate.runtime.stores().skills, &request.code)
        else {
            return Ok(Self { imports: false });
        };
        let imports = isolate.origin.is_new() && skills::mentions(script);
        if imports {
            let tools = request.granted(catalog.clone())?;
            let notes = Notes::of(isolate.id, &store.notes, script.language(), tools);
            let layers = &mut isolate.request.hooks.layers;
            *layers = layers.within(NoteTaker(notes));
        }
        Ok(Self { imports })
    }

    /// Puts the skills that the script imports among its modules, and what these and the script import of
    /// Ampoule's own.
    pub(super) async fn open(self, draft: &mut Draft) -> Result<(), Error> {
        step("opens", "skills");
        let Code::Script(script) = &draft.code else {
            return Ok(());
        };
        if self.imports {
            let (script, carried) = Box::pin(imported(
                draft.runtime.clone(),
                draft.setup.principal.clone(),
                script.clone(),
            ))
            .await?;
            draft.code = Code::Script(script);
            draft.carried.extend(carried);
        }
        // The rest of a run has what it began with.
        if !draft.origin.is_parked()
            && let Code::Script(script) = &draft.code
            && let Some(script) = library::given(script)
        {
            draft.code = Code::Script(script);
        }
        Ok(())
    }
}

/// The script with the skills that it imports, and what those had read who saved them, or any other
/// of their owner's.
async fn imported(
    runtime: Runtime,
    principal: Option<Principal>,
    script: Script,
) -> Result<(Script, Vec<CarriedData>), Error> {
    let import = move || {
        let visible = runtime.visible_skills(principal.as_ref())?;
        // That a skill is not there to be imported tells something, too.
        let shelf = runtime.skills(principal.as_ref())?;
        let carried = shelf.carried().map_err(refused)?;
        let mut carried = Vec::from_iter(carried);
        Ok((skills::given(script, &visible, &mut carried), carried))
    };
    let imported = spawn_blocking(import).await;
    imported.unwrap_or_else(|error| Err(Error::host("skills could not be read", error)))
}
