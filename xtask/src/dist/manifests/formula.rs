//! Homebrew's formula. It installs the archive, and compiles nothing.

use std::fmt::Write as _;

use anyhow::Result;

use super::super::built::Archive;
use super::super::platform::{Processor, System};
use super::super::{SUMMARY, VERSION};
use super::{Address, Manifest};

/// What is done with the archive, and how it is tried.
const INSTALL: &str = r##"
  def install
    bin.install "bin/ampoule"
    bash_completion.install "share/bash-completion/completions/ampoule"
    zsh_completion.install "share/zsh/site-functions/_ampoule"
    fish_completion.install "share/fish/vendor_completions.d/ampoule.fish"
    man1.install Dir["share/man/man1/*.1"]
    doc.install Dir["share/doc/ampoule/*"]
    (share/"ampoule").install Dir["share/ampoule/*"]
  end

  test do
    assert_equal "42", shell_output("#{bin}/ampoule run --quiet -e 'return 6 * 7'").strip
  end
end
"##;

pub(super) fn formula(archives: &[Archive], address: &Address) -> Result<Manifest> {
    let mut text = format!(
        "class Ampoule < Formula\n  \
        desc \"{SUMMARY}\"\n  \
        homepage \"{}\"\n  \
        version \"{VERSION}\"\n  \
        license \"Apache-2.0\"\n",
        address.0
    );
    for (system, block) in [(System::MacOs, "on_macos"), (System::Linux, "on_linux")] {
        let mut of_system = archives
            .iter()
            .filter(|archive| archive.platform.system == system)
            .peekable();
        if of_system.peek().is_none() {
            continue;
        }
        write!(text, "\n  {block} do\n")?;
        for archive in of_system {
            let block = match archive.platform.processor {
                Processor::X86_64 => "on_intel",
                Processor::Arm64 => "on_arm",
            };
            write!(
                text,
                "    {block} do\n      url \"{}\"\n      sha256 \"{}\"\n    end\n",
                address.of(archive),
                archive.digest
            )?;
        }
        text += "  end\n";
    }
    Ok(Manifest {
        path: "homebrew/ampoule.rb".to_owned(),
        text: text + INSTALL,
    })
}
