import { expect, test } from 'vitest';
import { createRandom } from '../../../../domain/statistics/random.ts';
import type { LineageView } from '../../../../domain/search/parent.ts';
import { PARENTS } from '../../../../domain/search/parent/table.ts';

const view: LineageView = {
  direction: 'minimize',
  original: 'o',
  incumbent: 'i',
  lead: 'l',
  nodes: [{ candidateId: 'o', parentId: null, value: 2, runs: 10, visits: 3, inFlight: 1 }],
};

test.each([
  ['original', 'o', 'the original'],
  ['best', 'i', 'the incumbent'],
  ['lead', 'l', 'the lead'],
] as const)('%s starts each proposal from %s, with the reason', (name, candidateId, reason) => {
  expect(PARENTS[name].choose(view, { settings: {}, random: createRandom(1) })).toEqual({
    candidateId,
    reason,
  });
});

test('only the rule "lead" makes the gate compare with the lead', () => {
  expect(
    Object.entries(PARENTS)
      .filter(([, rule]) => rule.followsLead)
      .map(([name]) => name),
  ).toEqual(['lead']);
});
