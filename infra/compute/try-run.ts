import type { Compute, RunRef, RunSpec } from '../compute.ts';
import { MOST_UIDS } from './run-protocol/environment.ts';

const PATIENCE_MS = 60_000;
const ANSWER = 'it works';
/** Another name for another answer: what is staged stays. */
const STAGE = 'try-run-1';

/**
 * Runs one small command on a host the way of every run, from staging to removal, on a GPU if one is named; the seconds it
 * took. Throws what went wrong.
 */
export async function tryRun(compute: Compute, run: RunRef, gpu: string | null = null): Promise<number> {
  const begun = performance.now();
  await compute.stage(STAGE, [{ path: 'answer.txt', content: Buffer.from(ANSWER) }]);
  try {
    await compute.launch(specOf(run, gpu));
    const signal = AbortSignal.timeout(PATIENCE_MS);
    let last = '';
    for await (const event of compute.follow(run, 0, signal)) last = event.type;
    if (last === 'lost')
      throw new Error(
        'expected a small run to end; its supervisor died before: are the folders of `readable` there, and is a sandbox allowed?',
      );
    if (last !== 'ended') throw new Error(`expected a small run to end within ${PATIENCE_MS / 1000} s; it did not`);
    const { end, logTail } = await compute.collect(run, { artefacts: [] });
    if (end.reason !== 'exit' || end.exitCode !== 0 || logTail.trim() !== ANSWER)
      throw new Error(
        `expected a small run to print ${JSON.stringify(ANSWER)}; it ended by ${end.reason} with ${String(end.exitCode ?? end.signal)} and ${JSON.stringify(logTail.slice(-200))}`,
      );
  } finally {
    await compute.kill(run, 1);
    await compute.remove(run);
  }
  return (performance.now() - begun) / 1000;
}

const specOf = (run: RunRef, gpu: string | null): RunSpec => ({
  ...run,
  fence: 1,
  // The last index: no run of a slot shares its uid.
  slot: { id: 'try', pool: 'try', index: MOST_UIDS - 1, gpu },
  stageHash: STAGE,
  files: [],
  command: 'cat answer.txt',
  env: {},
  limits: {
    wallSeconds: 30,
    cpuSeconds: null,
    graceSeconds: 2,
    memoryMb: 256,
    processes: 16,
    outputBytes: 4096,
    diskMb: 16,
    files: 1000,
  },
  sandbox: 'preferred',
});
