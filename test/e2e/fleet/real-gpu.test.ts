import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { connect } from '../../../db/connect.ts';
import { applyFleet } from '../../../db/host/apply-fleet.ts';
import { requestProbe } from '../../../db/host/host-probes.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import type { TaskInput } from '../../../domain/task/task.ts';
import { trialsOf, untilStopped } from '../../support/e2e/slow-task.ts';
import { cudaProgram, GPU_ENV, GPU_PATH, GPUS, noGpu } from '../../support/machine/real-gpu.ts';
import { noSshd, startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

const skipReason = noGpu ?? noSshd;
/** Commands of the run. The program prints two bytes of GPU memory, each 7. */
const RUN = `. ./knobs.env
echo "step 1 loss 9"
python3 cuda.py > cuda.log || exit 1
grep -q 'of 1 ${GPUS[0]} read 7 7' cuda.log || { cat cuda.log; exit 1; }
echo "step 2 loss 8"
echo "$X" > out.txt
`;

describe.skipIf(skipReason !== undefined)(`a box with a real GPU ${skipReason ?? ''}`, () => {
  let stack: TestStack;
  let sshd: Sshd;
  let database: ReturnType<typeof connect>;
  let host: Record<string, unknown>;

  beforeAll(async () => {
    stack = await startTestStack();
    database = connect(stack.databaseUrl, { max: 2, onError: () => undefined });
    sshd = await startSshd({ path: GPU_PATH });
    const { address, port, user, key, knownHosts } = sshd;
    host = {
      name: 'box',
      pool: 'gpu',
      address,
      port,
      user,
      keyFile: key,
      knownHosts: [knownHosts],
      gpus: GPUS.slice(0, 1),
      path: GPU_PATH,
      env: GPU_ENV,
    };
    await stack.startWorker({ slots: 1 });
    await applyFleet(database.db, Fleet.parse({ pools: { gpu: { slots: 'gpu' } }, hosts: [host] }));
  });
  afterAll(async () => {
    await database.close();
    await sshd.destroy();
    await stack.stop();
  });

  /** Waits until the host is not in quarantine, has the note, and lends that number of slots. */
  const untilLent = (slots: number, note: string | null): Promise<void> =>
    stack.until(
      `${slots} slots of the box, noted: ${note}`,
      `select seen_at is not null and quarantined_until is null and note is not distinct from $2
         and (select count(*) from slots where host = 'box' and wanted) = $1 as done, note, last_error from hosts`,
      [slots, note],
    );

  test('is checked with a small run on that GPU', async () => {
    const folder = join(stack.home, 'check');
    mkdirSync(folder);
    writeFileSync(join(folder, 'fleet.yaml'), JSON.stringify({ pools: { gpu: { slots: 'gpu' } }, hosts: [host] }));
    const cli = join(packageRoot(), 'scripts', 'perpetua.mjs');
    const env = { ...process.env, PERPETUA_HOME: stack.home };
    const { stdout } = await promisify(execFile)(process.execPath, [cli, 'fleet', 'check'], { cwd: folder, env });
    expect(stdout).toContain('1 of 1 host can run trials, on 1 slot');
    expect(stdout).toMatch(/NVIDIA|Tesla|GeForce|Quadro/);
  });

  test('runs candidates on the GPU in a sandbox, and stores which GPU each run had', async () => {
    await untilLent(1, null);
    const files = { 'workspace/run.sh': RUN, 'workspace/cuda.py': cudaProgram() };
    const run: TaskInput['run'] = {
      command: 'sh run.sh',
      budget: { seconds: 60, kind: 'wall' },
      artefacts: [{ path: 'out.txt' }],
      resources: { pool: 'gpu', memoryMb: 4096, diskMb: 64 },
    };
    const task = await writeTask(join(stack.home, 'task'), { task: { run }, files });
    await stack.startResearch('real', { task, window: 1, budget: { trials: 3 } });
    await untilStopped(stack, 'real');
    const trials = await trialsOf(stack, 'real');
    expect(trials.map(({ status, failure_message: failure, runs }) => ({ status, failure, runs }))).toEqual(
      trials.map(() => ({ status: 'completed', failure: null, runs: 1 })),
    );
    const runs = await stack.query(`select distinct slots.gpu from runs join slots on slots.id = runs.slot_id`);
    expect(runs).toEqual([{ gpu: GPUS[0] }]);
  });

  test('is not lent while another program computes on its GPU, and is lent again afterwards', async () => {
    const stranger = spawn('python3', ['-c', cudaProgram({ seconds: 600 })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }) as ChildProcess & { stdout: NodeJS.ReadableStream };
    try {
      await once(stranger.stdout, 'data');
      await requestProbe(database.db, 'box');
      await untilLent(0, 'in use by others: GPU 0');
      expect(stranger.exitCode).toBeNull();
    } finally {
      stranger.kill('SIGKILL');
      await once(stranger, 'exit');
    }
    await requestProbe(database.db, 'box');
    await untilLent(1, null);
  });
});
