import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkGpus } from '../../../cli/doctor/gpus.ts';
import { machineGpus } from '../../../infra/machine-gpus.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-smi-'));
afterAll(() => rmSync(folder, { recursive: true }));

function smi(script: string): { env: { PATH: string } } {
  writeFileSync(join(folder, 'nvidia-smi'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { env: { PATH: folder } };
}
const TWO = 'echo "0, GPU-a, Fast One, 81920"; echo "1, GPU-b, Fast One, 81920"';

test('the doctor names the GPUs that a task can run on, and how it asks for one', async () => {
  expect(await checkGpus({ ...smi(TWO), ownGpus: 'auto' })).toEqual({
    ...{ name: 'gpus', status: 'ok', fix: null },
    found:
      '2 GPUs (Fast One, 80 GiB; Fast One, 80 GiB); a task runs on one with run.resources.pool: gpu (npx perpetua init DIR --pool gpu)',
  });
  expect((await checkGpus({ ...smi(TWO), ownGpus: ['1'] })).found).toMatch(/^1 GPU /);
  expect(await checkGpus({ ...smi(TWO), ownGpus: ['7'] })).toMatchObject({
    status: 'note',
    fix: expect.stringContaining('PERPETUA_GPUS') as string,
  });
  expect((await checkGpus({ ...smi(TWO), ownGpus: 'none' })).found).toContain('none of which is lent');
});

test('an nvidia-smi that fails or hangs is told, and holds nothing up', async () => {
  const failed = await checkGpus({ ...smi('echo "no driver"; exit 9'), ownGpus: 'auto' });
  expect(failed).toMatchObject({ status: 'note', found: 'cannot be used: nvidia-smi ended with 9: no driver' });
  expect(await machineGpus(smi('exec sleep 4871').env.PATH, 300)).toEqual({
    fault: 'nvidia-smi gave no answer within 0.3 s: the driver or a GPU is gone',
  });
});
