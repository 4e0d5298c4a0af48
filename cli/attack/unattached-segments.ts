import { readFile } from 'node:fs/promises';
import { FIRST_UID, MOST_UIDS } from '../../infra/compute/run-protocol/environment.ts';

/** A segment of System V shared memory, which can outlive every process that used it. */
interface Segment {
  id: string;
  bytes: number;
  /** Uid of the owner. */
  user: number;
}

const SHM = '/proc/sysvipc/shm';

/**
 * Reads the segments without an attached process that belong to this process's user or to a user of runs.
 * Empty if the kernel's list cannot be read.
 */
export async function readUnattachedSegments(file = SHM): Promise<Segment[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const rows = text
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([, id, , bytes, , , attached, user]) => {
    const segment = { id: id ?? '', bytes: Number(bytes), user: Number(user) };
    return attached === '0' && isOfRuns(segment.user) ? [segment] : [];
  });
}

const isOfRuns = (user: number): boolean =>
  user === process.getuid?.() || (user >= FIRST_UID && user <= FIRST_UID + MOST_UIDS);

/** Describes the segments of `now` that are not in `before`: one entry in words, or none. */
export function describeNewSegments(before: readonly Segment[], now: readonly Segment[]): string[] {
  const knownIds = new Set(before.map(({ id }) => id));
  const added = now.filter(({ id }) => !knownIds.has(id));
  if (added.length === 0) return [];
  const mb = Math.ceil(added.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20);
  const users = [...new Set(added.map(({ user }) => user))].join(', ');
  return [`${added.length} segments of shared memory (${mb} MiB, of user ${users}; see ipcs -m)`];
}
