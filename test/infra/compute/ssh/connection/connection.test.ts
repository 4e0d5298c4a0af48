import { EventEmitter } from 'node:events';
import type { Client, ClientChannel } from 'ssh2';
import { afterEach, expect, test, vi } from 'vitest';
import { HostUnreachableError } from '../../../../../infra/compute.ts';
import { keepConnection } from '../../../../../infra/compute/ssh/connection/connection.ts';

/** A connection whose channels a test closes. */
function scripted() {
  const client = new EventEmitter() as Client;
  const channels: EventEmitter[] = [];
  client.exec = ((_command: string, done: (error: undefined, channel: ClientChannel) => void) => {
    const channel = Object.assign(new EventEmitter(), { close: () => undefined });
    channels.push(channel);
    done(undefined, channel as unknown as ClientChannel);
    return client;
  }) as Client['exec'];
  return { connection: keepConnection('host', () => Promise.resolve(client), 1000), channels };
}

test('a connection is in use while a channel is open or waited for, and idle from then on', async () => {
  const { connection, channels } = scripted();
  await expect.poll(() => connection.idleSeconds()).toBeGreaterThan(0);
  await connection.exec('follow', 'a');
  const second = connection.exec('follow', 'b');
  expect(connection.idleSeconds()).toBe(0);
  channels[0]?.emit('close');
  const last = await second;
  expect(connection.idleSeconds()).toBe(0);
  // An abandoned channel does not count, whenever the host closes it.
  connection.abandon(last);
  await expect.poll(() => connection.idleSeconds()).toBeGreaterThan(0);
  channels[1]?.emit('close');
  const third = connection.exec('follow', 'c');
  expect(connection.idleSeconds()).toBe(0);
  await third;
  expect(connection.idleSeconds()).toBe(0);
});

test('a caller that waits for a channel is rejected when its signal aborts, and the next gets its turn', async () => {
  const { connection, channels } = scripted();
  await connection.exec('setup', 'a');
  const controller = new AbortController();
  const aborted = connection.exec('setup', 'b', controller.signal);
  const next = connection.exec('setup', 'c', new AbortController().signal);
  controller.abort(new Error('no longer wanted'));
  await expect(aborted).rejects.toThrow('no longer wanted');
  await expect(connection.exec('setup', 'd', controller.signal)).rejects.toThrow('no longer wanted');
  expect(channels).toHaveLength(1);
  channels[0]?.emit('close');
  connection.abandon(await next);
  expect(channels).toHaveLength(2);
  await expect.poll(() => connection.idleSeconds()).toBeGreaterThan(0);
});

afterEach(() => void vi.useRealTimers());

/** Connections on which each session fails with the error; counts how many were made and destroyed. */
function refusing(error: Error) {
  const seen = { made: 0, destroyed: 0 };
  const connect = (): Promise<Client> => {
    seen.made += 1;
    const client = new EventEmitter() as Client;
    client.exec = ((_command: string, done: (error: Error) => void) => (done(error), client)) as Client['exec'];
    client.destroy = () => ((seen.destroyed += 1), client);
    return Promise.resolve(client);
  };
  return { connection: keepConnection('host', connect, 1000), seen };
}

test('a connection is abandoned after five sessions that could not start on it, not after the first', async () => {
  const { connection, seen } = refusing(new Error('Unable to exec'));
  for (let i = 1; i <= 5; i += 1) {
    expect(seen).toEqual({ made: Math.min(1, i - 1), destroyed: 0 });
    await expect(connection.exec('verb', 'a')).rejects.toThrow('the connection was lost');
  }
  expect(seen).toEqual({ made: 1, destroyed: 1 });
  await expect(connection.exec('verb', 'a')).rejects.toThrow('the connection was lost');
  expect(seen.made).toBe(2);
});

test('the error blames MaxSessions 1 only if a new connection gives no session, either', async () => {
  vi.useFakeTimers();
  const { connection, seen } = refusing(Object.assign(new Error('open failed'), { reason: 1 }));
  const refused = expect(connection.exec('verb', 'a')).rejects.toThrow('MaxSessions 1');
  await vi.advanceTimersByTimeAsync(60_000);
  await refused;
  expect(seen).toEqual({ made: 2, destroyed: 1 });
});

