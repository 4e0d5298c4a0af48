import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { listen } from '../../db/listen.ts';
import { useDatabase } from './support.ts';

const bench = useDatabase();
const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

/** A gateway to Postgres that records every connection. `opened` decides when a connection may go on. */
async function gateway(opened: (socket: Socket) => Promise<void> = async () => undefined) {
  const { hostname, port } = new URL(bench.url);
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    void opened(socket).then(() => {
      const postgres = connect({ host: hostname, port: Number(port) });
      postgres.on('error', () => undefined);
      socket.pipe(postgres).pipe(socket);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closes.push(() => server.close());
  const url = new URL(bench.url);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: url.toString(), sockets, open: () => sockets.filter((socket) => !socket.closed).length };
}

const notify = (channel: string) => bench.db.execute(sql`select pg_notify(${channel}, 'freed')`);
const listeners = async (): Promise<number[]> =>
  (
    await bench.db.execute<{ pid: number }>(
      sql`select pid from pg_stat_activity where datname = current_database() and query like 'listen %'`,
    )
  ).rows.map(({ pid }) => pid);

describe('a listener', () => {
  test('whose backend is killed listens again on one connection, and reports a possible gap', async () => {
    const { url, sockets, open } = await gateway();
    const heard = vi.fn();
    const hearing = listen(url, 'killed', heard);
    closes.push(hearing.close);
    for (const round of [1, 2, 3]) {
      await expect.poll(() => heard.mock.calls).toEqual([['']]);
      await notify('killed');
      await expect.poll(() => heard.mock.calls).toEqual([[''], ['freed']]);
      expect(sockets).toHaveLength(round);
      await expect.poll(open).toBe(1);
      heard.mockClear();
      const [pid] = await listeners();
      await bench.db.execute(sql`select pg_terminate_backend(${pid})`);
    }
  });

  test('that may not listen keeps no connection of its attempts', async () => {
    const { url, sockets, open } = await gateway();
    // Postgres refuses an empty name.
    const hearing = listen(url, '', () => undefined);
    await expect.poll(() => sockets.length).toBeGreaterThan(2);
    await expect.poll(open).toBeLessThan(2);
    await hearing.close();
    await expect.poll(open).toBe(0);
  });

  test('that is closed while it connects leaves no connection', async () => {
    const signal = new EventTarget();
    const { url, sockets, open } = await gateway(async () => void (await once(signal, 'go')));
    const heard = vi.fn();
    const hearing = listen(url, 'closed', heard);
    await expect.poll(() => sockets.length).toBe(1);
    const closing = hearing.close();
    signal.dispatchEvent(new Event('go'));
    await closing;
    await expect.poll(open).toBe(0);
    expect(heard).not.toHaveBeenCalled();
    await expect.poll(listeners).toEqual([]);
  });
});
