import { join } from 'node:path/posix';
import type { RunEnd } from '../../compute.ts';
import type { Confinement } from './confinement.ts';
import type { SupervisedRun } from './spec.ts';

const NOBODY = 65_199;
const LIMITS = {
  wallSeconds: 20,
  cpuSeconds: null,
  graceSeconds: 1,
  memoryMb: 1024,
  processes: 64,
  outputBytes: 65_536,
  diskMb: 64,
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
    command: 'touch here && exit 9',
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

/** True if that run did what it was asked to. */
export const hasWorked = (end: RunEnd | undefined): boolean => end?.exitCode === 9;
