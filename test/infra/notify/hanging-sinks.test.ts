import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { Notice } from '../../../domain/notify/message.ts';
import { Sink } from '../../../domain/notify/sink.ts';
import { sendNotice } from '../../../infra/notify/send.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-hanging-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const notice: Notice = {
  id: 'd-1',
  kind: 'news',
  sink: 'team',
  at: '2026-11-24T10:00:00Z',
  title: 'news',
  lines: [],
  commands: [],
  researches: [],
};
const send = (spec: object, signal = new AbortController().signal) => {
  const context = { env: {}, commandEnv: { PATH: process.env['PATH'] ?? '' }, now: new Date(), signal };
  return sendNotice(Sink.parse({ name: 'team', ...spec }), notice, context);
};

test('a mail server that never ends its answer is left at the limit, and its connection is closed', async () => {
  const stop = new AbortController();
  const closed = new Promise<void>((resolve) => {
    const converse = (socket: Socket): void => {
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.write('220 test\r\n');
      // A line of an answer with more lines: the connection is never idle.
      socket.on('data', () => {
        socket.write('250-more\r\n');
        stop.abort();
      });
    };
    const server = createServer(converse).listen(0, '127.0.0.1', () => begun(server.address() as AddressInfo));
    void stop.signal.addEventListener('abort', () => server.close());
  });
  let begun: (address: AddressInfo) => void = () => undefined;
  const { port } = await new Promise<AddressInfo>((resolve) => (begun = resolve));
  const mail = { type: 'email', host: '127.0.0.1', port, security: 'none', from: 'a@example.com' };
  expect(await send({ ...mail, to: ['b@example.com'] }, stop.signal)).toEqual({
    ok: false,
    error: 'it was stopped with the worker',
  });
  await closed;
});

test('a child that a command leaves behind ends with it', async () => {
  const sent = await send({ type: 'command', argv: ['sh', '-c', 'sleep 600 & echo $!'] });
  const pid = sent.ok ? /(\d+)$/.exec(sent.answer)?.[1] : undefined;
  expect(pid).toBeDefined();
  // A process that no parent has reaped yet is a zombie.
  const runs = (): boolean =>
    existsSync(`/proc/${pid}/stat`) && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  await vi.waitFor(() => expect(runs()).toBe(false));
});

test('a pipe in place of the file of a secret is refused, and blocks no thread', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  expect(await send({ type: 'slack', url: `file:${pipe}` })).toMatchObject({
    ok: false,
    error: expect.stringContaining(`chmod 600 ${pipe}`) as string,
  });
});
