import type { Containment } from '../../compute.ts';

/** One way to hold a run together, and what its sandbox keeps from it. */
export interface Confinement {
  containment: Containment;
  sandboxed: boolean;
  /** Options of `unshare`. */
  namespaces: string;
  /** True where the run gets a uid of its own. */
  ownUid: boolean;
  /** True where the kernel's limit of processes counts this run alone. */
  kernelCountsProcesses: boolean;
  /** True where keys that a run leaves in the kernel's keyrings are gone with it. */
  ownKeys: boolean;
  /** True where a run was seen to get no way to any network, nor to a server of its machine; the probe finds out. */
  networkClosed: boolean;
  /** True where a run was seen to get no socket between a virtual machine and its host; the probe finds out. */
  vsockClosed: boolean;
  /** The words before the command that take its rights away. */
  drop(uid: number | null): string[];
}

const NO_RIGHTS = ['--bounding-set', '-all', '--inh-caps', '-all', '--no-new-privs'];
const asUid = (uid: number | null): string[] =>
  uid === null ? [] : ['--reuid', String(uid), '--regid', String(uid), '--clear-groups'];
/** In a user namespace of its own: a file system that a run mounts in another one holds memory that no limit counts. */
const CLOSE = '{ echo 0 >/proc/sys/user/max_user_namespaces; } 2>/dev/null; exec "$@"';
const NO_NAMESPACES = ['/bin/sh', '-c', `'${CLOSE}'`, 'sh'];
const dropped = (uid: number | null): string[] => ['setpriv', ...asUid(uid), ...NO_RIGHTS];
/** The keyring of a user is one for each user namespace, and lasts as long as that. */
const droppedWithKeys = (uid: number | null): string[] => [
  ...['setpriv', ...asUid(uid), 'unshare', '--user', '--map-current-user', '--keep-caps'],
  ...[...NO_NAMESPACES, 'setpriv', '--ambient-caps', '-all', ...NO_RIGHTS],
];
const droppedInOwn = (uid: number | null): string[] => [...NO_NAMESPACES, ...dropped(uid)];

const PID = '--pid --fork --kill-child=KILL --mount';
const ALONE = `${PID} --ipc --uts --net`;
const USER = '--user --map-root-user';

/** Until the probe has tried it. */
const UNSEEN = { networkClosed: false, vsockClosed: false } as const;
const namespaced = { containment: 'pid-namespace', kernelCountsProcesses: true, ...UNSEEN } as const;

const ROOT: Confinement[] = [
  { ...namespaced, sandboxed: true, namespaces: ALONE, ownUid: true, ownKeys: true, drop: droppedWithKeys },
  { ...namespaced, sandboxed: true, namespaces: ALONE, ownUid: true, ownKeys: false, drop: dropped },
  {
    ...namespaced,
    sandboxed: false,
    namespaces: PID,
    ownUid: false,
    ownKeys: false,
    kernelCountsProcesses: false,
    drop: () => [],
  },
  {
    containment: 'uid',
    sandboxed: false,
    namespaces: '',
    ownUid: true,
    ownKeys: false,
    ...UNSEEN,
    kernelCountsProcesses: true,
    drop: dropped,
  },
];
const ORDINARY: Confinement[] = [
  { ...namespaced, sandboxed: true, namespaces: `${USER} ${ALONE}`, ownUid: false, ownKeys: true, drop: droppedInOwn },
  { ...namespaced, sandboxed: false, namespaces: `${USER} ${PID}`, ownUid: false, ownKeys: true, drop: dropped },
];

/** Always possible, never certain. */
export const PROCESS_GROUP: Confinement = {
  containment: 'process-group',
  sandboxed: false,
  namespaces: '',
  ownUid: false,
  ownKeys: false,
  ...UNSEEN,
  kernelCountsProcesses: false,
  drop: () => [],
};

/** What to try on a host, best first. A sandbox that was not asked for is not tried. */
export function confinements(isRoot: boolean, sandbox: boolean): Confinement[] {
  const wanted = (isRoot ? ROOT : ORDINARY).filter((one) => sandbox || (!one.sandboxed && one.containment !== 'uid'));
  // With a sandbox asked for, a uid of its own protects more than a bare pid namespace.
  if (isRoot && sandbox) wanted.sort((a, b) => Number(b.sandboxed || b.ownUid) - Number(a.sandboxed || a.ownUid));
  return [...wanted, PROCESS_GROUP];
}
