/**
 * For each connection to Postgres. One that is silent is asked after this many milliseconds, then each second, and given up
 * after ten tries: the kernel's own two hours would hold up what waits for an answer of a machine that is gone. What was sent to
 * one that is gone already is repeated for a quarter of an hour by the kernel.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 20_000 } as const;
