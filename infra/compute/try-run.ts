import type { Compute, RunRef, RunSpec } from '../compute.ts';
import { runToEnd } from './run-to-end.ts';
import { MOST_UIDS } from './run-protocol/environment.ts';

const PATIENCE_MS = 60_000;
const WALL_SECONDS = 30;
const ANSWER = 'it works';
/** Stage id. It changes with the answer, since a host keeps what was staged under an id. */
const STAGE = 'try-run-1';

/** Result of a small run. */
export interface Tried {
  seconds: number;
  /** Output of `nvidia-smi -L` in the run; empty if the run has no GPU or no nvidia-smi. */
  gpus: string;
}

/**
 * Runs one small command on a host through all steps of a run, from staging to removal, on a GPU if one is named.
 * Throws an error if any step fails. The caller judges which GPU the run saw.
 */
export async function tryRun(compute: Compute, run: RunRef, gpu: string | null = null): Promise<Tried> {
  const begun = performance.now();
  const ended = await runToEnd(compute, specOf(run, gpu), {
    stage: [{ path: 'answer.txt', content: Buffer.from(ANSWER) }],
    wanted: { artefacts: [] },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (ended === 'lost')
    throw new Error(
      'expected a small run to end; its supervisor died before. ' +
        'Check that the folders of `readable` exist and that the host allows a sandbox',
    );
  if (ended === 'stopped') throw new Error(`expected a small run to end within ${PATIENCE_MS / 1000} s; it did not`);
  const { end, logTail } = ended;
  const [answer = '', ...gpuLines] = logTail.split('\n');
  if (answer === ANSWER && gpu !== null && end.reason === 'wall')
    throw new Error(`expected nvidia-smi -L to end in a run within ${WALL_SECONDS} s; it did not`);
  if (end.reason !== 'exit' || end.exitCode !== 0 || answer !== ANSWER)
    throw new Error(
      `expected a small run to print ${JSON.stringify(ANSWER)}; it ended by ${end.reason} with ` +
        `${String(end.exitCode ?? end.signal)} and ${JSON.stringify(logTail.slice(-200))}`,
    );
  return { seconds: (performance.now() - begun) / 1000, gpus: gpuLines.join('\n').trim() };
}

const LIST_GPUS = 'if command -v nvidia-smi >/dev/null; then nvidia-smi -L 2>&1 | head -c 8192; fi; exit 0';

const specOf = (run: RunRef, gpu: string | null): RunSpec => ({
  ...run,
  fence: 1,
  // The last index, so that no run of a real slot shares its uid.
  slot: { id: 'try', pool: 'try', index: MOST_UIDS - 1, gpu },
  stageHash: STAGE,
  files: [],
  command: gpu === null ? 'cat answer.txt' : `cat answer.txt; echo; ${LIST_GPUS}`,
  env: {},
  limits: {
    wallSeconds: WALL_SECONDS,
    cpuSeconds: null,
    graceSeconds: 2,
    memoryMb: 256,
    processes: 16,
    outputBytes: 65_536,
    diskMb: 16,
    files: 1000,
  },
  sandbox: 'preferred',
});
