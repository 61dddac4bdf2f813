//! What an operator sees: metrics, traces, one log.
