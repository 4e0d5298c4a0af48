import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openSetupFile } from '../../../../cli/up/setup-file.ts';
import { dashboardFiles } from '../../../../config/dashboard/files.ts';
import { Setup } from '../../../../dashboard/api/setup.ts';
import { useDashboard } from '../support.ts';

const serve = useDashboard();

test('the progress of a start is reported before there is a database, and its end', async () => {
  const { home, get } = await serve({ readUrl: 'postgres://u@127.0.0.1:1/none' });
  const readSetup = async () => Setup.parse(JSON.parse((await get('api/v1/setup')).text));
  expect(await readSetup()).toEqual({ startedAt: null, done: false, steps: [] });

  const times = ['00', '01', '02', '03', '04', '05', '06'].map((s) => new Date(`2026-11-01T12:00:${s}Z`));
  const file = openSetupFile(home, () => times[0] ?? new Date('2026-11-01T12:01:00Z'));
  file.begin();
  const next = (...[event]: Parameters<typeof file.onEvent>) => (times.shift(), file.onEvent(event));
  next({ type: 'step', part: 'temporal', text: 'building' });
  next({ type: 'progress', part: 'temporal', text: 'package 12 of 300' });
  next({ type: 'warning', part: 'postgres', text: 'port 54329 is taken' });
  expect(await readSetup()).toEqual({
    startedAt: '2026-11-01T12:00:00.000Z',
    done: false,
    steps: [
      {
        part: 'temporal',
        text: 'building',
        state: 'running',
        at: '2026-11-01T12:00:02.000Z',
        progress: 'package 12 of 300',
      },
      { part: 'postgres', text: 'port 54329 is taken', state: 'warning', at: '2026-11-01T12:00:03.000Z' },
    ],
  });
  file.end(null);
  file.onEvent({ type: 'warning', part: 'worker', text: 'died later' });
  expect(await readSetup()).toMatchObject({ done: true, steps: [{ state: 'done' }, { state: 'warning' }] });

  // Simulates a file that a crash of the machine cut off.
  await writeFile(dashboardFiles(home).setup, '{"startedAt"');
  expect(await readSetup()).toEqual({ startedAt: null, done: false, steps: [] });
});

test('a start that failed says so last', async () => {
  const { home, get } = await serve();
  const file = openSetupFile(home);
  file.begin();
  file.onEvent({ type: 'step', part: 'temporal', text: 'building' });
  file.end('no compiler');
  expect(JSON.parse((await get('api/v1/setup')).text)).toMatchObject({
    done: false,
    steps: [
      { text: 'building', state: 'failed' },
      { text: 'no compiler', state: 'failed' },
    ],
  });
});

test('a start in a home that another stack holds writes no progress', async () => {
  const { home, get } = await serve();
  const theirs = openSetupFile(home);
  theirs.begin();
  theirs.end(null);
  const before = (await get('api/v1/setup')).text;
  const ours = openSetupFile(home);
  ours.onEvent({ type: 'step', part: 'temporal', text: 'building' });
  ours.end('held');
  expect((await get('api/v1/setup')).text).toBe(before);
});
