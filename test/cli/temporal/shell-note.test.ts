import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { alreadyOpen } from '../../../cli/temporal/already-open.ts';
import { shellNote } from '../../../cli/temporal/shell-note.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-note-'));
afterAll(() => rmSync(home, { recursive: true }));
const of = { pid: 1, startedAt: 's' };
const temporal = { address: '127.0.0.1:40123', namespace: 'default', uiUrl: null, embedded: null };
const postgres = { url: 'postgres://x', embedded: null };
writeFileSync(
  join(home, 'up.json'),
  JSON.stringify({ version: 1, owner: of, writtenAt: '', temporal, postgres, workers: [] }),
);

const io = (env: Record<string, string>) => ({ stdout: process.stdout, stderr: process.stderr, env });
const inHome = io({ PERPETUA_HOME: home, PATH: '/nonexistent' });
const NOTE = 'note: before a command of temporal, once in this shell: export TEMPORAL_ADDRESS=127.0.0.1:40123';

test('a command of temporal is told with what the shell needs for it', async () => {
  expect(await shellNote(inHome, ['paused', 'mend it: temporal workflow update execute'])).toBe(NOTE);
  expect((await alreadyOpen(inHome, 'one')).message.split('\n')).toEqual([
    expect.stringContaining(`temporal workflow update execute --workflow-id one --name setBudget`),
    NOTE,
  ]);
});

test.each([
  ['no command of temporal is told', inHome, 'npx perpetua start one'],
  ['the environment names the server', io({ TEMPORAL_ADDRESS: 'there:7233' }), 'temporal workflow list'],
  ['no server runs', io({ PERPETUA_HOME: join(home, 'none') }), 'temporal workflow list'],
])('nothing is added where %s', async (_, where, text) => {
  expect(await shellNote(where, [text])).toBeNull();
});
