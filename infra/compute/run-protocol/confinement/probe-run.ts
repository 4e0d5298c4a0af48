import { join } from 'node:path/posix';
import type { RunEnd } from '../../../compute.ts';
import type { Confinement } from './confinement.ts';
import type { SupervisedRun } from '../spec.ts';

const NOBODY = 65_199;
/** Exit codes of the probe: what it found. */
const WORKED = 9;
const WORKED_WITH_VSOCK = 10;
const WORKED_WITH_NETWORK = 11;

// In a network namespace of its own, a run finds only the header line in /proc/net/tcp. Without perl there is neither a
// filter that closes vsock nor a test of vsock, so that it counts as open.
const IN_SANDBOX = `alone() { read -r _ && ! read -r _; }
alone </proc/net/tcp || exit ${WORKED_WITH_NETWORK}
[ ! -e /proc/net/tcp6 ] || alone </proc/net/tcp6 || exit ${WORKED_WITH_NETWORK}
perl -e 'exit 1 if socket S, 40, 1, 0' && exit ${WORKED}; exit ${WORKED_WITH_VSOCK}`;
// Socket families 2, 10 and 40 are IPv4, IPv6 and vsock; types 1 and 2 are streams and datagrams.
const WITHOUT = `perl -e 'for (2, 10, 40) { exit 1 if socket S, $_, 1, 0 or socket S, $_, 2, 0 }' && exit ${WORKED}
exit ${WORKED_WITH_NETWORK}`;
const LIMITS = {
  wallSeconds: 20,
  cpuSeconds: null,
  graceSeconds: 1,
  memoryMb: 1024,
  processes: 64,
  outputBytes: 65_536,
  diskMb: 64,
  files: 1000,
};

/** Run that tests whether a confinement works on a host; `folder` holds ctl, work, tmp and root. */
export function probeRun(confinement: Confinement, folder: string, supervisor: string): SupervisedRun {
  const at = (name: string): string => join(folder, name);
  return {
    control: at('ctl'),
    work: at('work'),
    tmp: at('tmp'),
    root: at('root'),
    fence: 0,
    talk: false,
    command: `touch here || exit 1\n${confinement.sandboxed ? IN_SANDBOX : WITHOUT}`,
    env: { PATH: '/usr/bin:/bin', HOME: at('work') },
    limits: LIMITS,
    confinement,
    uid: probeUid(confinement),
    show: [],
    hide: [],
    supervisor,
  };
}

/** User that must own the `work` of a probe; null for the supervisor's user. */
export const probeUid = ({ ownUid }: Confinement): number | null => (ownUid ? NOBODY : null);

/** Confinement as the probe found it; undefined if the probe failed, or if its sandbox left the network open. */
export function foundBy(end: RunEnd | undefined, confinement: Confinement): Confinement | undefined {
  const groups = end?.groups ?? [];
  switch (end?.exitCode) {
    case WORKED:
      return { ...confinement, groups, networkClosed: true, vsockClosed: true, loopback: end.loopback ?? false };
    case WORKED_WITH_VSOCK:
      return { ...confinement, groups, networkClosed: true, loopback: end.loopback ?? false };
    case WORKED_WITH_NETWORK:
      return confinement.sandboxed ? undefined : { ...confinement, groups, loopback: true };
    default:
      return undefined;
  }
}
