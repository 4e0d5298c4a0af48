import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { confinements } from '../../../infra/compute/run-protocol/confinement/confinement.ts';
import { base, isRoot, NOBODY, processesOf, supervise } from './supervisor/supervise.ts';
import { sandboxed, underShell, unless } from './supervisor/under-shell.ts';

// Dash is tested in all confinements here, the other shells in supervisor-shells.long.test.ts.
underShell(['dash'], ['namespaces', 'group', 'uid']);

unless(isRoot ? '' : 'needs root to become one', 'as an ordinary user', () => {
  const [ordinary] = confinements(false, true);
  if (!ordinary) throw new Error('expected a confinement for an ordinary user');
  let works = false;
  beforeAll(async () => {
    const got = await supervise({ shell: ['sh'], confinement: ordinary, uid: null, user: NOBODY }, 'exit 9');
    works = got.end?.exitCode === 9;
  });

  it('builds a sandbox with user namespaces if the kernel allows it', async (context) => {
    if (!works) return context.skip('this kernel gives ordinary users no namespaces');
    const got = await supervise(
      { shell: ['sh'], confinement: ordinary, uid: null, user: NOBODY },
      `touch here && ls /root /home '${base}' 2>&1; grep CapEff /proc/self/status; kill -9 0`,
    );
    expect(got.end).toMatchObject({ sandboxed: true, treeGone: true, signal: 'SIGKILL' });
    expect(got.output.match(/No such file/g)?.length).toBeGreaterThanOrEqual(2);
    expect(got.output).toMatch(/CapEff:\s0+$/m);
    expect(existsSync(join(got.directory, 'work/here'))).toBe(true);
  });
});

unless(sandboxed ? '' : 'no namespaces here', 'in its first steps', () => {
  const path = '/usr/sbin:/usr/bin:/sbin:/bin';
  const slowed = (program: string, script: string): string[] => {
    const folder = mkdtempSync(join(base, `slow-${program}-`));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, program), `#!/bin/sh\nPATH=${path}\n${script}\n`, { mode: 0o755 });
    return ['env', `PATH=${folder}:${path}`];
  };
  const namespaced = [...confinements(isRoot, true), ...confinements(isRoot, false)].filter(
    ({ containment }) => containment === 'pid-namespace',
  );

  // HOME marks these processes, so that leftovers can be found.
  const hungMount = [...slowed('mount', "trap '' TERM; while :; do sleep 4503; done"), `HOME=${base}/hung`];
  const slowMount = slowed('mount', 'sleep 0.3; exec mount "$@"');
  const lateInit = slowed(
    'unshare',
    // Starts process 1 only after the run was ended. The control directory is the last argument.
    'for control; do :; done\n' +
      '(n=0; until [ -e "$control/reason" ] || [ $n = 200 ]; do sleep 0.1; n=$((n + 1)); done; ' +
      'exec unshare "$@") & wait',
  );

  it.each([...new Set(namespaced)])(
    'a run has no other processes counted as its own (sandboxed: $sandboxed)',
    async (confinement) => {
      const uid = confinement.ownUid ? 61_997 : null;
      const within = slowMount;
      const got = await supervise({ shell: ['sh'], confinement, uid, within }, 'sleep 0.3', { processes: 8 });
      expect(got.complaints).toBe('');
      expect(got.end).toMatchObject({ reason: 'exit', exitCode: 0 });
      expect(got.end?.wallSeconds).toBeGreaterThan(0.55);
    },
  );

  it.each([...new Set(namespaced)])(
    'a run that is ended while process 1 is starting never starts (sandboxed: $sandboxed)',
    async (confinement) => {
      const uid = confinement.ownUid ? 61_996 : null;
      const setting = { shell: ['sh'], confinement, uid, within: lateInit };
      const got = await supervise(setting, 'echo started; sleep 4501', { wallSeconds: 0.1 });
      // The run is lost, not failed.
      expect(got).toMatchObject({ output: '', end: undefined, code: 71 });
    },
  );

  it.each([...new Set(namespaced)])(
    'a run whose sandbox is not built within its time is lost, and leaves nothing (sandboxed: $sandboxed)',
    async (confinement) => {
      const uid = confinement.ownUid ? 61_995 : null;
      const setting = { shell: ['sh'], confinement, uid, within: hungMount };
      const got = await supervise(setting, 'echo started', { wallSeconds: 0.5 });
      expect(got).toMatchObject({ complaints: '', end: undefined, code: 71 });
      expect(got.output).not.toContain('started');
      expect(processesOf(`${base}/hung`)).toEqual([]);
    },
  );
});
