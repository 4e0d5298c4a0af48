import { describe, expect, test } from 'vitest';
import { END_REASON, FLOOR, floorOf, isEndReason } from '../../../domain/floor/floor.ts';
import { floorOfIdentity, identityOf, parseIdentity } from '../../../domain/floor/identity.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { pauseAndStopAtEnd, recordedEnd } from '../../../domain/floor/pause-and-stop.ts';
import { restartArgs } from '../../../domain/floor/restart-args.ts';

describe('the identity of a worker', () => {
  test('the floor is the minor version of the package', () => {
    expect(manifest.version.split('.')[1]).toBe(String(FLOOR));
  });

  test('a memo without a floor, or with one that is no number, counts as the oldest code', () => {
    expect([undefined, {}, { floor: '2' }, { floor: FLOOR }].map(floorOf)).toEqual([0, 0, 0, FLOOR]);
  });

  test('the identity of a worker holds its version and its machine; that of 0.1 only the machine', () => {
    const name = identityOf({ pid: 12, host: 'box' });
    expect([floorOfIdentity(name), parseIdentity(name)]).toEqual([FLOOR, { pid: 12, host: 'box' }]);
    expect([floorOfIdentity('12@box'), parseIdentity('12@box')]).toEqual([0, { pid: 12, host: 'box' }]);
    expect([floorOfIdentity('somebody'), parseIdentity('somebody')]).toEqual([0, null]);
  });
});

describe('a restart', () => {
  const kept = { task: '/t', tempo: 0.5, maxHistory: 50, check: true };
  const args = { ...kept, budget: { trials: 9 }, proposer: 'llm' };
  const restart = (input: object, setWindow?: unknown) =>
    restartArgs(input, { opened: true, setWindow, pauseAndStop: {} });

  test('an opened research is restarted with its arguments, without those that the database holds', () => {
    expect(restart(args)).toEqual(kept);
  });

  test('a research that was never opened is restarted with its budget and proposer, too', () => {
    expect(restartArgs(args, { opened: false, setWindow: undefined, pauseAndStop: {} })).toEqual(args);
  });

  test.each([
    ['of its start', { ...args, window: 2 }, undefined, 2],
    ['of the previous run', { ...args, window: 2, carry: { fixedWindow: 4, paused: true } }, undefined, 4],
    [
      'auto, if the previous run had no fixed window',
      { ...args, window: 2, carry: { fixedWindow: null } },
      undefined,
      'auto',
    ],
    ['of the last setWindow', { ...args, window: 2, carry: { fixedWindow: 4 } }, { window: 3 }, 3],
    ['auto, if the last setWindow set it', { ...args, window: 2 }, { window: 'auto' }, 'auto'],
    ['of its start, if the last setWindow is invalid', { ...args, window: 2 }, { window: 0 }, 2],
  ])('a research is restarted with the window %s', (_, input, setWindow, window) => {
    expect(restart(input, setWindow)).toEqual({ ...kept, window });
  });

  test('a research is restarted with the pause and the stop in force, in place of those of its start', () => {
    const pauseAndStop = { stopping: 'now' } as const;
    const input = { ...args, paused: true, stopping: 'drain' };
    const restarted = restartArgs(input, { opened: true, setWindow: undefined, pauseAndStop });
    expect(restarted).toEqual({ ...kept, stopping: 'now' });
  });

  test('arguments that are no object stay as they are, so that the workflow refuses them again', () => {
    expect(restartArgs(42, { opened: false, setWindow: undefined, pauseAndStop: {} })).toBe(42);
  });
});

describe('pause and stop at the end of a run', () => {
  const after = (args: unknown, ...signals: [name: string, arg?: unknown][]) =>
    pauseAndStopAtEnd({ args, steering: signals.map(([name, arg]) => ({ name, arg })), isCancelled: false });

  test.each([
    ['there was no request', {}, [], {}],
    ['it was started paused', { paused: true }, [], { paused: true }],
    ['the previous run was paused', { carry: { paused: true, stopping: null } }, [], { paused: true }],
    ['the previous run was resumed', { paused: true, carry: { paused: false } }, [], {}],
    [
      'the previous run was stopping',
      { carry: { paused: true, stopping: 'drain' } },
      [],
      { paused: true, stopping: 'drain' },
    ],
    ['it was paused', {}, [['pause', {}]], { paused: true }],
    ['it was resumed', { paused: true }, [['pause'], ['resume', null]], {}],
    ['it was stopped', {}, [['stop']], { stopping: 'drain' }],
    [
      'it was stopped at once, and then once more',
      {},
      [
        ['stop', { now: true }],
        ['stop', {}],
      ],
      { stopping: 'now' },
    ],
    ['it was resumed while it stopped', { paused: true }, [['stop'], ['resume']], { paused: true, stopping: 'drain' }],
    ['it was paused while it stopped', {}, [['stop'], ['pause']], { stopping: 'drain' }],
    [
      'its signals were invalid',
      {},
      [
        ['stop', { now: 'yes' }],
        ['pause', 'long'],
      ],
      {},
    ],
    ['its arguments are no object', 42, [], {}],
  ] as [string, unknown, [string, unknown?][], object][])('%s', (_, args, signals, expected) => {
    expect(after(args, ...signals)).toEqual(expected);
  });

  test('a cancel is a stop that waits for no run', () => {
    expect(pauseAndStopAtEnd({ args: {}, steering: [], isCancelled: true })).toEqual({ stopping: 'now' });
  });
});

test('a run has ended once it was about to store its end', () => {
  const end = { phase: 'stopped', reason: 'checked', window: 2, activeSeconds: 3.5 };
  expect(recordedEnd({ researchId: 'a', ...end })).toEqual(end);
  expect(recordedEnd({ phase: 'stopped' })).toEqual({ ...end, reason: null, window: 1, activeSeconds: 0 });
  for (const other of [undefined, 'stopped', { ...end, phase: 'stopping' }]) expect(recordedEnd(other)).toBeNull();
});

test('the reason of a worker that ends an older workflow is distinguished from that of a person', () => {
  const reasons = [END_REASON, 'begun by a Perpetua older than 0.2, which …', 'enough', null];
  expect(reasons.map(isEndReason)).toEqual([true, true, false, false]);
});
