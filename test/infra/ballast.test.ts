import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { dropUnfinished, giveUpBallast, isBallastThere, makeBallast } from '../../infra/ballast.ts';
import { dieIn } from '../support/process/die-in.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-ballast-killed-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Its maker dies when half of it is there; returns its path. */
function halfMade(name: string): string {
  const folder = mkdtempSync(join(base, `${name}-`));
  const path = join(folder, 'ballast');
  const died = dieIn({
    bin: join(base, 'bin'),
    program: 'fallocate',
    does: 'head -c 1048576 /dev/zero > "$3"',
    module: 'infra/ballast.js',
    code: 'await ours.makeBallast(words[0], 2);',
    words: [path],
  });
  expect(died).toEqual({ signal: 'SIGKILL', stderr: '' });
  expect(readdirSync(folder)).toEqual(['ballast.part']);
  return path;
}

test('a maker of the ballast that is killed leaves a half that is never taken for one, and the next makes it whole', async () => {
  const path = halfMade('next');
  expect(await isBallastThere(path)).toBe(false);
  await makeBallast(path, 2);
  expect(statSync(path).size).toBe(2 * 2 ** 20);
  expect(existsSync(`${path}.part`)).toBe(false);
});

test('the half that a killed maker left takes no room for long: a start drops it, and so does who gives it up', async () => {
  const dropped = halfMade('dropped');
  await dropUnfinished(dropped);
  expect(existsSync(`${dropped}.part`)).toBe(false);
  const given = halfMade('given');
  expect(await giveUpBallast(given)).toBe(false);
  expect(existsSync(`${given}.part`)).toBe(false);
});
