import { expect, test } from 'vitest';
import { PRESETS } from '../../../../domain/task/presets.ts';
import { run } from '../../support/cli.ts';

test('presets shows values, source, deviations and missing parts of each preset, without a database', async () => {
  const { code, stdout } = await run(['presets']);
  expect(code).toBe(0);
  for (const name of Object.keys(PRESETS)) expect(stdout).toMatch(new RegExp(`^${name}\n  source `, 'm'));
  const ppo = await run(['presets', 'ppo']);
  expect(ppo.stdout).toMatch(/^ {2}deviates +learning rate, clipping and batch are not published/m);
  expect(ppo.stdout).toMatch(/^ {8}lambda: 0\.95$/m);
  expect((await run(['presets', 'islands'])).stdout).toMatch(/^ {2}not built +islands that are added/m);
  expect((await run(['presets', 'random', '--json'])).json()).toMatchObject([
    { presets: [{ name: 'random', overrides: { search: { proposer: 'random' } }, published: null }] },
  ]);
});

test('presets refuses an unknown name, and names the nearest one', async () => {
  const { code, stderr } = await run(['presets', 'randm']);
  expect(code).not.toBe(0);
  expect(stderr).toContain('Expected the name to be one of');
  expect(stderr).toContain('did you mean random?');
});
