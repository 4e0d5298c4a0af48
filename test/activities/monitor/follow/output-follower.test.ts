import { expect, onTestFinished, test, vi } from 'vitest';
import { createOutputFollower } from '../../../../activities/monitor/follow/output-follower.ts';
import type { Progress } from '../../../../db/run/run.ts';
import type { JobSpec } from '../../../../domain/job.ts';

const COMMAND: JobSpec = { shape: 'to-an-end', command: 'true' };
const SERVER: JobSpec = {
  shape: 'without-an-end',
  command: 'serve',
  ready: 'up and well',
  restart: { firstSeconds: 1, mostSeconds: 1 },
};

interface Followed {
  logOffset?: number;
  most?: number;
  saved?: boolean;
  spec?: JobSpec;
  reader?: unknown;
}

function follow({ logOffset = 0, most = 100, saved = true, spec = COMMAND, reader = null }: Followed = {}) {
  const stored: Progress[] = [];
  const saveProgress = (progress: Progress): Promise<boolean> => (stored.push(progress), Promise.resolve(saved));
  const run = { follower: 3, logOffset, reader, readyAt: null, spec };
  const key = { jobId: 'command/a/x', placement: 0 };
  const follower = createOutputFollower({ store: { run: { saveProgress } }, key, run, most });
  const say = (text: string): void => follower.push({ chunk: Buffer.from(text), since: null }, () => undefined);
  const said = () => stored.map(({ from, to, output }) => [from, to, output?.toString()]);
  return { follower, say, said, stored };
}

test('output is stored from where the last attempt left off, and half a line, too', async () => {
  const { follower, say, said } = follow({ logOffset: 5 });
  say('one\n');
  say('half');
  await follower.commit();
  await follower.commit();
  say(' of it');
  await follower.flush();
  expect(said()).toEqual([
    [5, 13, 'one\nhalf'],
    [13, 19, ' of it'],
  ]);
});

test('output past its limit is read, and not kept', async () => {
  const { follower, say, said } = follow({ most: 6 });
  say('four');
  await follower.commit();
  say('four');
  await follower.commit();
  say('more');
  await follower.flush();
  expect(said()).toEqual([
    [0, 4, 'four'],
    [4, 8, 'fo'],
    [8, 12, ''],
  ]);
});

test('an attempt that another has replaced stores nothing more', async () => {
  const { follower, say } = follow({ saved: false });
  say('x');
  await expect(follower.flush()).rejects.toThrow('a newer monitor took over');
});

test('the output that makes a server ready is stored with that, even if two attempts read half of it', async () => {
  const first = follow({ spec: SERVER });
  first.say('it is up a');
  await first.follower.commit();
  expect(first.follower.isReady?.()).toBe(false);
  const [half] = first.stored;
  expect(half).toMatchObject({ ready: false });
  const { follower, say, stored } = follow({ spec: SERVER, logOffset: half?.to ?? 0, reader: half?.reader });
  say('nd well, on');
  expect(follower.isReady?.()).toBe(false);
  say(' a port\nand');
  expect(follower.isReady?.()).toBe(true);
  await follower.commit();
  expect(stored).toMatchObject([{ ready: true }]);
});

test('a server whose line does not end is ready a second later, stored once and without more output', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(5000);
  onTestFinished(() => void clock.mockRestore());
  const { follower, say, stored, said } = follow({ spec: SERVER });
  say('up and well: ');
  await follower.commit();
  clock.mockReturnValue(6000);
  expect(follower.isReady?.()).toBe(true);
  await follower.flush();
  await follower.flush();
  expect(stored).toMatchObject([{ ready: false }, { ready: true }]);
  expect(said()[1]).toEqual([13, 13, '']);
});

test('the mere beginning of the text makes no server ready, and a command is never ready', async () => {
  const { follower, say } = follow({ spec: SERVER });
  for (const text of ['up and ', 'up and we', 'WELL\nup and\nwell']) say(text);
  expect(follower.isReady?.()).toBe(false);
  const command = follow();
  command.say('up and well');
  expect(command.follower.isReady?.()).toBe(false);
  await command.follower.commit();
  expect(command.stored[0]).not.toHaveProperty('ready');
});
