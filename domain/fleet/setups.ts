/** Setups for one trial on a host that were gone before its run could begin, after which the host is taken to keep none. */
export const SETUPS = 3;
