import { expect, test } from 'vitest';
import { staleProposer, type Proposes } from '../../../../domain/search/proposer/stale-proposer.ts';
import { TASK } from '../../../cli/support/lineage.ts';

const research: Proposes = { id: 'toy', phase: 'running', proposer: 'random', proposerAsked: 'auto', task: TASK };

test('a research that began without a model keeps random, and is told how to go on with one', () => {
  expect(staleProposer(research)).toEqual([
    'toy keeps its proposer random although a model endpoint is set; to ask the model: ' +
      'npx perpetua stop toy, once it has stopped npx perpetua start toy --proposer llm',
  ]);
});

test('one under an id of its own is named, and one that ended need not be stopped', () => {
  const [line] = staleProposer({ ...research, id: 'mine', phase: 'stopped' });
  expect(line).toMatch(/to ask the model: npx perpetua start toy --id mine --proposer llm$/);
});

test.each([
  ['asks a model already', { ...research, proposer: 'llm' }],
  ['is to draw at random, as its task says', { ...research, proposerAsked: 'random' }],
])('nothing is told of one that %s', (_, one) => {
  expect(staleProposer(one)).toEqual([]);
});
