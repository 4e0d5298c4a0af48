import { describe, expect, it, type TestContext } from 'vitest';
import { confinements } from '../../../infra/compute/run-protocol/confinement/confinement.ts';
import { noRestrictedRoot, withoutPerl } from '../../support/machine/without-namespaces.ts';
import { has, isRoot, NOBODY, supervise, type Setting } from './supervisor/supervise.ts';

const [ofUser] = confinements(false, true);
if (!ofUser) throw new Error('expected a sandbox of an ordinary user');
/** As the user of the tests: process 1 has the run's user. */
const ofUs: Setting = { shell: ['sh'], confinement: ofUser, uid: null };
/** As an ordinary user; if the tests run as root, as another user. */
const ordinary: Setting = { ...ofUs, ...(isRoot ? { user: NOBODY } : {}) };

async function inSandbox(setting: Setting, command: string, skip: TestContext['skip']) {
  const got = await supervise(setting, command);
  skip(got.end === undefined, `no such sandbox here: ${got.output}`);
  return got;
}

const NO_FILES = 'prlimit --pid 1 --fsize=0:0';
/** The same by a 32-bit call, which 64-bit code may make, too. */
const NO_FILES_32 = `cat >ask.c <<'end'
#include <stdio.h>
static unsigned long long none[2];
int main(void) {
  long got = 340;
  __asm__ volatile("int $0x80" : "+a"(got) : "b"(1L), "c"(1L), "d"(none), "S"(0L) : "memory", "r8", "r9", "r10", "r11");
  printf("answer %ld\\n", got);
}
end
cc -static -no-pie -o ask ask.c && ./ask`;

describe.skipIf(!has('perl') || !has('prlimit'))('process 1 of a sandbox of an ordinary user', () => {
  it.for([NO_FILES, 'prlimit --pid 1 --cpu=1:1'])(
    'takes no limit from `%s`: the run keeps its own end',
    async (ask, { skip }) => {
      const { output, end } = await inSandbox(ordinary, `${ask}; exit 1`, skip);
      expect(output).toMatch(/not permitted/);
      expect(end).toMatchObject({ reason: 'exit', exitCode: 1 });
    },
  );

  it.skipIf(process.arch !== 'x64' || !has('cc'))('takes no limit by a 32-bit call', async ({ skip }) => {
    const { output, end } = await inSandbox(ordinary, `${NO_FILES_32}; exit 1`, skip);
    skip(
      !output.includes('answer') || output.includes('answer -38'),
      `no static code, or no 32-bit calls, here: ${output}`,
    );
    expect(output).toBe('answer -1\n');
    expect(end).toMatchObject({ reason: 'exit', exitCode: 1 });
  });

  it('cannot be made the process that the kernel kills first when memory is short', async ({ skip }) => {
    const files = 'oom_score_adj oom_adj task/1/oom_score_adj task/1/oom_adj';
    const raise = `for f in ${files}; do { echo 15 >/proc/1/$f; } 2>/dev/null && echo raised $f; done`;
    const { output } = await inSandbox(ordinary, `${raise}; cat /proc/1/oom_score_adj /proc/self/oom_score_adj`, skip);
    expect(output).toBe('0\n1000\n');
  });

  it('keeps its share of the CPU', async ({ skip }) => {
    const lower = '[ -e /proc/1/autogroup ] || echo absent; echo 19 >/proc/1/autogroup; cat /proc/1/autogroup';
    // A session of its own: process 1 shares the group of its supervisor's session, here that of the tests.
    const { output } = await inSandbox({ ...ordinary, within: ['setsid', '--wait'] }, lower, skip);
    skip(output.startsWith('absent'), 'the kernel has no groups of sessions (CONFIG_SCHED_AUTOGROUP)');
    expect(output).toMatch(/Read-only file system\n.* nice 0\n$/s);
  });

  it('lets a program set limits for itself and its children', async ({ skip }) => {
    const { output } = await inSandbox(
      ordinary,
      'ulimit -n 64 && prlimit --cpu=7:7 sh -c "ulimit -n; ulimit -t"',
      skip,
    );
    expect(output).toBe('64\n7\n');
  });

  it.skipIf(noRestrictedRoot !== undefined)(
    'takes a limit if no filter prevents it, and the end is blamed on the run',
    async ({ skip }) => {
      const { output, end } = await inSandbox(
        { ...ofUs, within: withoutPerl() },
        `${NO_FILES} && echo set; exit 1`,
        skip,
      );
      expect(output).toBe('set\n');
      expect(end).toMatchObject({ reason: 'exit', exitCode: 1 });
    },
  );
});
