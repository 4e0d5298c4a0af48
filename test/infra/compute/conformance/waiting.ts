import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { sharedCore } from '../../../../domain/trial/contention.ts';
import { signalAll } from '../../../support/process/signal.ts';
import { LIMITS, specOf, type Bench } from './support.ts';

/** True on a kernel without schedstat, which does not measure how long a process waits for a CPU. */
const noSchedstat = !existsSync('/proc/self/schedstat');
const SECONDS = 3;
const COMPUTE = `timeout ${SECONDS} sh -c 'while :; do :; done'; true`;

// Threads that all wake at once, ten times a second. For nearly all of the time awake, they wait for each other.
const BURSTS = `cat >bursts.mjs <<'END'
import { Worker } from 'node:worker_threads';
const bell = new Int32Array(new SharedArrayBuffer(4));
const burst = \`
  const { workerData: bell } = require('node:worker_threads');
  for (;;) {
    Atomics.wait(bell, 0, Atomics.load(bell, 0));
    for (const began = performance.now(); performance.now() - began < 0.3; );
  }
\`;
for (let i = 0; i < 24; i++) new Worker(burst, { eval: true, workerData: bell });
setInterval(() => { Atomics.add(bell, 0, 1); Atomics.notify(bell, 0); }, 100);
setTimeout(() => process.exit(0), ${SECONDS * 1000});
END
node bursts.mjs`;

/** Part of the suite: how long a run was kept from a CPU. */
export function waitingTests({ compute, run: launch }: Bench): void {
  const run = async (command: string) =>
    (await launch(command, { limits: { ...LIMITS, wallSeconds: 300, cpuSeconds: 100, memoryMb: 4096 } })).end;

  it.skipIf(noSchedstat)(
    'is long for a run that computes on a busy machine, and short for one that sleeps there',
    async () => {
      // A session of its own for each: some kernels share the machine by session. `timeout` ends each for certain.
      const busy = Array.from({ length: 2 * availableParallelism() }, () =>
        spawn('timeout', ['180', 'sh', '-c', 'while :; do :; done'], { detached: true, stdio: 'ignore' }),
      );
      try {
        const measure = async (): Promise<[number, number]> => {
          const [computes, sleeps] = await Promise.all([run(COMPUTE), run(`sleep ${SECONDS}`)]);
          // On a very slow machine, the run may end before the first measurement.
          return [computes.waitSeconds ?? NaN, sleeps.waitSeconds ?? NaN];
        };
        const until = Date.now() + 120_000;
        let [computes, sleeps] = await measure();
        // The start of the sleeping run waits for a CPU, too; on a busy machine perhaps as long as the other.
        while (!(computes > SECONDS / 4 && sleeps < computes / 2) && Date.now() < until)
          [computes, sleeps] = await measure();
        expect(computes).toBeGreaterThan(SECONDS / 4);
        expect(sleeps).toBeLessThan(computes / 2);
      } finally {
        for (const { pid } of busy) if (pid !== undefined) signalAll([-pid]);
      }
    },
  );

  it.skipIf(noSchedstat)('does not count the time that threads of the run wait for each other', async (context) => {
    let quiet = 0;
    for (let attempt = 0; attempt < 3; attempt++) {
      const bursts = await run(BURSTS);
      expect(bursts).toMatchObject({ reason: 'exit', exitCode: 0 });
      if (!sharedCore(bursts)) return;
      // A contended result proves nothing if others keep the machine busy. The control misses others that just ended.
      if (((await run(COMPUTE)).waitSeconds ?? 0) < 0.1) quiet += 1;
    }
    expect(quiet).toBeLessThan(3);
    context.skip('others kept this machine busy');
  });

  it.skipIf(noSchedstat)('is reported of a run under way', async () => {
    const spec = specOf('while :; do :; done', { limits: { ...LIMITS, wallSeconds: 300 } });
    await compute().launch(spec);
    const waitSeconds = async (): Promise<number | undefined> => {
      const found = await compute().inspect(spec);
      return found.state === 'running' ? found.waitSeconds : NaN;
    };
    await expect.poll(waitSeconds, { timeout: 60_000 }).toBeGreaterThanOrEqual(0);
    await compute().kill(spec, spec.fence);
  });

  it('is not counted for a run without a limit of time', async () => {
    const limits = { ...LIMITS, wallSeconds: null, cpuSeconds: null };
    expect((await launch('sleep 0.7', { limits })).end.waitSeconds).toBeUndefined();
  });
}
