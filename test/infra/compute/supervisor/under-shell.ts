import { describe } from 'vitest';
import { confinements, PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement.ts';
import { noBusybox } from '../../../support/machine/busybox.ts';
import { battery } from './battery.ts';
import { has, isRoot, supervise } from './supervise.ts';

export type Confined = 'namespaces' | 'group' | 'uid';

/** A group of tests, skipped with its reason where there is one. */
export function unless(reason: string, title: string, tests: () => void): void {
  if (reason === '') describe(title, tests);
  else describe.skip(`${title} (${reason})`, tests);
}

const [best] = confinements(isRoot, true);
if (!best) throw new Error('expected a confinement to try');
export const probe = { shell: ['sh'], confinement: best, uid: best.ownUid ? 61_999 : null };
/** Whether this machine gives a run namespaces. */
export const sandboxed = (await supervise(probe, 'exit 9')).end?.exitCode === 9;

/** The battery under one shell, in each of these confinements that the machine has. */
export const underShell = (shell: string[], confined: readonly Confined[]) =>
  describe(`under ${shell.join(' ')}`, () => {
    const program = shell[0] ?? '';
    const absent = has(program) ? '' : `${program} is not installed`;
    const missing = program === 'busybox' ? (noBusybox ?? '') : absent;
    if (confined.includes('namespaces'))
      unless(missing || (sandboxed ? '' : 'no namespaces here'), 'in namespaces', () => battery({ ...probe, shell }));

    // Without namespaces of their own these scan all processes: a namespace around the test keeps a mistake small.
    const within = ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'];
    const unsafe = missing || (isRoot && sandboxed ? '' : 'needs root and namespaces around it');
    if (confined.includes('group'))
      unless(unsafe, 'in a process group', () => battery({ shell, confinement: PROCESS_GROUP, uid: null, within }));
    if (!confined.includes('uid')) return;
    unless(unsafe, 'under a uid of its own', () => {
      const confinement = confinements(true, true).find((one) => one.containment === 'uid');
      if (!confinement) throw new Error('expected a confinement by uid');
      battery({ shell, confinement, uid: 61_998, within });
    });
  });
