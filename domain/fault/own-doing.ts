import { lacksFiles } from '../room.ts';

/** What a run has on the disk of its host, beyond its workspace, and all that is in use there: in MiB, and in files. */
export interface Held {
  ownMb: number;
  usedMb: number;
  /** Files, folders and links. */
  ownFiles: number;
  usedFiles: number;
  /** Those that the disk has room for; null where it does not count them. */
  freeFiles: number | null;
}

/**
 * What this run itself filled of a disk that is full, with more than it may hold, or with most of what is in use there;
 * null where it is no doing of its own. `files`: those that the disk had room for; `entries`: more of them than it may hold,
 * where bytes lack.
 */
export function ownDoing(
  { ownMb, usedMb, ownFiles, usedFiles, freeFiles }: Held,
  limits: { diskMb: number; files: number },
): 'room' | 'files' | 'entries' | null {
  const lacking = lacksFiles(freeFiles);
  if (lacking && (ownFiles > limits.files || ownFiles * 2 > usedFiles)) return 'files';
  if (ownMb > limits.diskMb || (!lacking && ownMb * 2 > usedMb)) return 'room';
  return ownFiles > limits.files ? 'entries' : null;
}
