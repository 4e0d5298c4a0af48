import { describe, expect, test } from 'vitest';
import { FLOOR, floorOf } from '../../../domain/floor/floor.ts';
import { floorOfIdentity, identityOf, placeOfIdentity } from '../../../domain/floor/identity.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { startAgainWith } from '../../../domain/floor/start-again.ts';

describe('the identity of a worker', () => {
  test('the floor is the minor version of the package', () => {
    expect(manifest.version.split('.')[1]).toBe(String(FLOOR));
  });

  test('a memo without a floor, or with one that is no number, is of the oldest code', () => {
    expect([undefined, {}, { floor: '2' }, { floor: FLOOR }].map(floorOf)).toEqual([0, 0, 0, FLOOR]);
  });

  test('a worker tells its version and where it runs by its name; one of 0.1 only where', () => {
    const name = identityOf({ pid: 12, host: 'box' });
    expect([floorOfIdentity(name), placeOfIdentity(name)]).toEqual([FLOOR, { pid: 12, host: 'box' }]);
    expect([floorOfIdentity('12@box'), placeOfIdentity('12@box')]).toEqual([0, { pid: 12, host: 'box' }]);
    expect([floorOfIdentity('somebody'), placeOfIdentity('somebody')]).toEqual([0, null]);
  });
});

describe('a start again', () => {
  const kept = { task: '/t', tempo: 0.5, maxHistory: 50, check: true };
  const args = { ...kept, budget: { trials: 9 }, proposer: 'llm' };
  const again = (input: object, setWindow?: unknown) => startAgainWith(input, { opened: true, setWindow });

  test('a research that was opened is started again with its arguments, without those that the database has by now', () => {
    expect(again(args)).toEqual(kept);
  });

  test('a research that was never opened is started again with its budget and proposer, too', () => {
    expect(startAgainWith(args, { opened: false, setWindow: undefined })).toEqual(args);
  });

  test.each([
    ['of its start', { ...args, window: 2 }, undefined, 2],
    ['of the run before', { ...args, window: 2, carry: { fixedWindow: 4, paused: true } }, undefined, 4],
    [
      'auto, if the run before had no fixed one',
      { ...args, window: 2, carry: { fixedWindow: null } },
      undefined,
      'auto',
    ],
    ['that was set last', { ...args, window: 2, carry: { fixedWindow: 4 } }, { window: 3 }, 3],
    ['auto, if that was set last', { ...args, window: 2 }, { window: 'auto' }, 'auto'],
    ['of its start, if what was set is none', { ...args, window: 2 }, { window: 0 }, 2],
  ])('a research is started again with the window %s', (_, input, setWindow, window) => {
    expect(again(input, setWindow)).toEqual({ ...kept, window });
  });

  test('arguments that are no object stay as they are, to be refused as before', () => {
    expect(startAgainWith(42, { opened: false, setWindow: undefined })).toBe(42);
  });
});
