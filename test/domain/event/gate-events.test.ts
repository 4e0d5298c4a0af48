import { expect, test } from 'vitest';
import { gateEvents } from '../../../domain/event/gate-events.ts';
import { advance, openGate } from '../../../domain/gate/gate.ts';
import type { Advance, EndedRun, GateConfig, GateState } from '../../../domain/gate/types.ts';

const CONFIG: GateConfig = {
  policy: 'strict',
  direction: 'minimize',
  minDelta: 0,
  falseKeepsPer200: 0.05,
  baselineRuns: 1,
  repeats: 1,
  followsLead: true,
};
const said = { researchId: 'r', by: 'gate' as const, reason: 'claimed' };

/** The events of each run of a strict gate, one after the other. */
function play(runs: Partial<EndedRun>[]) {
  let { state } = openGate(CONFIG, 'base');
  return runs.map((run, index) => {
    const before: GateState = state;
    const full = { n: index + 1, kind: 'search', parentId: 'base', ofTrial: null, seed: index, value: null, ...run };
    const step: Advance = advance(CONFIG, before, { candidateId: 'base', ...full } as EndedRun);
    state = step.state;
    return gateEvents(before, step, said).map(({ kind, n, data }) => ({ kind, n, data }));
  });
}

const kinds = (events: { kind: string; n?: number | null | undefined }[]) => events.map(({ kind, n }) => [kind, n]);

test('a claim that loses to its predecessor is taken back with the reason of the ruling on its trial', () => {
  const events = play([
    { kind: 'baseline', value: 2 },
    { candidateId: 'lucky', value: 1 },
    // The re-run is worse than the version that the claim had beaten.
    { kind: 'remeasure', candidateId: 'lucky', ofTrial: 2, value: 9 },
  ]);
  expect(kinds(events[0] ?? [])).toEqual([['trial-ruled', 1]]);
  expect(kinds(events[1] ?? [])).toEqual([
    ['trial-ruled', 2],
    ['lead-moved', 2],
    ['claim-made', 2],
  ]);
  expect(events[2]).toMatchObject([
    { kind: 'trial-ruled', n: 3, data: { verdict: 'none' } },
    { kind: 'trial-ruled', n: 2, data: { verdict: 'discard' } },
    { kind: 'lead-moved', n: null, data: { candidateId: 'base', previous: 'lucky' } },
    {
      kind: 'claim-taken-back',
      n: 2,
      data: { candidateId: 'lucky', inPlace: 'base', value: 2, reason: expect.stringMatching(/^demoted/) as unknown },
    },
  ]);
});

test('an incumbent that ends without a successor is taken back, too', () => {
  const { state } = openGate(CONFIG, 'base');
  const before: GateState = { ...state, incumbentId: 'other' };
  const events = gateEvents(before, { state, rulings: [], wanted: [], claimed: null }, said);
  expect(events).toMatchObject([
    { kind: 'claim-taken-back', data: { candidateId: 'other', inPlace: null, value: null } },
  ]);
});

test('only the last of several rulings on a trial is an event', () => {
  const { state } = openGate(CONFIG, 'base');
  const rulings = [1, 2, 1].map((n, index) => ({ n, verdict: 'none' as const, reason: `no. ${index}` }));
  const events = gateEvents(state, { state, rulings, wanted: [], claimed: null }, said);
  expect(events.map(({ n, data }) => [n, (data as { reason: string }).reason])).toEqual([
    [2, 'no. 1'],
    [1, 'no. 2'],
  ]);
});
