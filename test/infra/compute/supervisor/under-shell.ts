import { describe } from 'vitest';
import { confinements, PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { noBusybox } from '../../../support/machine/busybox.ts';
import { battery } from './battery.ts';
import { has, isRoot, supervise } from './supervise.ts';

export type Confined = 'namespaces' | 'group' | 'uid';

/** Declares a group of tests; skips it if a reason is given. */
export function unless(reason: string, title: string, tests: () => void): void {
  if (reason === '') describe(title, tests);
  else describe.skip(`${title} (${reason})`, tests);
}

const [best] = confinements(isRoot, true);
if (!best) throw new Error('expected a confinement to try');
export const probe = { shell: ['sh'], confinement: best, uid: best.ownUid ? 61_999 : null };
/** True if this machine gives runs namespaces. */
export const sandboxed = (await supervise(probe, 'exit 9')).end?.exitCode === 9;

/** The battery under one shell, in each of these confinements that the machine has. */
export const underShell = (shell: string[], confined: readonly Confined[]) =>
  describe(`under ${shell.join(' ')}`, () => {
    const program = shell[0] ?? '';
    const absent = has(program) ? '' : `${program} is not installed`;
    const missing = program === 'busybox' ? (noBusybox ?? '') : absent;
    if (confined.includes('namespaces'))
      unless(missing || (sandboxed ? '' : 'no namespaces here'), 'in namespaces', () => battery({ ...probe, shell }));

    // Without namespaces, a supervisor scans all processes. A namespace around the test limits the damage of a mistake.
    const within = ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'];
    const unsafe = missing || (isRoot && sandboxed ? '' : 'needs root and namespaces around it');
    if (confined.includes('group'))
      unless(unsafe, 'in a process group', () => battery({ shell, confinement: PROCESS_GROUP, uid: null, within }));
    if (!confined.includes('uid')) return;
    unless(unsafe, 'under a uid of its own', () => {
      const confinement = confinements(true, true).find(({ containment }) => containment === 'uid');
      if (!confinement) throw new Error('expected a confinement by uid');
      battery({ shell, confinement, uid: 61_998, within });
    });
  });
