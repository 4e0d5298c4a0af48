import { expect, test } from 'vitest';
import { createOutputFollower } from '../../../activities/monitor/output-follower.ts';
import type { Progress, Run } from '../../../db/run/run.ts';

function follow({ logOffset = 0, most = 100, saved = true } = {}) {
  const stored: Progress[] = [];
  const saveProgress = (progress: Progress): Promise<boolean> => (stored.push(progress), Promise.resolve(saved));
  const run = { follower: 3, logOffset, reader: null } as Run;
  const key = { trialId: 'command/a/x', placement: 0 };
  const follower = createOutputFollower({ store: { run: { saveProgress } }, key, run, most });
  const say = (text: string): void => follower.push({ chunk: Buffer.from(text), since: null }, () => undefined);
  const said = () => stored.map(({ from, to, output }) => [from, to, output?.toString()]);
  return { follower, say, said };
}

test('what is printed is stored from where the last one left off, a line that is not whole, too', async () => {
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

test('past its limit it is read on, and not kept', async () => {
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
