/** Preparations of a host: for a task, before its runs there; for a policy, before it draws a sample. */
const PREPARED = ['Python', 'setup', 'policy server'] as const;
type Prepared = (typeof PREPARED)[number];

/** Wait of a job while its host is prepared, as text behind `waits for`. The job may hold no slot. */
export type PreparationWait = `its ${Prepared} on ${string}`;
/** Wait of a job before its run. SQL distinguishes waits by their prefixes, so a new wait needs one there. */
export type JobWait = PreparationWait | `room on ${string}`;

export const preparationWait = (preparation: Prepared, host: string): PreparationWait =>
  `its ${preparation} on ${host}`;

/** Prefix of each {@link PreparationWait}. */
export const PREPARING_PREFIXES = PREPARED.map((preparation) => preparationWait(preparation, ''));

/** Setups for one trial that vanished before its run began, after which the host is deemed to keep no setup. */
export const MOST_SETUPS_PER_HOST = 3;

/** Longest build of a task's Python on a host, in seconds: it may download gigabytes. */
export const LONGEST_BUILD_SECONDS = 4 * 3600;
