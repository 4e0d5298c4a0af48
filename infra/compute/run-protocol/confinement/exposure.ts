import type { Confinement } from './confinement.ts';

/** Describes in one sentence what a run could do. `remote`: a host reached by SSH, which runs no server of Perpetua. */
export function exposureOf(
  {
    sandboxed,
    ownUid,
    networkClosed,
    loopback,
  }: Pick<Confinement, 'sandboxed' | 'ownUid' | 'networkClosed' | 'loopback'>,
  { isRoot, remote }: { isRoot: boolean; remote: boolean },
): string {
  const machine = remote ? 'its host' : 'this machine';
  if (sandboxed)
    return (
      `A run can read the system folders of ${machine} and change its own directory; ` +
      `it reaches no network${loopback ? ' beyond its own loopback' : ''}, no server and no other process.`
    );
  if (!ownUid)
    return `A run can do all that ${isRoot ? 'root' : "the worker's user"} can on ${machine}: ${powers(remote)}.`;
  if (networkClosed)
    return (
      `A run can read all files of ${machine} that everybody may read, leave files where everybody may write, ` +
      'and see other processes; it reaches no network and no server.'
    );
  return remote
    ? 'A run can reach the network and every server of its host, and read all files there that everybody may read.'
    : 'A run can reach every server on this machine. If Temporal is one of them, a run can run commands as root.';
}

const powers = (remote: boolean): string =>
  remote ? 'read its files, and change its own score' : 'read your keys, change its own score, and steer Temporal';
