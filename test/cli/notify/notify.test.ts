import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseNotify } from '../../../cli/notify/read-notify.ts';
import { useDatabase } from '../../db/support.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { insertResearch } from '../support/lineage.ts';
import { NOWHERE, run } from '../support/cli.ts';

const bench = useDatabase();
const folder = mkdtempSync(join(tmpdir(), 'perpetua-notify-'));
const file = join(folder, 'notify.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = 'secret-of-the-test';
let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
  await bench.db.execute(sql`truncate sinks cascade`);
});
afterEach(() => receiver.close());

const notify = (...argv: string[]) =>
  run(['notify', ...argv], {
    env: {
      DATABASE_URL: bench.url,
      TEMPORAL_ADDRESS: NOWHERE,
      PERPETUA_HOME: folder,
      KEY: SECRET,
      HOOK: `${receiver.url}/${SECRET}`,
    },
  });
const write = (...sinks: object[]) => writeFileSync(file, JSON.stringify({ sinks }));
const hook = (more = {}) => ({ name: 'hook', type: 'webhook', url: '$HOOK', key: '$KEY', allowPrivate: true, ...more });
const log = { name: 'log', type: 'file', path: join(folder, 'log.jsonl') };

describe('apply', () => {
  test('adds, changes and removes sinks, prints the changes, and does nothing the second time', async () => {
    write(hook(), log);
    expect((await notify('apply', file)).stdout).toBe('added: hook, log\n');
    expect((await notify('apply', file)).stdout).toBe('unchanged: hook, log\n');
    write(hook({ send: ['now'] }), { ...log, name: 'other' });
    expect((await notify('apply', file)).stdout.split('\n')).toEqual([
      'added: other',
      'changed: hook',
      'removed: log',
      '  hook.send: ["now","soon","digest"] → ["now"]',
      '',
    ]);
    expect((await notify('apply', file, '--json')).json()).toEqual([
      { added: [], changed: [], removed: [], unchanged: ['hook', 'other'] },
    ]);
  });

  test('names a variable that is not set, and researches that named a removed sink', async () => {
    write(hook({ key: '$MISSING' }));
    expect((await notify('apply', file)).stderr).toContain('! MISSING is not set in this terminal');
    await insertResearch(bench.db, 'mine', { notify: ['hook'] });
    write();
    const emptied = await notify('apply', file);
    expect(emptied.stderr).toContain('! hook is gone, and these researches named it (start --notify): mine');
    expect(emptied.stderr).toContain('names no sink, so nobody gets messages');
  });
});

test.each([
  ['an unknown type', { name: 'a', type: 'slak', url: '$X' }, 'sinks[0].type: expected one of webhook, slack,'],
  [
    'a secret',
    { name: 'a', type: 'slack', url: `https://h/${SECRET}` },
    'sinks[0].url: expected the place of a secret',
  ],
  ['a URL with a login', hook({ url: `https://me:${SECRET}@h/` }), 'sinks[0].url: expected a URL without user'],
  ['a key', hook({ key: SECRET }), 'sinks[0].key: expected the place of a secret: $NAME or file:/path'],
  [
    'a password',
    { name: 'a', type: 'email', host: 'h', user: 'u', password: SECRET, from: 'a@b.c', to: ['a@b.c'] },
    'sinks[0].password: expected the place of a secret',
  ],
  [
    'a password without encryption',
    {
      name: 'a',
      type: 'email',
      host: 'h',
      security: 'none',
      user: 'u',
      password: '$P',
      from: 'a@b.c',
      to: ['a@b.c'],
    },
    'sinks[0].security: expected starttls or tls',
  ],
  [
    'a header in an address',
    { name: 'a', type: 'email', host: 'h', from: 'a@b.c', to: ['a@b.c\r\nBcc: d@e.f'] },
    'to[0]',
  ],
  ['a relative path', { ...log, path: 'log' }, 'sinks[0].path: expected an absolute path'],
  ['a time zone', { ...log, timeZone: 'Mars/Base' }, 'sinks[0].timeZone: expected a time zone such as Europe/Berlin'],
  ['a time of day', { ...log, digestAt: '24:00' }, 'sinks[0].digestAt: expected a time of day such as 08:00'],
])('%s is refused by its key, and no secret is shown', (_what, sink, message) => {
  const refused = () => parseNotify(JSON.stringify({ sinks: [sink] }));
  expect(refused).toThrow(message);
  expect(refused).not.toThrow(SECRET);
});

test('two sinks of one name are refused', () => {
  expect(() => parseNotify(JSON.stringify({ sinks: [log, log] }))).toThrow('sinks[1].name: expected each name once');
});

describe('test', () => {
  test('shows what is sent, sends it, and prints the answers, without secrets', async () => {
    write(hook(), log);
    await notify('apply', file);
    const { stdout, code } = await notify('test');
    expect([code, stdout]).toEqual([0, expect.stringContaining('taken: 200 ok')]);
    expect(stdout).not.toContain(SECRET);
    const [got] = receiver.requests;
    expect(got?.path).toBe(`/${SECRET}`);
    expect(stdout).toContain(got?.body ?? 'nothing');
    expect(stdout).toContain(String(got?.headers['x-perpetua-signature']));
    expect(stdout).toContain(readFileSync(log.path, 'utf8').trim());
  });

  test('sends nothing with --dry-run, and only to a named sink', async () => {
    write(hook(), log);
    await notify('apply', file);
    expect((await notify('test', '--dry-run')).stdout).toContain('not sent (--dry-run)');
    expect(receiver.requests).toEqual([]);
    expect((await notify('test', 'hook', '--json')).json()).toMatchObject([{ tested: [{ sink: 'hook', ok: true }] }]);
    expect(receiver.requests).toHaveLength(1);
    const unknown = await notify('test', 'hok');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean hook?')]);
  });

  test('fails if a sink does not take it', async () => {
    write(hook());
    await notify('apply', file);
    receiver.answer = { status: 500, body: SECRET };
    const { code, stdout, stderr } = await notify('test');
    expect([code, stdout]).toEqual([1, expect.stringContaining('not taken: it answered 500 [secret]')]);
    expect(stderr).toContain('These sinks did not take the message: hook');
  });
});

test('list shows where sinks lead and what waits; remove takes one away', async () => {
  write(hook({ url: receiver.url, digestAt: '07:30', timeZone: 'Europe/Berlin' }));
  await notify('apply', file);
  await bench.db.execute(sql`
    insert into messages (sink, kind, body, due_at) values ('hook', 'digest', '{}', now())`);
  const { stdout } = await notify('list');
  expect(stdout).toContain(`hook  webhook  now, soon, digest  ${receiver.url}\n  daily report at 07:30 Europe/Berlin`);
  expect(stdout).toContain('1 message waiting');
  expect((await notify('list', '--json')).json()).toMatchObject([
    { sinks: [{ name: 'hook', outbox: { waiting: 1 } }] },
  ]);
  expect((await notify('remove', 'hook')).stdout).toContain('removed hook');
  expect(await notify('remove', 'hook')).toMatchObject({ code: 2 });
});
