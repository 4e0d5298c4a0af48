import { join } from 'node:path';
import { expect } from 'vitest';
import type { KillPoint } from '../../../activities/deps.ts';
import { expectNoProcesses, expectStrictVerdicts, expectEventsOnce, readLedger } from '../database/ledger.ts';
import type { TestStack, TestWorker } from '../stack.ts';
import { writeTask } from '../tasks.ts';
import { slotStates } from './cases.ts';
import { startsFile, startsOf } from './slow-task.ts';

/** Proposals of a research that survives. */
export const SEARCHES = 3;
/** Steps of each curve. */
const CURVE = '1 2';
/** Notes each start outside the run, so that a second start shows. */
export const RUN = `. ./knobs.env
echo "$PERPETUA_SEED" >> "$STARTS"
echo "step 1 loss 2.5"
echo "step 2 loss 1.5"
echo "$X" > out.txt
`;
const stopped = `select phase = 'stopped' as done, phase, reason, last_n from researches where id = $1`;

export const runOf = (stack: TestStack, id: string, env: Record<string, string> = {}) => ({
  command: 'sh run.sh',
  budget: { seconds: 60, kind: 'wall' as const },
  artefacts: [{ path: 'out.txt' }],
  sandbox: 'none' as const,
  env: { STARTS: startsFile(stack, id), ...env },
});

/** Runs one research whose only worker dies once at a kill point; `restart` starts the next worker. Returns its id. */
export async function survive(
  stack: TestStack,
  worker: TestWorker,
  { killAt, proposer, restart }: { killAt: KillPoint; proposer: 'random' | 'llm'; restart: () => Promise<void> },
): Promise<string> {
  const id = `${proposer}-${killAt}`;
  const task = await writeTask(join(stack.home, 'tasks', id), {
    task: { run: runOf(stack, id), search: { parent: 'original', proposer, window: 2 } },
    files: { 'workspace/run.sh': RUN },
  });
  worker.dieAt(killAt);
  await stack.startResearch(id, { task, budget: { trials: SEARCHES }, maxHistory: 50 });
  await worker.gone;
  expect(worker.process.signalCode).toBe('SIGKILL');
  await restart();
  await stack.until('the research to end', stopped, [id]);
  return id;
}

/**
 * Expects the same trials, each run once and whole, the same verdicts, no slot held and nothing left running. `lost`:
 * placements without an end. Returns the number of repeated model calls.
 */
export async function expectUnharmed(stack: TestStack, id: string, { lost = 0 } = {}): Promise<number> {
  const { trials, curves, counts } = await readLedger(stack, id);
  expect(trials.map(({ kind }) => kind).sort()).toEqual(['baseline', ...Array<string>(SEARCHES).fill('search')]);
  expect(trials.map(({ status }) => status)).toEqual(Array(SEARCHES + 1).fill('completed'));
  await expectStrictVerdicts(stack, id);
  await expectEventsOnce(stack, id);
  expect(curves).toEqual(Array(SEARCHES + 1).fill(CURVE));
  expect(startsOf(stack, id)).toEqual(Object.fromEntries(trials.map(({ seed }) => [seed, 1])));
  expect(counts).toMatchObject({ runs: SEARCHES + 1 + lost, leased: 0 });
  expect(await slotStates(stack)).toEqual({ leased: 0, usable: 2 });
  await expectNoProcesses(stack.home);
  return counts['repeated'] ?? NaN;
}
