//! How the time grows with what is projected: in proportion to its size, whatever its shape.
//!
//! - `schemas`: declarations of schemas
//! - `documents`: documents as values of WIT

mod documents;
mod schemas;

use ampoule_linear::assert_linear;
