//! Opens a browser on this machine.

use std::process::{Command, Stdio};

/// Opens a browser, where there is a screen to open one on. Whether one was started is all that can
/// be known.
pub(crate) fn open(address: &str) -> bool {
    let (opener, has_screen) = if cfg!(target_os = "macos") {
        ("open", true)
    } else {
        let screens = ["DISPLAY", "WAYLAND_DISPLAY"];
        let has_screen = screens
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
        ("xdg-open", has_screen)
    };
    has_screen
        && Command::new(opener)
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .is_ok()
}
