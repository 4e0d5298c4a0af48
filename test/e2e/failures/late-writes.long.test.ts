import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectUninterrupted, release, slowTask, untilRunning, untilStopped } from '../../support/e2e/slow-task.ts';
import { type HoldingRelay, startHoldingRelay } from '../../support/database/holding-relay.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

/** A file; while it is there, no evaluator answers. */
const gateOf = (id: string): string => join(stack.home, `gate-${id}`);

const scorer = (id: string): string =>
  `while [ -e '${gateOf(id)}' ]; do sleep .1; done
x=$(cat artefacts/out.txt)
printf '{"score": %s}' "$(echo "$x" | awk '{print 0-($1-7)*($1-7)}')" >&3
`;

/** Starts a research with one run at a time, so that no other write of the frozen worker holds anything up. */
async function begin(id: string): Promise<void> {
  const task = await slowTask(stack, id, {
    seconds: 0.4,
    held: true,
    files: { 'evaluator/score.sh': scorer(id) },
  });
  await stack.startResearch(id, { task, window: 1, budget: { trials: 1 } });
}

interface LateWrite {
  what: string;
  /** Words of the first statement that is held back. */
  words: string;
  /** Brings a worker to that statement; `arm` begins to hold it back. */
  approach(id: string, arm: () => void): Promise<void>;
  /** SQL condition: the next worker has written the same meanwhile. */
  overtaken: string;
  /** SQL query of the rows that stay as the next worker wrote them. */
  stored: string;
  /** Errors with which Postgres ends the statements of the woken worker, so its write has no effect. */
  refused: string[];
}

const WRITES: LateWrite[] = [
  {
    what: 'the end of a run',
    words: 'update runs set "end"',
    approach: async (id, arm) => {
      await begin(id);
      await untilRunning(stack, id);
      arm();
      release(stack, id);
    },
    overtaken: 'trials.status is not null',
    stored: 'select "end", ended_at, follower from runs where trial_id = $1',
    // Its row says that nothing was stored.
    refused: ['SELECT 1'],
  },
  {
    what: 'the outcome of a trial',
    words: 'from "researches" where "researches"."id" = $1 for no key update',
    approach: async (id, arm) => {
      writeFileSync(gateOf(id), '');
      await begin(id);
      await untilRunning(stack, id);
      release(stack, id);
      await stack.until('the end of the run', `select "end" is not null as done from runs where trial_id = $1`, [
        `${id}/1`,
      ]);
      arm();
      rmSync(gateOf(id));
    },
    overtaken: 'trials.status is not null',
    stored: 'select status, value from trials where id = $1',
    // The lock, the outcome, what is stored in its place, and whether a model's endpoint was away.
    refused: ['SELECT 1', 'SELECT 0', 'SELECT 1', 'SELECT 1', 'COMMIT'],
  },
];

async function untilHeld(relay: HoldingRelay): Promise<void> {
  await expect.poll(() => relay.isHeld(), { timeout: 180_000 }).toBe(true);
}

describe('a worker that was frozen just before it wrote', () => {
  test.each(WRITES)('$what: Postgres refuses it when the worker wakes, and nothing is there twice', async (late) => {
    const id = late.what.replaceAll(' ', '-');
    const relay = await startHoldingRelay(stack.databaseUrl);
    const frozen = await stack.startWorker({ slots: 2, env: { DATABASE_URL: relay.url } });
    await late.approach(id, () => relay.holdFirst(late.words));
    await untilHeld(relay);
    frozen.process.kill('SIGSTOP');
    const next = await stack.startWorker({ slots: 2 });
    await stack.until(
      'the next worker to have written the same',
      `select attempts > 1 and ${late.overtaken} as done, attempts, status
       from trials join runs on runs.trial_id = trials.id where trials.id = $1`,
      [`${id}/1`],
    );
    const stored = () => stack.query(late.stored, [`${id}/1`]);
    const before = await stored();
    frozen.process.kill('SIGCONT');
    expect(await relay.letGo()).toEqual(late.refused);
    expect(await stored()).toEqual(before);
    await untilStopped(stack, id);
    await expectUninterrupted(stack, id, 1);
    expect(frozen.process.exitCode).toBeNull();
    await Promise.all([frozen.kill(), next.kill()]);
    relay.close();
  });

  test('the follower of a run: the woken worker takes the run from the next one, which gets it back', async () => {
    const id = 'the-follower-of-a-run';
    const relay = await startHoldingRelay(stack.databaseUrl);
    const frozen = await stack.startWorker({ slots: 2, env: { DATABASE_URL: relay.url } });
    relay.holdFirst('update "runs" set "follower"');
    await begin(id);
    await untilHeld(relay);
    frozen.process.kill('SIGSTOP');
    const next = await stack.startWorker({ slots: 2 });
    const followers = 'select follower > $2 as done, follower from runs where trial_id = $1';
    await stack.until('the next worker to follow the run', followers, [`${id}/1`, 0]);
    frozen.process.kill('SIGCONT');
    expect(await relay.letGo()).toEqual(['UPDATE 1']);
    await stack.until('the woken worker to have followed it', followers, [`${id}/1`, 1]);
    release(stack, id);
    await untilStopped(stack, id);
    await expectUninterrupted(stack, id, 1);
    expect(frozen.process.exitCode).toBeNull();
    await Promise.all([frozen.kill(), next.kill()]);
    relay.close();
  });
});
