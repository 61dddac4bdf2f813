//! The name by which programs look for the shared library, however they were linked with it.

fn main() {
    let name = "-Wl,-soname,libampoule_c.so";
    #[expect(clippy::print_stdout, reason = "Cargo reads it")]
    {
        println!("cargo::rustc-cdylib-link-arg={name}");
        println!("cargo::rerun-if-changed=build.rs");
    }
}
