import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { describeResearch } from '../../../steering/describe-research.ts';
import { TASK } from '../support/lineage.ts';
import { alreadyOpen } from '../../../cli/temporal/already-open.ts';
import { shellNote } from '../../../cli/temporal/shell-note.ts';

describe('the description of a research', () => {
  const bytesOf = (text: string): number => Buffer.byteLength(text);

  test('fits the limits of the server, however long the text and whatever its script', () => {
    const task = {
      ...TASK,
      description: 'Обучение '.repeat(3000),
      mutable: Array<string>(2000).fill('src/**/模型.py'),
    };
    const { staticSummary, staticDetails } = describeResearch(task);
    expect(staticSummary.startsWith(`${TASK.name}: Обучение`)).toBe(true);
    expect(staticSummary).toMatch(/…$/);
    expect(bytesOf(staticSummary)).toBeLessThanOrEqual(190);
    expect(bytesOf(staticDetails)).toBeLessThan(10_000);
    expect(staticDetails).not.toContain('\ufffd');
  });

  test('has the whole text of a short task', () => {
    const { staticSummary, staticDetails } = describeResearch({
      ...TASK,
      description: 'Fit a line.',
      mutable: ['a.py'],
    });
    expect(staticSummary).toBe(`${TASK.name}: Fit a line.`);
    expect(staticDetails).toContain('proposals edit: `a.py`');
  });
});

describe('a note for the shell', () => {
  const home = mkdtempSync(join(tmpdir(), 'perpetua-note-'));
  afterAll(() => rmSync(home, { recursive: true }));
  const owner = { pid: 1, startedAt: 's' };
  const temporal = { address: '127.0.0.1:40123', namespace: 'default', uiUrl: null, embedded: null };
  const postgres = { url: 'postgres://x', embedded: null };
  writeFileSync(
    join(home, 'up.json'),
    JSON.stringify({ version: 1, owner, writtenAt: '', temporal, postgres, workers: [] }),
  );

  const io = (env: Record<string, string>) => ({ stdout: process.stdout, stderr: process.stderr, env });
  const inHome = io({ PERPETUA_HOME: home, PATH: '/nonexistent' });
  const NOTE = 'note: before the first temporal command in this shell, run: export TEMPORAL_ADDRESS=127.0.0.1:40123';

  test('is added to a command of temporal that needs variables of the shell', async () => {
    expect(await shellNote(inHome, ['paused', 'mend it: temporal workflow update execute'])).toBe(NOTE);
  });

  test.each([
    ['there is no command of temporal', inHome, 'npx perpetua start one'],
    ['the environment names the server', io({ TEMPORAL_ADDRESS: 'there:7233' }), 'temporal workflow list'],
    ['no server runs', io({ PERPETUA_HOME: join(home, 'none') }), 'temporal workflow list'],
  ])('is not added if %s', async (_, shell, text) => {
    expect(await shellNote(shell, [text])).toBeNull();
  });
});

test('the refusal of a start whose id is open names the commands that fit the phase', () => {
  expect(alreadyOpen('one', 'stopping').message.split('\n')).toEqual([
    'The research one is already open; it is stopping.',
    'To watch it: npx perpetua watch one',
    'You can start it again once it has stopped. To stop it at once: npx perpetua stop one --now',
    'To start another research: give another --id',
  ]);
  expect(alreadyOpen('one', 'paused').message).toContain('To resume it: npx perpetua resume one\n');
  expect(alreadyOpen('one').message).toContain('To change its window: npx perpetua window one 8\n');
});
