import type { Containment, Grouped } from '../../../compute.ts';

/** One way to hold a run together, and what its sandbox keeps from it. */
export interface Confinement {
  containment: Containment;
  sandboxed: boolean;
  /** Options of `unshare`. */
  namespaces: string;
  /** True if the run gets a uid of its own. */
  ownUid: boolean;
  /** True if the kernel's limit of processes counts this run alone. */
  kernelCountsProcesses: boolean;
  /** True if keys that a run leaves in the kernel's keyrings vanish with the run. */
  ownKeys: boolean;
  /** True if the probe, run on the host, reached no network and no server of the machine. */
  networkClosed: boolean;
  /** True if the probe, run on the host, got no socket between a virtual machine and its host. */
  vsockClosed: boolean;
  /** True if a program of the run can connect to itself by TCP, on 127.0.0.1. */
  loopback: boolean;
  /** Resources for which the probe got a control group on the host. */
  groups: readonly Grouped[];
  /** Words before the command that drop its privileges. */
  drop(uid: number | null): string[];
}

const NO_RIGHTS = ['--bounding-set', '-all', '--inh-caps', '-all', '--no-new-privs'];
const asUid = (uid: number | null): string[] =>
  uid === null ? [] : ['--reuid', String(uid), '--regid', String(uid), '--clear-groups'];
/** Forbids further user namespaces: a run could mount a file system in one, whose memory no limit counts. */
const CLOSE = '{ echo 0 >/proc/sys/user/max_user_namespaces; } 2>/dev/null; exec "$@"';
const NO_NAMESPACES = ['/bin/sh', '-c', `'${CLOSE}'`, 'sh'];
/** Drops privileges, in the user namespace of the supervisor. */
const dropped = (uid: number | null): string[] => ['setpriv', ...asUid(uid), ...NO_RIGHTS];
/** Drops privileges in a user namespace of the run's own. A user has one keyring for each, which ends with it. */
const droppedWithKeys = (uid: number | null): string[] => [
  'setpriv',
  ...asUid(uid),
  'unshare',
  '--user',
  '--map-current-user',
  '--keep-caps',
  ...NO_NAMESPACES,
  'setpriv',
  '--ambient-caps',
  '-all',
  ...NO_RIGHTS,
];
const droppedInOwn = (uid: number | null): string[] => [...NO_NAMESPACES, ...dropped(uid)];

const PID = '--pid --fork --kill-child=KILL --mount';
const ALONE = `${PID} --ipc --uts --net`;
const USER = '--user --map-root-user';

/** Values before the probe has run. */
const UNPROBED = { networkClosed: false, vsockClosed: false, loopback: false, groups: [] } as const;
const namespaced = { containment: 'pid-namespace', kernelCountsProcesses: true, ...UNPROBED } as const;

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
    ...UNPROBED,
    kernelCountsProcesses: true,
    drop: dropped,
  },
];
const ORDINARY: Confinement[] = [
  { ...namespaced, sandboxed: true, namespaces: `${USER} ${ALONE}`, ownUid: false, ownKeys: true, drop: droppedInOwn },
  { ...namespaced, sandboxed: false, namespaces: `${USER} ${PID}`, ownUid: false, ownKeys: true, drop: dropped },
];

/** Weakest confinement, which every host supports: a process can escape from it. */
export const PROCESS_GROUP: Confinement = {
  containment: 'process-group',
  sandboxed: false,
  namespaces: '',
  ownUid: false,
  ownKeys: false,
  ...UNPROBED,
  kernelCountsProcesses: false,
  drop: () => [],
};

/** Confinements to try on a host, best first. Without `sandbox`, none with a sandbox or with a uid of its own. */
export function confinements(isRoot: boolean, sandbox: boolean): Confinement[] {
  const wanted = (isRoot ? ROOT : ORDINARY).filter(
    ({ sandboxed, containment }) => sandbox || (!sandboxed && containment !== 'uid'),
  );
  // If a sandbox is wanted, a uid of its own protects more than a bare pid namespace.
  if (isRoot && sandbox) wanted.sort((a, b) => Number(b.sandboxed || b.ownUid) - Number(a.sandboxed || a.ownUid));
  return [...wanted, PROCESS_GROUP];
}
