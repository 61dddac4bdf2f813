//! The name by which programs look for the shared library, however they were linked with it.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libampoule_c.so");
    println!("cargo::rerun-if-changed=build.rs");
}
