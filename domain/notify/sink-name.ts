/** Names of sinks. */
export const SINK_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
