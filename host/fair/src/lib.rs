//! What many share: places, and time to compute.
