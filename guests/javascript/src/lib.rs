//! Ampoule's JavaScript guest: QuickJS-NG as a WebAssembly component, which runs one script in each instance.
//!
//! The crate also builds natively, for fast tests: only [`host`] knows the difference.

mod bindings;
pub mod host;
pub mod realm;
mod web;
