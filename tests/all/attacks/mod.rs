//! What attackers tried, each kind of it as a test.
//!
//! - `words`: text from servers that would be code

mod words;
