import { beforeAll, expect, test } from 'vitest';
import type { ListedAttention } from '../../../../cli/render/lists/attention.ts';
import type { Attention, NeedsYou } from '../../../../view/attention/entry.ts';
import { useDatabase } from '../../../db/support.ts';
import { runOn } from '../../support/cli.ts';
import { insertResearch } from '../../support/lineage.ts';

const bench = useDatabase();
const attention = (...argv: string[]) => runOn(bench.url, ['attention', ...argv]);

beforeAll(async () => {
  await insertResearch(bench.db, 'broken', { phase: 'failed', reason: 'the disk broke\x1b[31m' });
  await insertResearch(bench.db, 'rests', { phase: 'paused' });
  await insertResearch(bench.db, 'check/toy/1', { phase: 'failed', reason: 'x' });
});

test('it lists each entry with its key, its reason and its commands, then the states', async () => {
  const { code, stdout } = await attention();
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    'failed:broken',
    '  The research has failed · broken',
    '  the disk broke',
    '  npx perpetua status broken',
    '  npx perpetua start toy --id broken',
    'states, which ask for nothing',
    '  The research is paused · rests',
    '',
  ]);
});

test('status has the same entries as JSON and as lines', async () => {
  const [found] = (await attention('--json')).json() as [NeedsYou];
  const status = await runOn(bench.url, ['status', 'broken', '--json']);
  const [{ attention: entries }] = status.json() as [{ attention: Attention[] }];
  expect(entries).toEqual(found.attention);
  expect((await runOn(bench.url, ['status', 'broken'])).stdout).toContain(
    'needs you: The research has failed · broken',
  );
});

test('an unknown key is refused with the known ones, and a known one is put away for everybody', async () => {
  const unknown = await attention('--dismiss', 'failed:other');
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain('got "failed:other", and the keys are failed:broken.');
  const away = await attention('--dismiss', 'failed:broken');
  expect(away).toMatchObject({ code: 0, stdout: 'put away for everybody: The research has failed\n' });
  expect((await attention()).stdout.split('\n')).toEqual([
    'nothing needs you',
    'states, which ask for nothing',
    '  The research is paused · rests',
    'put away for everybody; --restore KEY shows one again',
    '  failed:broken',
    expect.stringMatching(/^ {4}The research has failed · broken · began .* ago · put away .* ago$/),
    '',
  ]);
  expect((await runOn(bench.url, ['status', 'broken'])).stdout).not.toContain('needs you');
});

test('an entry that was put away is shown again on demand, and another key is refused', async () => {
  const [{ attention: shown, dismissed }] = (await attention('--json')).json() as [ListedAttention];
  expect([shown, dismissed.map(({ key }) => key)]).toEqual([[], ['failed:broken']]);
  const unknown = await attention('--restore', 'failed:other');
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain('got "failed:other", and the keys are failed:broken.');
  const both = await attention('--restore', 'failed:broken', '--dismiss', 'failed:broken');
  expect(both).toMatchObject({ code: 2, stdout: '' });
  expect(both.stderr).toContain('Expected one of --dismiss and --restore, got both.');
  expect(await attention('--restore', 'failed:broken')).toMatchObject({
    code: 0,
    stdout: 'shown again: The research has failed\n',
  });
  expect((await attention()).stdout).toMatch(/^failed:broken\n/);
  expect((await attention('--restore', 'failed:broken')).stderr).toContain('none is put away now');
});
