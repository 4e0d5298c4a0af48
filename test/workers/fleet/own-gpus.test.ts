import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { SYSTEM_PATH } from '../../../infra/system-path.ts';
import { driverOf } from '../../../workers/fleet/own-gpus.ts';

const USUAL = `${dirname(process.execPath)}:${SYSTEM_PATH}`;

test.each([
  ['/usr/bin/nvidia-smi', USUAL],
  ['/usr/lib/wsl/lib/nvidia-smi', `${USUAL}:/usr/lib/wsl/lib`],
  ['/opt/bin/nvidia-smi', `${USUAL}:/opt/bin`],
  ['/home/ada/bin/nvidia-smi', USUAL],
])('runs find the nvidia-smi at %s, if a sandbox shows its folder', (program, path) => {
  expect(driverOf(program, {})).toEqual({ path, env: {} });
});

test('of the folders on LD_LIBRARY_PATH runs get those that hold the driver, if a sandbox shows them', () => {
  const has = ['/usr/local/nvidia/lib64', '/home/ada/lib'].map((folder) => `${folder}/libcuda.so.1`);
  const env = { LD_LIBRARY_PATH: '/opt/conda/lib:/usr/local/nvidia/lib64:/home/ada/lib:' };
  expect(driverOf('/usr/bin/nvidia-smi', env, (path) => has.includes(path)).env).toEqual({
    LD_LIBRARY_PATH: '/usr/local/nvidia/lib64',
  });
});
