//! The console in a real browser: each page, by keyboard alone, and with text that would be markup.

mod desk;
mod pages;
mod story;
mod strangers;
mod tab;
