import { readFile } from 'node:fs/promises';
import { FIRST_UID, MOST_UIDS } from '../../infra/compute/run-protocol/environment.ts';

/** Shared memory of System V's calls, which no process need hold. */
interface Segment {
  id: string;
  bytes: number;
  user: number;
}

const SHM = '/proc/sysvipc/shm';

/** Segments of users that runs may have, our own among them, which nobody is attached to. */
export async function readUnattachedSegments(file = SHM): Promise<Segment[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const rows = text
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([, id, , bytes, , , attached, user]) => {
    const one = { id: id ?? '', bytes: Number(bytes), user: Number(user) };
    return attached === '0' && isOfRuns(one.user) ? [one] : [];
  });
}

const isOfRuns = (user: number): boolean =>
  user === process.getuid?.() || (user >= FIRST_UID && user <= FIRST_UID + MOST_UIDS);

/** Those that were not there before, in words: one entry, or none. */
export function describeNewSegments(before: readonly Segment[], now: readonly Segment[]): string[] {
  const there = new Set(before.map(({ id }) => id));
  const left = now.filter(({ id }) => !there.has(id));
  if (left.length === 0) return [];
  const mb = Math.ceil(left.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20);
  const users = [...new Set(left.map(({ user }) => user))].join(', ');
  return [`${left.length} segments of shared memory (${mb} MiB, of user ${users}; see ipcs -m)`];
}
