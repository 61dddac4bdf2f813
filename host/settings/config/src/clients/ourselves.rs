//! Ampoule among the servers of a client: it is one, and is not imported.

use std::path::Path;

use super::super::{Reach, ServerConfig, User};

/// Whether a server is `ampoule serve`: it would start itself without end.
pub(super) fn is_ourselves(server: &ServerConfig, user: &User) -> bool {
    let Reach::Process(command) = &server.reach else {
        return false;
    };
    let words =
        std::iter::once(command.program.as_path()).chain(command.args.iter().map(Path::new));
    let mut words = words.skip_while(|word| !is_our_program(word, user));
    words.next().is_some() && words.any(|word| word == Path::new("serve"))
}

fn is_our_program(word: &Path, user: &User) -> bool {
    if word.file_stem().is_some_and(|stem| stem == "ampoule") {
        return true;
    }
    let resolved = |path: &Path| path.canonicalize().ok();
    let ours = resolved(&user.program);
    let found = if word.is_absolute() {
        resolved(word)
    } else if word.components().count() == 1 {
        let path = user.variable("PATH").unwrap_or_default();
        std::env::split_paths(&path)
            .map(|folder| folder.join(word))
            .find(|file| file.is_file())
            .and_then(|file| resolved(&file))
    } else {
        None
    };
    found.is_some() && found == ours
}
