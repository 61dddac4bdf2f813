//! The console in a real browser: each page, each deed, by keyboard alone, and with text that would be
//! markup.
//! `over_tls`: signing in over HTTP/2, without a browser; `company`: at the company's issuer, in two
//! browsers.

mod company;
mod deeds;
mod desk;
mod over_tls;
mod pages;
mod story;
mod strangers;
mod tab;