/** Connections that allow three sessions each. While `failing`, a session fails to start and still counts. */
function allowingThree() {
  const seen = { made: 0, failing: false };
  const connect = (): Promise<Client> => {
    seen.made += 1;
    const client = new EventEmitter() as Client;
    const channels = new Set<EventEmitter>();
    let sessions = 0;
    client.exec = ((_command: string, done: (error?: Error, channel?: ClientChannel) => void) => {
      if (sessions === 3) return (done(Object.assign(new Error('open failed'), { reason: 1 })), client);
      sessions += 1;
      if (seen.failing) return (done(new Error('Unable to exec')), client);
      const channel = new EventEmitter().once('close', () => channels.delete(channel) && (sessions -= 1));
      channels.add(channel);
      done(undefined, channel as unknown as ClientChannel);
      return client;
    }) as Client['exec'];
    client.destroy = () => {
      for (const channel of channels) channel.emit('close');
      client.emit('close');
      return client;
    };
    return Promise.resolve(client);
  };
  const connection = keepConnection('host', connect, 1000);
  const fail = async (times: number): Promise<void> => {
    seen.failing = true;
    for (let n = 0; n < times; n += 1)
      await expect(connection.exec('verb', 'a')).rejects.toThrow('the connection was lost');
    seen.failing = false;
  };
  return { connection, seen, fail };
}

test('a connection full of sessions that failed to start is renewed, though its follower is open', async () => {
  vi.useFakeTimers();
  const { connection, seen, fail } = allowingThree();
  const closed = vi.fn();
  (await connection.exec('follow', 'a')).once('close', closed);
  await fail(2);
  // Several callers wait at once, and one of them renews the connection for all.
  const verbs = Promise.all(['b', 'c'].map((command) => connection.exec('verb', command)));
  await vi.advanceTimersByTimeAsync(15_000);
  await verbs;
  expect(seen.made).toBe(2);
  expect(closed).toHaveBeenCalledOnce();
});

test('a connection with further open channels of the worker is renewed after a minute', async () => {
  vi.useFakeTimers();
  const { connection, seen, fail } = allowingThree();
  await connection.exec('follow', 'a');
  await connection.exec('talk', 'b');
  await fail(1);
  const verb = connection.exec('verb', 'c');
  await vi.advanceTimersByTimeAsync(25_000);
  expect(seen.made).toBe(1);
  await vi.advanceTimersByTimeAsync(75_000);
  await verb;
  expect(seen.made).toBe(2);
});

test('a connection full of the channels of the worker is not renewed: callers wait', async () => {
  vi.useFakeTimers();
  const { connection, seen } = allowingThree();
  const [first] = await Promise.all(['a', 'b', 'c'].map((command) => connection.exec('talk', command)));
  const verb = connection.exec('verb', 'd');
  await vi.advanceTimersByTimeAsync(25_000);
  first?.emit('close');
  await vi.advanceTimersByTimeAsync(1000);
  await verb;
  expect(seen.made).toBe(1);
});

/** Pauses in ms between the attempts to connect to a host that never answers, during ten minutes. */
async function pausesOfSilence(): Promise<number[]> {
  const tries: number[] = [];
  const connect = (): Promise<Client> => {
    tries.push(Date.now());
    return Promise.reject(new HostUnreachableError('host', 'timeout', { message: 'no answer' }));
  };
  await expect(keepConnection('host', connect, 600_000).exec('verb', 'a')).rejects.toBeInstanceOf(HostUnreachableError);
  return tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
}

test('a host that does not answer is retried after pauses that grow to 15 s and differ by client', async () => {
  vi.useFakeTimers();
  const both = Promise.all([pausesOfSilence(), pausesOfSilence()]);
  await vi.advanceTimersByTimeAsync(660_000);
  const [first, second] = await both;
  for (const pauses of [first, second]) {
    expect(pauses.length).toBeGreaterThan(20);
    pauses.forEach((pause, index) => {
      const usual = Math.min(15_000, 250 * 2 ** index);
      expect(pause).toBeGreaterThanOrEqual(0.5 * usual - 1);
      expect(pause).toBeLessThanOrEqual(1.5 * usual + 1);
    });
  }
  // Clients that lost their connections at the same time must not reconnect at the same time.
  expect(first).not.toEqual(second);
});
