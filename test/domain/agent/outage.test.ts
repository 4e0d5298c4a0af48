import { expect, test } from 'vitest';
import { changedNothing, outageOf } from '../../../domain/agent/outage.ts';

test.each([null, 401, 402, 408, 429, 500, 529])(
  'an endpoint that answers %s is down, whatever model was asked',
  (status) => {
    for (const isOfAskedModel of [true, false])
      expect(outageOf({ error: 'it failed', status, isOfAskedModel })).toBe('it failed');
  },
);

test.each([403, 404])('%s is an outage for the model that the research asks for, and for no other', (status) => {
  expect(outageOf({ error: 'it failed', status, isOfAskedModel: true })).toBe('it failed');
  expect(outageOf({ error: 'it failed', status, isOfAskedModel: false })).toBeNull();
});

test('an error about the request, an answer, and no call at all are no outage', () => {
  for (const status of [400, 413, 422, 451])
    expect(outageOf({ error: 'it failed', status, isOfAskedModel: true })).toBeNull();
  expect(outageOf({ error: null, status: 200, isOfAskedModel: true })).toBeNull();
  expect(outageOf(null)).toBeNull();
});

test('an agent whose change is refused has worked: its end is no outage', () => {
  expect(['no-change', 'proposer-failed'].map((label) => changedNothing(label as 'no-change'))).toEqual([true, true]);
  expect(changedNothing('edit-outside-mutable')).toBe(false);
  expect(changedNothing('edit-does-not-apply')).toBe(false);
});
