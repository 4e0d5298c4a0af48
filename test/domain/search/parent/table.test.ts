import { expect, test } from 'vitest';
import { createRandom } from '../../../../domain/statistics/random.ts';
import type { LineageView } from '../../../../domain/search/parent.ts';
import { PARENTS } from '../../../../domain/search/parent/table.ts';
import { NO_TREE } from '../../../../domain/search/parent/tree.ts';

const view: LineageView = {
  direction: 'minimize',
  original: 'o',
  incumbent: 'i',
  lead: 'l',
  tree: NO_TREE,
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

test('the gate compares with the incumbent if all proposals start from the original or the incumbent', () => {
  expect(
    Object.entries(PARENTS)
      .filter(([, rule]) => !rule.followsLead)
      .map(([name]) => name),
  ).toEqual(['original', 'best']);
});
