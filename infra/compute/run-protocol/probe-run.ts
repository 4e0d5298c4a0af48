import { join } from 'node:path/posix';
import type { RunEnd } from '../../compute.ts';
import type { Confinement } from './confinement.ts';
import type { SupervisedRun } from './spec.ts';

const NOBODY = 65_199;
/** What the probe says of itself by its exit code. */
const WORKED = 9;
const WORKED_WITH_VSOCK = 10;
// Where nothing can close these sockets, nothing can ask for one either.
const COMMAND = `touch here || exit 1; perl -e 'exit 1 if socket S, 40, 1, 0' && exit ${WORKED}; exit ${WORKED_WITH_VSOCK}`;
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

/** A run that shows whether a confinement really works on a host; `folder` holds ctl, work, tmp and root. */
export function probeRun(confinement: Confinement, folder: string, supervisor: string): SupervisedRun {
  const at = (name: string): string => join(folder, name);
  return {
    control: at('ctl'),
    work: at('work'),
    tmp: at('tmp'),
    root: at('root'),
    fence: 0,
    talk: false,
    command: COMMAND,
    env: { PATH: '/usr/bin:/bin', HOME: at('work') },
    limits: LIMITS,
    confinement,
    uid: probeUid(confinement),
    show: [],
    hide: [],
    supervisor,
  };
}

/** The user that must own its `work`; null for the supervisor's. */
export const probeUid = ({ ownUid }: Confinement): number | null => (ownUid ? NOBODY : null);

/** The confinement as that run found it; undefined if the run could not do what it was asked to. */
export function foundBy(end: RunEnd | undefined, confinement: Confinement): Confinement | undefined {
  if (end?.exitCode !== WORKED && end?.exitCode !== WORKED_WITH_VSOCK) return undefined;
  return { ...confinement, vsockClosed: end.exitCode === WORKED };
}
