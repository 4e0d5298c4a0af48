/**
 * Options of every connection to Postgres. The kernel probes a connection after 20 silent seconds, then each second,
 * and closes it after ten probes. Its default of two hours would block a query to a machine that is gone for as long.
 * Data sent to a machine that is already gone is still retransmitted for 15 minutes.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 20_000 } as const;
