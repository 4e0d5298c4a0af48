import { expect, test } from 'vitest';
import { unlessAway } from '../../../cli/attack/run-attacks.ts';

test('Postgres that does not answer is waited for, and that is said once', async () => {
  const said: string[] = [];
  const out = { write: (text: string) => said.push(text) > 0 };
  const answers: (string | Error)[] = [gone(), gone(), 'back', gone(), 'back', new Error('syntax error')];
  const read = unlessAway({ stdout: out, stderr: out }, () => {
    const next = answers.shift() ?? '';
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  });
  const found = [await read(), await read(), await read(), await read(), await read()];
  expect(found).toEqual([null, null, 'back', null, 'back']);
  expect(said).toEqual(Array(2).fill('Postgres does not answer; waiting for it\n'));
  await expect(read()).rejects.toThrow('syntax error');
});

const gone = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
