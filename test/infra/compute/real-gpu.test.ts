import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { confinements } from '../../../infra/compute/run-protocol/confinement/confinement.ts';
import { cudaProgram, GPU_ENV, GPU_PATH, GPUS, noGpu, noTorch, TRAINING } from '../../support/machine/real-gpu.ts';
import { NOBODY, supervise } from './supervisor/supervise.ts';

/** Command of a run that writes the Python program to a file and starts it with the variables that it needs. */
const command = (program: string): string =>
  [
    ...Object.entries({ PATH: GPU_PATH, CUDA_VISIBLE_DEVICES: GPUS[0], ...GPU_ENV }).map(
      ([name, value]) => `export ${name}='${value}'`,
    ),
    `cat >cuda.py <<'EOF'\n${program}EOF`,
    'python3 cuda.py',
  ].join('\n');
/** Free memory of the first GPU, in MiB. */
const freeMb = (): number => {
  const words = ['--query-gpu=memory.free', '--format=csv,noheader,nounits', `--id=${GPUS[0]}`];
  return Number(execFileSync('nvidia-smi', words, { encoding: 'utf8' }));
};
const freeBefore = noGpu === undefined ? freeMb() : 0;
const offered = confinements(process.getuid?.() === 0, true);

describe.skipIf(noGpu !== undefined)(`a real GPU ${noGpu ?? ''}`, () => {
  it.each(offered)(
    'computes for a run, held by $containment, in a sandbox: $sandboxed, with keys of its own: $ownKeys',
    async (confinement) => {
      const uid = confinement.ownUid ? NOBODY : null;
      const { end, output } = await supervise({ shell: ['sh'], confinement, uid }, command(cudaProgram()), {
        memoryMb: 4096,
        wallSeconds: 60,
      });
      expect(output).toBe(`of 1 ${GPUS[0]} read 7 7\n`);
      expect(end).toMatchObject({ reason: 'exit', exitCode: 0, treeGone: true });
    },
  );

  it.each(offered)(
    'is free again after a run reached its limit, held by $containment, sandbox: $sandboxed, keys of its own: $ownKeys',
    async (confinement) => {
      const uid = confinement.ownUid ? NOBODY : null;
      const endless = command(cudaProgram({ mb: 4096, seconds: 600 }));
      const { end, output } = await supervise({ shell: ['sh'], confinement, uid }, endless, {
        memoryMb: 4096,
        wallSeconds: 5,
      });
      expect(output).toContain(`${GPUS[0]} read 7 7`);
      expect(end).toMatchObject({ reason: 'wall', treeGone: true });
      await expect.poll(freeMb).toBeGreaterThan(freeBefore - 1024);
    },
  );

  it.skipIf(noTorch !== undefined).each(offered)(
    `trains a PyTorch model with data loader workers, held by $containment, sandbox: $sandboxed ${noTorch ?? ''}`,
    async (confinement) => {
      const uid = confinement.ownUid ? NOBODY : null;
      const { end, output } = await supervise({ shell: ['sh'], confinement, uid }, command(TRAINING), {
        memoryMb: 8192,
        processes: 64,
        wallSeconds: 120,
      });
      expect(output).toMatch(/^(step \d loss \d\.\d+\n){4}$/);
      expect(end).toMatchObject({ reason: 'exit', exitCode: 0, treeGone: true });
    },
    150_000,
  );
});
