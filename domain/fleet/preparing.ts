/** Preparations of a host for a task, which precede its runs there. */
const PREPARED = ['Python', 'setup'] as const;
type Prepared = (typeof PREPARED)[number];

/** Wait of a job while its host is prepared, as text behind `waits for`. The job may hold no slot. */
export type Preparing = `its ${Prepared} on ${string}`;
/** Wait of a job before its run. SQL distinguishes waits by their prefixes, so a new wait needs one there. */
export type JobWait = Preparing | `room on ${string}`;

export const preparing = (preparation: Prepared, host: string): Preparing => `its ${preparation} on ${host}`;

/** Prefix of each {@link Preparing}. */
export const PREPARING_PREFIXES = PREPARED.map((preparation) => preparing(preparation, ''));

/** Setups for one trial that vanished before its run began, after which the host is deemed to keep no setup. */
export const MOST_SETUPS_PER_HOST = 3;

/** Longest build of a task's Python on a host, in seconds: it may download gigabytes. */
export const LONGEST_BUILD_SECONDS = 4 * 3600;
