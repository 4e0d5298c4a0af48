import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { useDatabase } from '../../db/support.ts';
import { runOn } from '../support/cli.ts';

const bench = useDatabase();
const fleet = (...words: string[]) => runOn(bench.url, ['fleet', ...words]);
const conditions = async () => {
  const [json] = (await fleet('--json')).json() as { hosts: { name: string; condition: string }[] }[];
  return Object.fromEntries((json?.hosts ?? []).map(({ name, condition }) => [name, condition]));
};

test('hosts are drained and resumed by name, a repeated call says so, unknown names are refused', async () => {
  await bench.store.host.applyFleet(
    Fleet.parse({ pools: { p: { slots: 'cpu' } }, hosts: ['a', 'b', 'c'].map((name) => ({ name, pool: 'p' })) }),
  );
  const drained = await fleet('drain', 'a', 'b');
  expect(drained).toMatchObject({ code: 0, stdout: 'a: draining\nb: draining\n' });
  expect(drained.stderr).toContain('npx perpetua fleet resume a b');
  expect(await conditions()).toEqual({ a: 'draining', b: 'draining', c: 'not probed yet' });
  expect((await fleet('drain', 'b', 'c', '--json')).json()).toEqual([{ changed: ['c'] }]);
  expect(await fleet('drain', 'a')).toMatchObject({ code: 0, stdout: 'a: already draining\n' });
  expect(await fleet('resume', 'a', 'c')).toMatchObject({
    code: 0,
    stdout: 'a: serving\nc: serving\n',
    stderr: '',
  });
  expect(await fleet('resume', 'c')).toMatchObject({ code: 0, stdout: 'c: already serving\n' });
  expect(await conditions()).toEqual({ a: 'not probed yet', b: 'draining', c: 'not probed yet' });
  for (const verb of ['drain', 'resume'])
    expect(await fleet(verb, 'b', 'd')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('got d.') as string,
    });
  expect(await conditions()).toMatchObject({ b: 'draining' });
});
