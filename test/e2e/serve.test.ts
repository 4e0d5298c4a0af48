import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { SOON } from '../support/e2e/commands.ts';
import { expectJobsClosed } from '../support/e2e/live-run.ts';
import { kill, READY, serversOf } from '../support/e2e/servers.ts';
import { startTestStack, type TestStack, type TestWorker } from '../support/stack.ts';

let stack: TestStack;
let worker: TestWorker;
let task: string;

const servers = serversOf(() => stack);
const { detailsOf, end, server, start, taskNamed } = servers;

const restart = async (): Promise<void> => {
  worker = await stack.startWorker({ slots: 1 });
};
beforeAll(async () => {
  stack = await startTestStack();
  task = await taskNamed('served');
  await restart();
});
// A server of a failed test must not keep the only slot.
afterEach(async () => {
  const open = await stack.query<{ id: string }>('select id from jobs where ended_at is null');
  for (const { id } of open) await stack.client.workflow.getHandle(id).cancel();
});
afterAll(() => stack.stop());

test('a server outlives the time limits of its task, is shown as ready, and Ctrl-C removes all of it', async () => {
  const { words, pid } = server('told', 4851);
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.stderr()).toMatch(/ready on /), SOON);
  expect(asked.stdout()).toBe('here it is\nserves at 0\n');
  const id = asked.id();
  await vi.waitFor(async () => expect(await detailsOf(id)).toMatch(/a server of served\n- ready on \S+ since /), SOON);
  await stack.until(
    'it to be older than a run may be',
    `select now() - launched_at > interval '4 seconds' as done from runs where trial_id = $1`,
    [id],
  );
  await pid();
  await end(asked);
  expect(asked.stderr()).toContain('It was stopped.');
  expect(asked.stderr()).not.toContain('started again');
});

test('--json prints each event as it happens, one object per line', async () => {
  const { words, pid } = server('json', 4852);
  const asked = start(task, '--json', ...words);
  const events = (): Record<string, unknown>[] =>
    asked
      .stdout()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const named = (name: string) => events().filter(({ event }) => event === name);
  await vi.waitFor(() => expect(named('ready')).toHaveLength(1), SOON);
  kill(await pid());
  await vi.waitFor(() => expect(named('ready')).toHaveLength(2), SOON);
  asked.interrupt();
  expect(await asked.ended).toMatchObject({ code: 0 });
  expect(named('output')[0]).toMatchObject({ text: expect.stringContaining('here it is') as string });
  expect(named('run-ended')[0]).toMatchObject({ placement: 0, how: 'was ended by SIGKILL' });
  expect(named('ready')[1]).toMatchObject({ placement: 1, at: expect.stringMatching(/^\d{4}-/) as string });
  expect(events().at(-1)).toMatchObject({ event: 'closed', why: 'cancelled' });
});

test('a worker that dies in mid-run costs nothing: the same process continues serving', () =>
  servers.survive(worker, { killAt: 'mid-run', task, restart }));

test('a detached server can be attached to by its id, though its workflow is gone', async () => {
  const { words, pid, starts } = server('left', 4855);
  const asked = start(task, ...words);
  await vi.waitFor(() => expect(asked.stderr()).toMatch(/ready on /), SOON);
  const [id, before] = [asked.id(), await pid()];
  await stack.client.workflow.getHandle(id).terminate('by hand');
  expect(await asked.ended).toMatchObject({ code: 1 });
  expect(asked.stderr()).toContain(`Its workflow was terminated. Go on with it: npx perpetua run --attach ${id}`);
  const again = start('--attach', id);
  await stack.until('it to be followed again', 'select max(follower) > 2 as done from runs where trial_id = $1', [id]);
  await vi.waitFor(() => expect(again.stderr()).toMatch(/ready on /), SOON);
  expect(again.stdout()).toBe('here it is\nserves at 0\n');
  expect(await pid()).toBe(before);
  await end(again);
  expect(starts()).toBe('x\n');
});

test('a task that is refused ends its server with the reason', async () => {
  const broken = await taskNamed('broken-setup', { setup: { commands: ['echo no such package; exit 3'] } });
  const asked = start(broken, ...READY, '--', 'true');
  expect(await asked.ended).toMatchObject({ code: 1 });
  expect(asked.stderr()).toContain('Its machine could not be prepared for its task');
  const [job] = await stack.query(`select ending ->> 'why' as why from jobs where id = $1`, [asked.id()]);
  expect(job).toEqual({ why: 'setup-failed' });
  await expectJobsClosed(stack);
  expect(await start(task, '--ready', 'two\nlines', '--', 'true').ended).toMatchObject({ code: 2 });
});
