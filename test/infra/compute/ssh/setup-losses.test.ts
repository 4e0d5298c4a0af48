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

/** A setup on a host whose link does so at each attempt to hear of it; when those were, in ms. */
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
  const what = { stageHash: 'stage1', commands: ['true'] };
  const over = prepare({ context, setups: new Map() }, what, { onOutput: () => undefined, signal });
  return { tries, over };
}

test('a setup that is lost each time before the host says anything is tried again after pauses, and given up', async () => {
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

test('a setup whose host was heard since is found again after any number of losses', async () => {
  const { tries, over } = setUpOver((n, onFrame) => {
    // All that is said of one that prints nothing.
    onFrame(frame('beat'));
    if (n <= 8) throw lost();
    onFrame(frame('result', ['0', '1']));
  });
  await over;
  expect(tries).toHaveLength(9);
});

test('a setup that nobody wants any more is not waited for in a pause', async () => {
  const leaves = new AbortController();
  const { tries, over } = setUpOver(() => {
    throw lost();
  }, leaves.signal);
  const left = expect(over).rejects.toThrow('no longer wanted');
  await expect.poll(() => tries).toHaveLength(1);
  leaves.abort(new Error('no longer wanted'));
  await left;
  expect(tries).toHaveLength(1);
});

test('a call whose frames are heard as they come hears of beats, which no other returns', async () => {
  const say = (command: string): ClientChannel => {
    const [, first = '', second = ''] = /'?([0-9a-f]{24})'? '?([0-9a-f]{24})'?/.exec(command) ?? [];
    const channel = Object.assign(new EventEmitter(), { stderr: new EventEmitter(), end: () => undefined });
    setImmediate(() => channel.emit('data', Buffer.from(`${first}${second}\nbeat 0\nyes 0\ndone 0\n`)));
    return channel as unknown as ClientChannel;
  };
  const connection = { heard: () => undefined, exec: async (_, command) => say(command) } as Partial<Connection>;
  const call = { kind: 'verb', script: ['x'], words: [] } as const;
  const ask = (onFrame?: (frame: Frame) => void): Promise<Frame[]> =>
    callOnce('box', connection as Connection, { ...call, script: [...call.script], words: [], onFrame });
  expect((await ask()).map(({ type }) => type)).toEqual(['yes']);
  const heard: string[] = [];
  await ask(({ type }) => void heard.push(type));
  expect(heard).toEqual(['beat', 'yes']);
});
