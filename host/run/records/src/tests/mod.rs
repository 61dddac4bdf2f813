//! What is written down, and what is read of files that others wrote.

mod blotted;
mod files;
