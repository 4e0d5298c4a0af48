import { confinements } from '../../../infra/compute/run-protocol/confinement/confinement.ts';
import { battery } from './supervisor/battery.ts';
import { isRoot, NOBODY } from './supervisor/supervise.ts';
import { underShell, unless } from './supervisor/under-shell.ts';

// No line of the script depends on both its shell and its confinement: two shells for each confinement are enough.
underShell(['busybox', 'sh'], ['namespaces', 'group']);
underShell(['bash'], ['uid']);

unless(isRoot ? '' : 'needs root to become one', 'as an ordinary user', () => {
  const [ordinary] = confinements(false, true);
  if (!ordinary) throw new Error('expected a confinement for an ordinary user');
  battery({ shell: ['sh'], confinement: ordinary, uid: null, user: NOBODY });
});
