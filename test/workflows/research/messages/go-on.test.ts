import { expect, test, vi } from 'vitest';
import { NOTHING_LEFT } from '../../../../domain/floor/left.ts';
import { goOn } from '../../../../workflows/research/messages/go-on.ts';
import type { State } from '../../../../workflows/research/state.ts';

const opened = (more: Partial<State> = {}): State =>
  ({ paused: false, stopping: null, toldToRun: false, activeSince: 1, ...more }) as State;
const hearing = () => ({ receive: vi.fn(), alert: vi.fn(() => Promise.resolve()) });

test.each([
  ['is paused, and its time does not run', { paused: true }, {}, { paused: true, activeSince: null }],
  [
    'runs where a person resumed it meanwhile',
    { paused: true },
    { toldToRun: true },
    { paused: false, activeSince: 1 },
  ],
  ['stops', { stopping: 'drain' }, {}, { stopping: 'drain' }],
  ['stops, though a person resumed it meanwhile', { stopping: 'drain' }, { toldToRun: true }, { stopping: 'drain' }],
  [
    'stops at once where a person asked for that meanwhile',
    { stopping: 'drain' },
    { stopping: 'now' },
    { stopping: 'now' },
  ],
] as const)('a research that goes on for a run that was ended %s', (_, left, state, expected) => {
  const after = opened(state);
  goOn(after, { ...NOTHING_LEFT, ...left }, hearing());
  expect(after).toMatchObject(expected);
});

test('it hears in their order of the messages that were for that run, and of those for which there was no room', () => {
  const { receive, alert } = hearing();
  const messages = [1, 2].map((arg) => ({ signal: 'note', arg }));
  goOn(opened(), { ...NOTHING_LEFT, messages, dropped: 3 }, { receive, alert });
  expect(receive.mock.calls).toEqual([
    ['note', 1],
    ['note', 2],
  ]);
  expect(alert).toHaveBeenCalledWith(expect.stringContaining('3 messages'));
});
