/** What a run has on the disk of its host, beyond its workspace, and all that is in use there, in MiB. */
export interface Held {
  ownMb: number;
  usedMb: number;
}

/** Whether a disk that is full was filled by this run: with more than it may hold, or with most of what lies there. */
export const isOwnDoing = ({ ownMb, usedMb }: Held, diskMb: number): boolean => ownMb > diskMb || ownMb * 2 > usedMb;
