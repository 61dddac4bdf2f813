//! The comparison itself.
