import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followStream } from '../../dashboard/server/live/follow-stream.ts';
import { openBacklog } from '../../../dashboard/server/source/open-backlog.ts';
import { describePulse, type Pulse, type PulseWords } from '../../../view/pulse.ts';
import { useDashboard, type Served } from '../../dashboard/server/support.ts';
import { connect } from '../../../db/connect.ts';
import { insertEvents } from '../../../db/event/insert-events.ts';
import { run } from '../../cli/support/cli.ts';
import { commandsOf } from '../../support/e2e/commands.ts';
import { expectUninterrupted, release, slowTask, untilRunning, untilStopped } from '../../support/e2e/slow-task.ts';
import { expectEventsOnce } from '../../support/database/ledger.ts';
import { freezePostgres } from '../../support/process/freeze-postgres.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';

const SEARCHES = 5;

let stack: TestStack;
let worker: TestWorker;
let insertEvent: (researchId: string) => Promise<void>;
const closes: (() => Promise<unknown>)[] = [];
const serve = useDashboard();
const { held, start } = commandsOf(() => stack);

beforeAll(async () => {
  stack = await startTestStack({ durable: true });
  closes.push(() => stack.stop());
  worker = await stack.startWorker({ slots: 3 });
  const { db, close } = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
  closes.push(close);
  insertEvent = (researchId) => insertEvents(db, [{ researchId, kind: 'window', data: { from: null, window: 1 } }]);
});
afterAll(async () => {
  for (const close of closes.reverse()) await close();
});

const list = () =>
  run(['list'], {
    env: { PERPETUA_HOME: stack.home, DATABASE_URL: stack.databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });

/** The pulse that a page shows, in its words. */
async function pulseOf({ get }: Served): Promise<PulseWords> {
  const { text } = await get('api/v1/pulse');
  return describePulse(JSON.parse(text) as Pulse);
}

test('a long run leaves the pulse calm; a worker that is frozen meanwhile shows in it', async () => {
  const temporal = { address: stack.temporalAddress, namespace: 'default', connection: {} };
  const served = await serve({
    databaseUrl: stack.databaseUrl,
    readBacklog: openBacklog({ home: stack.home, temporal, env: {} }),
  });
  const task = await slowTask(stack, 'long', { held: true });
  await stack.startResearch('long', { task, window: 1, budget: { trials: 1 } });
  await untilRunning(stack, 'long', 1);
  // The beats of the worker keep the pulse calm: each of them replaces an age of a minute.
  await stack.query(`update worker_beats set at = at - interval '1 minute'`);
  const calm = { still: false, worker: expect.stringMatching(/^worker \d+ s ago$/) as string, temporal: '' };
  await expect.poll(() => pulseOf(served), { timeout: 60_000 }).toEqual(calm);

  worker.process.kill('SIGSTOP');
  try {
    const frozen = { still: true, worker: expect.stringMatching(/^no worker for /) as string };
    await expect.poll(() => pulseOf(served), { timeout: 120_000 }).toMatchObject(frozen);
  } finally {
    worker.process.kill('SIGCONT');
  }
  await expect.poll(() => pulseOf(served), { timeout: 60_000 }).toMatchObject({ still: false });
  release(stack, 'long');
  await untilStopped(stack, 'long');
});

describe('a Postgres that stands still and goes on', () => {
  test.each([
    { seconds: 5, answer: { code: 0 } },
    { seconds: 20, answer: { code: 3, stderr: expect.stringContaining('Cannot reach Postgres') as string } },
  ])('after $seconds s costs worker, dashboard and commands nothing but time', async ({ seconds, answer }) => {
    const id = `frozen-${seconds}`;
    const tab = await followStream(await serve({ databaseUrl: stack.databaseUrl }));
    const task = await slowTask(stack, id, { held: true });
    const command = held(`command-${id}`);
    const asked = start(task, ...command.args);
    await expect.poll(() => command.starts()).toBe('x\n');
    await stack.startResearch(id, { task, window: 2, budget: { trials: SEARCHES } });
    await untilRunning(stack, id, 2);
    await insertEvent(`before-${id}`);
    await expect.poll(() => tab.messagesOf(`before-${id}`)).toHaveLength(1);

    const thaw = await freezePostgres(stack.postgres.pid());
    const listed = list();
    try {
      // The runs and the command end while Postgres stands still.
      release(stack, id);
      command.release();
      await Promise.all([sleep(seconds * 1000), seconds > 10 && listed]);
    } finally {
      thaw();
    }

    expect(await listed).toMatchObject(answer);
    await expect.poll(() => tab.messages.filter(({ event }) => event !== 'changed').at(-1)?.event).toBe('back');
    await insertEvent(`after-${id}`);
    await expect.poll(() => tab.messagesOf(`after-${id}`)).toHaveLength(1);
    expect(await asked.ended).toMatchObject({ code: 0 });
    expect([asked.stdout(), command.starts()]).toEqual(['began\nwent on\n', 'x\n']);
    await untilStopped(stack, id);
    await expectUninterrupted(stack, id, SEARCHES);
    await expectEventsOnce(stack, id);
    tab.close();
  });
});
