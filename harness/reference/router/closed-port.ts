/**
 * A loopback address that refuses connections. Port 1 is reserved and never given out: a port that was merely
 * free a moment ago may belong to somebody else by now.
 */
export const CLOSED_PORT = 'http://127.0.0.1:1';
