import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkGpus } from '../../../cli/doctor/gpus.ts';
import { machineGpus } from '../../../infra/gpus/machine-gpus.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-smi-'));
afterAll(() => rmSync(folder, { recursive: true }));

function smi(script: string): { env: { PATH: string } } {
  writeFileSync(join(folder, 'nvidia-smi'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { env: { PATH: folder } };
}
const TWO = 'echo "0, GPU-a, Fast One, 81920"; echo "1, GPU-b, Fast One, 81920"';

test('the doctor names the GPUs that a task can use, and how to request one', async () => {
  expect(await checkGpus({ ...smi(TWO), ownGpus: 'auto' })).toEqual({
    name: 'gpus',
    status: 'ok',
    fix: null,
    found:
      '2 GPUs (Fast One, 80 GiB; Fast One, 80 GiB); ' +
      'to run a task on one, set run.resources.pool: gpu (npx perpetua init DIR --pool gpu)',
  });
  expect((await checkGpus({ ...smi(TWO), ownGpus: ['1'] })).found).toMatch(/^1 GPU /);
  expect(await checkGpus({ ...smi(TWO), ownGpus: ['7'] })).toMatchObject({
    status: 'note',
    fix: expect.stringContaining('PERPETUA_GPUS') as string,
  });
  expect((await checkGpus({ ...smi(TWO), ownGpus: 'none' })).found).toContain('GiB), no slots: PERPETUA_GPUS');
});

test('a GPU with an error is named, and no slot, whatever the task names', async () => {
  const script = 'echo "0, GPU-a, Fast One, 81920, 31, 60, 0"; echo "1, GPU-b, Fast One, 81920, ERR!, ERR!, 0"';
  for (const ownGpus of ['auto', ['1']] as const)
    expect(await checkGpus({ ...smi(script), ownGpus: ownGpus === 'auto' ? ownGpus : [...ownGpus] })).toMatchObject({
      status: 'note',
      found:
        '1 GPU (Fast One, 80 GiB); GPU 1 reports ERR!: ' +
        'no slot until nvidia-smi shows no error (reset the GPU, or reboot)',
      fix: expect.stringContaining('reboot') as string,
    });
});

test('an nvidia-smi that fails or hangs is reported, and delays nothing', async () => {
  const failed = await checkGpus({ ...smi('echo "no driver"; exit 9'), ownGpus: 'auto' });
  expect(failed).toMatchObject({ status: 'note', found: 'cannot be used: nvidia-smi ended with 9: no driver' });
  expect(await machineGpus(smi('exec sleep 4871').env, 300)).toEqual({
    fault: 'nvidia-smi gave no answer within 0.3 s: the driver or a GPU is gone',
  });
});

test.each([
  ['echo "No devices were found"; exit 6', 'nvidia-smi ended with 6: No devices were found'],
  [
    'echo "Failed to initialize NVML: Driver/library version mismatch"; echo "NVML library version: 535.183"; exit 18',
    'nvidia-smi ended with 18: Failed to initialize NVML: Driver/library version mismatch ' +
      'NVML library version: 535.183',
  ],
  [
    'echo "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver."; exit 9',
    'nvidia-smi ended with 9: NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.',
  ],
])('the message of a broken driver is reported in one line: %s', async (script, message) => {
  const { found, fix } = await checkGpus({ ...smi(script), ownGpus: 'auto' });
  expect({ found, fix }).toEqual({
    found: `cannot be used: ${message}`,
    fix: expect.stringContaining('reboot') as string,
  });
});

test('parts of a GPU are named, and a library that is on LD_LIBRARY_PATH alone is found', async () => {
  const list = 'GPU 0: Fast One (UUID: GPU-a)\\n  MIG 3g.20gb     Device  0: (UUID: MIG-b)\\n';
  const { env } = smi(
    '[ "$LD_LIBRARY_PATH" = /usr/local/nvidia/lib64 ] || exit 12\n' +
      `case $1 in -L) printf '${list}' ;; *) echo "0, GPU-a, Fast One, 40960" ;; esac`,
  );
  const there = { ...env, LD_LIBRARY_PATH: '/usr/local/nvidia/lib64' };
  expect((await checkGpus({ env: there, ownGpus: ['MIG-b'] })).found).toMatch(
    /^1 GPU \(Fast One MIG 3g.20gb, 20 GiB\);/,
  );
});

test('an AMD GPU is reported as no slot', async () => {
  const nothing = { env: { PATH: '/nonexistent' }, ownGpus: 'auto' as const };
  expect((await checkGpus(nothing, { amd: folder })).found).toMatch(
    /^an AMD GPU .* which is no slot: only GPUs that nvidia-smi lists/,
  );
  expect((await checkGpus(nothing, { amd: join(folder, 'none') })).found).toBe(
    'none: there is no nvidia-smi on the PATH',
  );
});
