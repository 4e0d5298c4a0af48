import { expect, test } from 'vitest';
import { type SetupEvent, type SetupView, withEnd, withEvent } from '../../view/setup.ts';

const NONE: SetupView = { startedAt: '2026-11-01T12:00:00Z', done: false, steps: [] };
const AT = '2026-11-01T12:00:01Z';
const after = (...events: SetupEvent[]) => events.reduce((view, event) => withEvent(view, event, AT), NONE);
const states = ({ steps }: SetupView) => steps.map(({ text, state, progress }) => [text, state, progress ?? null]);
const temporal = (type: SetupEvent['type'], text: string): SetupEvent => ({ type, part: 'temporal', text });

test('a step ends when its part begins the next one, or becomes ready, with the text of that event', () => {
  const view = after(
    temporal('step', 'downloading'),
    { type: 'step', part: 'postgres', text: 'starting Postgres' },
    temporal('progress', '3 MB'),
    temporal('warning', 'no network'),
    temporal('step', 'building'),
    { type: 'ready', part: 'postgres', text: 'Postgres runs' },
  );
  expect(states(view)).toEqual([
    ['downloading', 'done', null],
    ['Postgres runs', 'done', null],
    ['no network', 'warning', null],
    ['building', 'running', null],
  ]);
  expect(states(withEvent(view, temporal('progress', '12 of 300'), AT))[3]).toEqual([
    'building',
    'running',
    '12 of 300',
  ]);
});

test('an event without a step before it is a step of its own', () => {
  expect(states(after(temporal('progress', 'waiting')))).toEqual([['waiting', 'running', null]]);
  expect(states(after(temporal('ready', 'runs'), temporal('ready', 'goes on')))).toEqual([
    ['runs', 'done', null],
    ['goes on', 'done', null],
  ]);
});

test('the end of a start ends every running step, and a failure comes last', () => {
  const view = after(temporal('step', 'building'), temporal('progress', '12 of 300'));
  expect(withEnd(view, null, AT)).toMatchObject({ done: true, steps: [{ state: 'done' }] });
  expect(states(withEnd(view, 'no compiler', AT))).toEqual([
    ['building', 'failed', null],
    ['no compiler', 'failed', null],
  ]);
});

test('a start with very many events keeps its first step and the newest', () => {
  const view = after(...Array.from({ length: 500 }, (_, n) => temporal('warning', `n ${n}`)));
  expect(view.steps).toHaveLength(100);
  expect([view.steps[0]?.text, view.steps[1]?.text, view.steps.at(-1)?.text]).toEqual(['n 0', 'n 401', 'n 499']);
});
