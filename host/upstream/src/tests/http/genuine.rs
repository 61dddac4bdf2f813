//! A server that is not played by a test: npm's `server-everything`, over both transports.
