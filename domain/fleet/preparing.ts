/** Preparations of a host for a task, before a run of it may begin there. */
const PREPARED = ['Python', 'setup'] as const;
type Prepared = (typeof PREPARED)[number];

/** What a job waits for while its host is prepared, in words that follow `waits for`: it may hold no slot. */
export type Preparing = `its ${Prepared} on ${string}`;
/** What a job on its way to a run may wait for, in words. SQL tells them apart by how they begin, so there are no others. */
export type JobWait = Preparing | `room on ${string}`;

export const preparing = (what: Prepared, host: string): Preparing => `its ${what} on ${host}`;

/** How the words of each {@link Preparing} begin. */
export const PREPARING = PREPARED.map((what) => preparing(what, ''));
