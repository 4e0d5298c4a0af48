import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { connect } from '../../db/connect.ts';
import { listen } from '../../db/listen.ts';

afterEach(() => vi.restoreAllMocks());

/** A server that ends every connection at once. */
async function brief() {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `postgres://u@127.0.0.1:${(server.address() as AddressInfo).port}/d`, close: () => server.close() };
}

test.each([
  [
    'a pool',
    (url: string) => {
      const { pool, close } = connect(url, { max: 1, onError: () => undefined });
      pool.query('select 1').catch(() => undefined);
      return close;
    },
  ],
  ['a listener', (url: string) => listen(url, 'any', () => undefined).close],
])('a connection of %s probes the other end after 20 s of silence', async (_, open) => {
  const { url, close } = await brief();
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
  const end = open(url);
  try {
    await expect.poll(() => keepAlive.mock.calls.length).toBeGreaterThan(0);
    expect(keepAlive.mock.calls[0]).toEqual([true, 20_000]);
  } finally {
    await end();
    close();
  }
});
