import { EventEmitter } from 'node:events';
import type { Client, ClientChannel } from 'ssh2';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Offsets } from '../../../../infra/compute.ts';
import { keepConnection } from '../../../../infra/compute/ssh/connection/connection.ts';
import { createFollower, type RunReport } from '../../../../infra/compute/ssh/follow.ts';
import type { Link } from '../../../../infra/compute/ssh/channel/link.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The worker's end of a channel whose program prints only what the test has it print, and never ends by itself. */
class Channel extends EventEmitter {
  stderr = new EventEmitter();
  orders = '';
  closed = false;
  readonly mark: string;
  constructor(command: string) {
    super();
    this.mark = (command.match(/[0-9a-f]{24}/g) ?? []).join('');
  }
  write = (text: string): boolean => ((this.orders += text), true);
  end = (): void => undefined;
  close = (): void => void (this.closed = true);
  say = (text: string): boolean => this.emit('data', Buffer.from(text));
  begin = (): boolean => this.say(`${this.mark}\nsend 0\n`);
}

/** A follower of a host, with all connections and channels that it opens. */
function box() {
  const channels: Channel[] = [];
  const clients: EventEmitter[] = [];
  const connect = async (): Promise<Client> => {
    const client = new EventEmitter();
    const opened: Channel[] = [];
    clients.push(client);
    return Object.assign(client, {
      exec: (command: string, done: (error: undefined, channel: ClientChannel) => void): void => {
        const channel = new Channel(command);
        opened.push(channel);
        channels.push(channel);
        done(undefined, channel as unknown as ClientChannel);
      },
      destroy: (): void => {
        client.emit('close');
        opened.forEach((channel) => channel.emit('close'));
      },
    }) as unknown as Client;
  };
  const connection = keepConnection('box', connect, 0);
  const words = async () => ({ script: ['host.sh'], words: ['follow'], shell: undefined });
  const link = { host: 'box', connection, call: async () => [], words } as unknown as Link;
  const follower = createFollower(link);
  const listen = (from: number | Offsets = 0) => {
    const reports: RunReport['type'][] = [];
    const abort = new AbortController();
    const over = (async () => {
      for await (const report of follower.follow('run.0', from, abort.signal)) reports.push(report.type);
    })();
    return { reports, leave: async () => (abort.abort(), over) };
  };
  return { channels, clients, listen };
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

test('a channel that no follower needs is closed, though its other end hangs', async () => {
  const { channels, clients, listen } = box();
  const first = listen();
  await seconds(0);
  channels[0]?.begin();
  await seconds(1);
  await first.leave();
  expect(channels[0]).toMatchObject({ orders: 'add 1 run.0 0 262144 output\ndrop 1\n', closed: false });
  await seconds(11);
  expect(channels[0]?.closed).toBe(true);
  const second = listen();
  await seconds(0);
  expect(channels.length).toBe(2);
  channels[1]?.begin();
  await seconds(0);
  expect(channels[1]?.orders).toBe('add 2 run.0 0 262144 output\n');
  channels[1]?.say('looked 1\n2');
  await seconds(0);
  await second.leave();
  expect(second.reports).toEqual(['looked']);
  expect(clients.length).toBe(1);
});

test('a channel on which the host never answers is replaced, and the second one with its connection', async () => {
  const { channels, clients, listen } = box();
  const follow = listen();
  await seconds(59);
  expect(channels.length).toBe(1);
  await seconds(2);
  expect(channels.map(({ closed }) => closed)).toEqual([true, false]);
  expect(clients.length).toBe(1);
  await seconds(61);
  expect(channels.map(({ closed }) => closed)).toEqual([true, true, false]);
  expect(clients.length).toBe(2);
  channels[2]?.begin();
  // Reports of a closed channel that wakes late are ignored.
  channels[0]?.begin();
  await seconds(0);
  channels[0]?.say('lost 0 1\n');
  channels[2]?.say('looked 1\n1');
  await seconds(0);
  await follow.leave();
  expect(follow.reports).toEqual(['looked']);
});

test('a channel that falls silent after its start is replaced, too', async () => {
  const { channels, clients, listen } = box();
  const follow = listen();
  await seconds(0);
  channels[0]?.begin();
  await seconds(61);
  expect(channels.length).toBe(2);
  channels[1]?.begin();
  await seconds(61);
  expect(channels.length).toBe(3);
  expect(clients.length).toBe(2);
  await follow.leave();
});

test('the two streams of a run have their own orders and bounds, and are probed and over together', async () => {
  const { channels, listen } = box();
  const follow = listen({ stdout: 7, stderr: 9 });
  await seconds(0);
  channels[0]?.begin();
  await seconds(0);
  expect(channels[0]?.orders).toBe('add 1 run.0 7 262151 stdout\nadd 2 run.0 9 262153 stderr\n');
  const say = async (text: string): Promise<string[]> => {
    channels[0]?.say(text);
    await seconds(0);
    return follow.reports;
  };
  expect(await say('looked 1\n1')).toEqual([]);
  expect(await say('out 2 2 9\nxxlooked 1\n1')).toEqual(['output']);
  expect(await say('looked 3\n1 2')).toEqual(['output', 'looked']);
  const part = 'x'.repeat(65_536);
  await say(`out 65536 1 7\n${part}out 65536 1 65543\n${part}`);
  expect(channels[0]?.orders).not.toContain('limit');
  expect(await say('out 1 1 131079\nx')).toHaveLength(5);
  expect(channels[0]?.orders).toMatch(/\nlimit 1 393224\n$/);
  expect(await say('ended 2 2 11\n{}')).toHaveLength(5);
  expect(await say('looked 1\n1')).toHaveLength(6);
  expect((await say('ended 2 1 131080\n{}')).slice(5)).toEqual(['looked', 'ended']);
  // Both streams ended by themselves, so the follower drops nothing.
  await seconds(1);
  expect(channels[0]?.orders).not.toContain('drop');
});
