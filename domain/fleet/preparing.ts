/** Preparations of a host for a task, before a run of it may begin there. */
const PREPARED = ['Python', 'setup'] as const;
type Prepared = (typeof PREPARED)[number];

/** What a job waits for while its host is prepared, in words that follow `waits for`: it may hold no slot. */
export type Preparing = `its ${Prepared} on ${string}`;
/** What a job on its way to a run may wait for, in words. SQL tells them apart by how they begin, so there are no others. */
export type JobWait = Preparing | `room on ${string}`;

export const preparing = (what: Prepared, host: string): Preparing => `its ${what} on ${host}`;

/** How the words of each {@link Preparing} begin. */
export const PREPARING_PREFIXES = PREPARED.map((what) => preparing(what, ''));

/** Setups for one trial on a host that were gone before its run could begin, after which the host is taken to keep none. */
export const MOST_SETUPS_PER_HOST = 3;

/** Seconds that a task's Python may take to be built on a host: it may download gigabytes. */
export const LONGEST_BUILD_SECONDS = 4 * 3600;
