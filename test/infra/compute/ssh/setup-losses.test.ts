import { EventEmitter } from 'node:events';
import type { ClientChannel } from 'ssh2';
import { expect, test } from 'vitest';
import { callOnce } from '../../../../infra/compute/ssh/channel/call.ts';
import { ConnectionLostError, type Connection } from '../../../../infra/compute/ssh/connection/connection.ts';
import type { SshContext } from '../../../../infra/compute/ssh/context.ts';
import type { Frame } from '../../../../infra/compute/ssh/channel/frames.ts';
import type { Link } from '../../../../infra/compute/ssh/channel/link.ts';
import { prepare } from '../../../../infra/compute/ssh/prepare.ts';
import { layoutOf } from '../../../../infra/compute/run-protocol/paths.ts';
import { never } from '../conformance/support.ts';

const lost = (): Error => new ConnectionLostError('box', 'closed', { message: 'the connection was lost' });
const frame = (type: string, words: string[] = []): Frame => ({ type, words, payload: Buffer.alloc(0) });

/** Runs a setup over a link that calls `attempt` at each attempt to follow it; returns the times of these in ms. */
function setUpOver(attempt: (tries: number, onFrame: (frame: Frame) => void) => void, signal = never) {
  const tries: number[] = [];
  const link: Partial<Link> = {
    facts: async () => ({ layout: layoutOf('/home', 'tests'), isRoot: false }),
    call: async () => [],
    callStreaming: async (_, onFrame) => {
      signal.throwIfAborted();
      tries.push(Date.now());
      attempt(tries.length, onFrame);
    },
  };
  const context = { link, host: 'box', path: '/bin', staged: new Map() } as unknown as SshContext;
  const setup = { stageHash: 'stage1', commands: ['true'] };
  const over = prepare({ context, setups: new Map() }, setup, { onOutput: () => undefined, signal });
  return { tries, over };
}

test('a setup that is lost each time before the host answers is retried after pauses, and then fails', async () => {
  const { tries, over } = setUpOver(() => {
    throw lost();
  });
  await expect(over).rejects.toBeInstanceOf(ConnectionLostError);
  expect(tries).toHaveLength(6);
  tries.slice(1).forEach((at, index) => {
    const pause = at - (tries[index] ?? 0);
    expect(pause).toBeGreaterThanOrEqual(125 * 2 ** index - 1);
  });
});

test('a setup whose host answers in between is found again after any number of losses', async () => {
  const { tries, over } = setUpOver((n, onFrame) => {
    // A setup that prints nothing sends beats only.
    onFrame(frame('beat'));
    if (n <= 8) throw lost();
    onFrame(frame('result', ['0', '1']));
  });
  await over;
  expect(tries).toHaveLength(9);
});

test('a setup that is cancelled during a pause ends at once', async () => {
  const controller = new AbortController();
  const { tries, over } = setUpOver(() => {
    throw lost();
  }, controller.signal);
  const cancelled = expect(over).rejects.toThrow('no longer wanted');
  await expect.poll(() => tries).toHaveLength(1);
  controller.abort(new Error('no longer wanted'));
  await cancelled;
  expect(tries).toHaveLength(1);
});

test('a call with a listener for frames gets beats, and a call without one does not return them', async () => {
  const say = (command: string): ClientChannel => {
    const [, first = '', second = ''] = /'?([0-9a-f]{24})'? '?([0-9a-f]{24})'?/.exec(command) ?? [];
    const channel = Object.assign(new EventEmitter(), { stderr: new EventEmitter(), end: () => undefined });
    setImmediate(() => channel.emit('data', Buffer.from(`${first}${second}\nbeat 0\nyes 0\ndone 0\n`)));
    return channel as unknown as ClientChannel;
  };
  const connection = { noteAnswer: () => undefined, exec: async (_, command) => say(command) } as Partial<Connection>;
  const call = { kind: 'verb', script: ['x'], words: [] } as const;
  const ask = (onFrame?: (frame: Frame) => void): Promise<Frame[]> =>
    callOnce('box', connection as Connection, { ...call, script: [...call.script], words: [], onFrame });
  expect((await ask()).map(({ type }) => type)).toEqual(['yes']);
  const types: string[] = [];
  await ask(({ type }) => void types.push(type));
  expect(types).toEqual(['beat', 'yes']);
});
