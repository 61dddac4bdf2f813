//! The console in a real browser: each page, each deed, by keyboard alone, and with text that would be
//! markup.
//!
//! - `pages`: each page, for every reader; `deeds`: each deed; `story`: a run that fails, and goes on
//! - `strangers`: text of servers, scripts and people; `quick`: how long pages take
//! - `editor`: what the playground completes and marks, and its examples; `sign_ins`: signing in to
//!   servers; `operators`: what operators do
//! - `downloads`: foreign text in pictures and saved files; `origins`: pages of other programs
//! - `company`: signing in at the company's issuer, in browsers of several people; `over_tls`: over
//!   HTTP/2, without a browser

mod company;
mod deeds;
mod desk;
mod downloads;
mod editor;
mod operators;
mod origins;
mod over_tls;
mod pages;
mod quick;
mod sign_ins;
mod story;
mod strangers;
mod tab;
