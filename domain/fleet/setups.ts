/** Setups for one trial on a host that were gone before its run could begin, after which the host is taken to keep none. */
export const SETUPS = 3;

/** Seconds that a task's Python may take to be built on a host: it may download gigabytes. */
export const LONGEST_BUILD_SECONDS = 4 * 3600;
