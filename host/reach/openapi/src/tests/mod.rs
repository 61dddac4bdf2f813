//! APIs that are called over HTTP.
