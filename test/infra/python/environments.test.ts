import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { bytes, followToEnd, specOf } from '../compute/conformance/support.ts';
import { lockedBy, realEnvironments, SIX, whatIsThere } from '../../support/python.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-python-'));
const compute = createLocalCompute({ home, installation: 'python-tests' });
afterAll(() => rmSync(home, { recursive: true, force: true }));
const { python, lacks } = await whatIsThere(compute);
if (lacks !== null) console.warn(`environments are not built in these tests: ${lacks}`);

describe.skipIf(lacks !== null)('a Python of its own', () => {
  const environments = realEnvironments();
  const locked = lockedBy(SIX, python);

  test('comes first on the PATH of a run, which finds its packages in the sandbox and changes nothing of it', async () => {
    const name = await environments.nameOn(compute, locked);
    await compute.stage('python-run', [{ path: 'main.txt', content: bytes('') }]);
    const script = 'import six, sys; print(six.__version__, sys.prefix); open(six.__file__, "a")';
    const spec = specOf(`python -c '${script}'; echo $HOME $OMP_NUM_THREADS`, {
      ...{ stageHash: 'python-run', environment: name },
    });
    await compute.launch(spec);
    const { text } = await followToEnd(compute, spec);
    expect(text).toContain(`1.17.0 ${join(home, 'stages', name, 'data', 'venv')}`);
    expect(text).toMatch(/PermissionError|Read-only file system/);
    expect(text).toMatch(/^\/\S+ 1$/m);
    const { mode } = statSync(join(home, 'stages', name, 'data', 'venv', 'pyvenv.cfg'));
    expect(mode & 0o222).toBe(0);
  });
});
