import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Notice } from '../../../domain/notify/message.ts';
import { noticeOf } from '../../../domain/notify/notice.ts';
import { Sink } from '../../../domain/notify/sink.ts';
import { prepare, sendNotice } from '../../../infra/notify/send.ts';
import { signatureOf } from '../../../infra/notify/webhook.ts';
import { HOSTILE } from '../../support/hostile-texts.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { openSmtp } from '../../support/smtp.ts';

const NOW = new Date('2026-11-24T10:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'perpetua-sinks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const SECRETS = { KEY: 'hmac-key-of-the-test', PASSWORD: 'smtp-password-of-the-test' };
const env = (): Record<string, string> => ({ ...SECRETS, URL: `${receiver.url}/services/T0/secret-path` });
const context = () => ({ env: env(), commandEnv: { PATH: process.env['PATH'] ?? '' }, now: NOW });
const sinkOf = (spec: object) => Sink.parse({ name: 'team', ...spec });
const send = (spec: object, notice = plain()) =>
  sendNotice(sinkOf(spec), notice, { ...context(), signal: new AbortController().signal });

const message = (title: string, lines: string[] = []) => ({
  id: 'm1',
  kind: 'claim' as const,
  researchId: 'toy',
  body: { title, lines, commands: ['npx perpetua diff toy/7'] },
  createdAt: NOW,
});
const noticeWith = (title: string, lines: string[] = []): Notice =>
  noticeOf({ id: 'd-1', kind: 'news', sink: 'team', messages: [message(title, lines)], now: NOW });
const plain = (): Notice => noticeWith('#7 is now the best');
/** A notice with the texts of a hostile candidate, which also try to break out of mails and of chats. */
const hostile = (): Notice =>
  noticeWith('@everyone <!channel> **bold** <@U123> [click](https://evil.example)\r\nBcc: victim@example.com', [
    ...HOSTILE,
    'x'.repeat(5000),
    '.\r\nQUIT\r\n',
  ]);

describe('a webhook', () => {
  const spec = () => ({ type: 'webhook', url: receiver.url, key: '$KEY', allowPrivate: true });

  test('gets the notice as JSON, with its id and a signature over time and body', async () => {
    expect(await send(spec())).toEqual({ ok: true, answer: '200 ok' });
    const [got] = receiver.requests;
    expect(JSON.parse(got?.body ?? '')).toEqual({ ...plain() });
    const { 'x-perpetua-id': id, 'x-perpetua-timestamp': time = '', 'x-perpetua-signature': sign } = got?.headers ?? {};
    expect(id).toBe('d-1');
    expect(time).toBe(String(NOW.getTime() / 1000));
    expect(sign).toBe(signatureOf(SECRETS.KEY, String(time), got?.body ?? ''));
  });

  test('that answers with an error or a redirect has not taken it, and the redirect is not followed', async () => {
    const other = await openReceiver();
    receiver.answer = { status: 500, body: 'broken' };
    expect(await send(spec())).toEqual({ ok: false, error: 'it answered 500 broken' });
    receiver.answer = { status: 302, body: '', headers: { location: other.url } };
    expect(await send(spec())).toMatchObject({ ok: false, error: expect.stringMatching(/302, a redirect/) as string });
    expect(other.requests).toEqual([]);
    await other.close();
  });

  test.each([
    ['an address of this machine', () => receiver.url],
    ['a name that leads to this machine', () => receiver.url.replace('127.0.0.1', 'localhost')],
    ['an IPv4 address within IPv6', () => receiver.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')],
    ['an address in another notation', () => receiver.url.replace('127.0.0.1', '0x7f.1')],
    ['a link-local address', () => 'http://169.254.169.254/latest/meta-data'],
    ['a private address', () => 'http://10.0.0.1/'],
    ['an IPv4 address in an older form of IPv6', () => 'http://[::127.0.0.1]/'],
    ['an address of a Teredo tunnel', () => 'http://[2001:0:7f00:1::]/'],
  ])('may not be %s without allowPrivate', async (_what, url) => {
    const sent = await send({ ...spec(), url: url(), allowPrivate: false });
    expect(sent).toMatchObject({ ok: false, error: expect.stringMatching(/expected a public address/) as string });
    expect(receiver.requests).toEqual([]);
  });

  test('whose secret is missing or readable by others says so, and not the secret', async () => {
    expect(await send({ ...spec(), key: '$MISSING' })).toMatchObject({
      error: expect.stringContaining('expected the variable MISSING') as string,
    });
    const path = join(folder, 'key');
    writeFileSync(path, 'open secret', { mode: 0o644 });
    expect(await send({ ...spec(), key: `file:${path}` })).toMatchObject({
      error: expect.stringContaining(`chmod 600 ${path}`) as string,
    });
    chmodSync(path, 0o600);
    expect(await send({ ...spec(), key: `file:${path}` })).toMatchObject({ ok: true });
  });
});

test('slack gets plain text in which nothing of a candidate is a link or a mention', async () => {
  expect(await send({ type: 'slack', url: '$URL', allowPrivate: true }, hostile())).toMatchObject({ ok: true });
  const [got] = receiver.requests;
  const { text, mrkdwn } = JSON.parse(got?.body ?? '') as { text: string; mrkdwn: boolean };
  expect(got?.path).toBe('/services/T0/secret-path');
  expect(mrkdwn).toBe(false);
  expect(text).toContain('&lt;!channel&gt;');
  expect(text).not.toMatch(/[<>\u001b\u202e\0]/);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(400);
});

test('discord gets text without formatting, mentions and previews, within its limit', async () => {
  expect(await send({ type: 'discord', url: '$URL', allowPrivate: true }, hostile())).toMatchObject({ ok: true });
  const { content, ...others } = JSON.parse(receiver.requests[0]?.body ?? '') as { content: string };
  expect(others).toEqual({ allowed_mentions: { parse: [] }, flags: 4 });
  expect(content.length).toBeLessThanOrEqual(2000);
  expect(content).toContain('\\*\\*bold\\*\\* \\<@U123\\> \\[click\\](https\\://evil.example)');
  expect(content).not.toMatch(/[\u001b\u202e\0]/);
});

test('discord gets at most its limit, also if the mark of a cut is added', async () => {
  for (const length of [285, 286, 287, 288, 289]) {
    const lines = ['x'.repeat(length), ...Array.from({ length: 12 }, () => 'y'.repeat(283))];
    await send({ type: 'discord', url: '$URL', allowPrivate: true }, noticeWith('t', lines));
  }
  const lengths = receiver.requests.map(({ body }) => (JSON.parse(body) as { content: string }).content.length);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(2000);
  expect(lengths).toContain(2000);
});

describe('a mail', () => {
  const spec = (port: number, more = {}) => ({
    type: 'email',
    host: '127.0.0.1',
    port,
    security: 'none',
    from: 'perpetua@example.com',
    to: ['a@example.com', 'b@example.com'],
    ...more,
  });

  test('of a hostile candidate has one subject, its two receivers and no other header', async () => {
    const smtp = await openSmtp();
    const login = { user: 'me', password: '$PASSWORD' };
    expect(await send(spec(smtp.port, login), hostile())).toMatchObject({ ok: true });
    await smtp.close();
    const [mail] = smtp.mails;
    expect(mail?.login).toBe(`\0me\0${SECRETS.PASSWORD}`);
    expect(mail?.to).toEqual(['a@example.com', 'b@example.com']);
    const [head = ''] = (mail?.data ?? '').split('\r\n\r\n');
    const names = head.split(/\r\n(?![ \t])/).map((line) => line.split(':')[0]?.toLowerCase());
    expect(names.sort()).toEqual(
      [
        'content-transfer-encoding',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ].concat('x-perpetua-id'),
    );
    expect(head.toLowerCase()).toContain('x-perpetua-id: d-1');
    expect(mail?.data).not.toMatch(/[\u001b\u202e\0]/);
  });

  test('is refused without TLS that starttls requires, and no error has the password', async () => {
    const smtp = await openSmtp({ refuseLogin: true });
    const refused = await send(spec(smtp.port, { user: 'me', password: '$PASSWORD' }));
    expect(refused).toMatchObject({ ok: false, error: expect.stringMatching(/535|login/i) as string });
    expect(JSON.stringify(refused)).not.toContain(SECRETS.PASSWORD);
    expect(await send(spec(smtp.port, { security: 'starttls' }))).toMatchObject({ ok: false });
    await smtp.close();
    expect(smtp.mails).toEqual([]);
  });
});

describe('a command', () => {
  test('gets JSON on stdin and its words as they are, without a shell and without our secrets', async () => {
    const program = 'process.stdin.pipe(process.stdout); console.log(process.argv[1], Object.keys(process.env).join())';
    const out = join(folder, 'out');
    const script = `require("fs").writeFileSync(${JSON.stringify(out)}, require("fs").readFileSync(0)); ${program}`;
    const sent = await send({ type: 'command', argv: [process.execPath, '-e', script, '$(touch x); `y`'] }, hostile());
    expect(sent).toMatchObject({ ok: true, answer: expect.stringContaining('$(touch x); `y` PATH') as string });
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(hostile());
  });

  test('that fails, or takes too long, has not taken it', async () => {
    expect(await send({ type: 'command', argv: ['sh', '-c', 'echo no; exit 3'] })).toEqual({
      ok: false,
      error: 'exit code 3: no',
    });
    const slow = await send({ type: 'command', argv: ['sh', '-c', 'sleep 60 & wait'], seconds: 1 });
    expect(slow).toEqual({ ok: false, error: 'it ran for more than 1 s and was killed' });
    expect(await send({ type: 'command', argv: ['/nowhere/program'] })).toMatchObject({ ok: false });
  });
});

describe('a file', () => {
  const path = join(folder, 'messages.jsonl');

  test('gets a line for each message, which only its owner reads, also after a torn line', async () => {
    await send({ type: 'file', path }, hostile());
    writeFileSync(path, '{"torn', { flag: 'a' });
    await send({ type: 'file', path });
    const [first = '', torn, second = ''] = readFileSync(path, 'utf8').split('\n');
    expect([JSON.parse(first), torn, JSON.parse(second)]).toEqual([hostile(), '{"torn', plain()]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('that others can read, or that is a link, gets nothing', async () => {
    chmodSync(path, 0o644);
    expect(await send({ type: 'file', path })).toMatchObject({ ok: false });
    const link = join(folder, 'link');
    symlinkSync('/dev/null', link);
    expect(await send({ type: 'file', path: link })).toMatchObject({ ok: false });
  });
});

test.each([
  ['webhook', { type: 'webhook', url: '$URL', key: '$KEY' }, SECRETS.KEY],
  ['slack', { type: 'slack', url: '$URL' }, ''],
  ['discord', { type: 'discord', url: '$URL' }, ''],
])('what is shown of a %s, and its errors, contain no secret, also if it repeats them', async (_type, spec, key) => {
  const sink = { ...spec, allowPrivate: true };
  receiver.answer = { status: 403, body: `no ${env()['URL']} and ${key} at /services/T0/secret-path` };
  const { shown } = await prepare(sinkOf(sink), plain(), context());
  const texts = JSON.stringify([shown, await send(sink)]);
  expect(shown.join('\n')).toContain('#7 is now the best');
  expect(texts).toContain('403 no [secret]');
  for (const secret of [...Object.values(SECRETS), 'secret-path']) expect(texts).not.toContain(secret);
});
