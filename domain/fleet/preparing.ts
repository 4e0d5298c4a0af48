/** What a host is given for a task before a run of it may begin there. */
const PREPARED = ['Python', 'setup'] as const;
type Prepared = (typeof PREPARED)[number];

/** A wait for that, in words that follow `waits for`: a job that waits so may hold no slot. */
export type Preparing = `its ${Prepared} on ${string}`;
/** What a job on its way to a run may wait for, in words. Told apart by how they begin, so that there are no others. */
export type JobWait = Preparing | `room on ${string}`;

export const preparing = (what: Prepared, host: string): Preparing => `its ${what} on ${host}`;

/** How the words of each {@link Preparing} begin. */
export const PREPARING = PREPARED.map((what) => preparing(what, ''));
