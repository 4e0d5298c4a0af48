import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import {
  expectNothingHeld,
  release,
  startsOf,
  trialsOf,
  untilLaunched,
  untilStopped,
} from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { steering } from '../../support/e2e/steer.ts';

let stack: TestStack;
let worker: TestWorker;
const { begin } = steering(() => stack);

const stages = (): string => join(stack.home, 'stages');
/** The only stage that is in use. */
const inUse = (): string => {
  const names = readdirSync(stages()).filter((name) => !name.startsWith('.'));
  expect(names).toHaveLength(1);
  return join(stages(), names[0] ?? '');
};
const aside = (): string[] => readdirSync(stages()).filter((name) => name.startsWith('.damaged-'));
const messages = async (id: string): Promise<string[]> =>
  (await stack.query<{ message: string }>('select message from alerts where research_id = $1', [id])).map(
    ({ message }) => message,
  );

/** Damages the stage in the middle of a research of six trials, which goes on to its end. */
async function research(id: string, damage: (stage: string) => void) {
  await begin(id, { budget: { trials: 6 } }, { held: true });
  await untilLaunched(stack, id, 1);
  damage(inUse());
  release(stack, id);
  await untilStopped(stack, id);
  await expectNothingHeld(stack, id);
  return trialsOf(stack, id);
}

describe('a stage that somebody damages in mid-research', () => {
  beforeAll(async () => {
    stack = await startTestStack();
    worker = await stack.startWorker();
  });
  afterAll(() => stack.stop());

  test('blames no candidate for a changed file: it is staged again, and its runs are placed again', async () => {
    let whole = '';
    const trials = await research('changed', (stage) => {
      const file = join(stage, 'files/run.sh');
      whole = readFileSync(file, 'utf8');
      // The file keeps its length, so that nothing shows before a run is over.
      writeFileSync(file, whole.replace('sleep .2', 'sleep .1'));
    });
    expect(trials.map(({ status, failure }) => ({ status, failure }))).toEqual(
      trials.map(() => ({ status: 'completed', failure: null })),
    );
    const again = trials.filter(({ placement }) => placement === 1).map(({ n }) => n);
    expect(again.length).toBeGreaterThan(0);
    const alerts = await messages('changed');
    expect(alerts.map((message) => Number(/^changed\/(\d+) on /.exec(message)?.[1])).sort()).toEqual(again);
    for (const message of alerts)
      expect(message).toMatch(/changed the prepared files of the task.*run\.sh differs from the staged file\)/);
    expect(readFileSync(join(inUse(), 'files/run.sh'), 'utf8')).toBe(whole);
    expect(aside()).toHaveLength(1);
  });

  test('without its list of files is staged again by the next launch, which costs no run', async () => {
    const before = aside();
    const trials = await research('listless', (stage) => rmSync(join(stage, 'manifest.json')));
    expect(trials.map(({ status, placement }) => ({ status, placement }))).toEqual(
      trials.map(() => ({ status: 'completed', placement: 0 })),
    );
    expect(await messages('listless')).toEqual([]);
    // The copy that was set aside before, of the same workspace, is gone.
    expect(aside()).toHaveLength(1);
    expect(aside()).not.toEqual(before);
  });

  test('costs nothing if the worker that set it aside dies before it stages another: the next one does', async () => {
    const before = aside();
    await begin('killed', { budget: { trials: 2 } }, { held: true });
    await untilLaunched(stack, 'killed', 1);
    await worker.stop();
    rmSync(join(inUse(), 'manifest.json'));
    const mortal = await stack.startWorker({ killAt: FAULTS['worker-dies-mending/local/random'][0] });
    release(stack, 'killed');
    await mortal.gone;
    expect(mortal.process.signalCode).toBe('SIGKILL');
    expect(aside()).toHaveLength(1);
    expect(aside()).not.toEqual(before);
    expect(readdirSync(stages()).filter((name) => !name.startsWith('.'))).toEqual([]);
    await stack.startWorker();
    await untilStopped(stack, 'killed');
    const trials = await trialsOf(stack, 'killed');
    expect(trials.map(({ status, placement }) => ({ status, placement }))).toEqual(
      trials.map(() => ({ status: 'completed', placement: 0 })),
    );
    expect(startsOf(stack, 'killed')).toEqual(Object.fromEntries(trials.map(({ seed }) => [seed, 1])));
    await expectNothingHeld(stack, 'killed');
    expect(existsSync(join(inUse(), 'manifest.json'))).toBe(true);
  });
});
