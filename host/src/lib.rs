//! Ampoule runs code that a language model wrote.
