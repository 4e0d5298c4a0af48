import { mutableOnly } from '../../../../domain/edit/scope/edit-scope.ts';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { proposeByList } from '../../../../activities/propose/draw/by-list.ts';
import type { ProposeContext } from '../../../../activities/propose/propose-context.ts';
import type { ProposalInput } from '../../../../db/trial/proposal.ts';
import { setKnobs } from '../../../../domain/edit/set-knobs.ts';
import type { Knob } from '../../../../domain/knob/knob.ts';
import type { Draw, KnobInput } from '../../../../domain/search/proposer.ts';

const knob: Knob = { file: 'a.js', name: 'X', type: 'int', range: [1, 9], scale: 'linear' };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A research whose parent has the value 1, and that knows the candidates in `known`. */
function researchOf(): { context: ProposeContext; stored: string[]; asked: number[] } {
  const known = new Set<string>();
  const [stored, asked]: [string[], number[]] = [[], []];
  const trial = {
    findCandidatesAlreadyRun: ({ candidateIds }: { candidateIds: string[] }) => {
      asked.push(candidateIds.length);
      return Promise.resolve(candidateIds.filter((id) => known.has(id)));
    },
    loadTrial: () => Promise.resolve({ candidateId: null, status: null, kind: 'search' }),
    findOtherRuns: () => Promise.resolve([]),
    saveProposal: ({ candidate }: Pick<ProposalInput, 'candidate'>) => {
      known.add(candidate.id);
      stored.push(candidate.files['a.js'] ?? '');
      return Promise.resolve({ candidateId: candidate.id });
    },
  };
  const withResearch = (_: string, work: (tx: unknown, research: unknown) => Promise<unknown>) =>
    work({ trial }, { gateConfig: {} });
  const context = {
    deps: { store: { trial, withResearch }, machine: { sha256 } },
    trial: { id: 'r/1', seed: 1 },
    version: { task: { knobs: [knob], search: { novelty: 'exact' } }, immutableHash: 'i', mutablePaths: ['a.js'] },
    scope: mutableOnly(['a.js']),
    files: { 'a.js': 'const X = 1;\n' },
    signal: new AbortController().signal,
  } as unknown as ProposeContext;
  return { context, stored, asked };
}

const listOf =
  (...values: number[]) =>
  ({ files }: KnobInput): Draw[] =>
    values.map((value) => setKnobs([{ knob, value }], files));

test('takes the candidates of a list in order, each once, then says that all have been tried', async () => {
  const { context, stored, asked } = researchOf();
  const lister = { name: 'grid', list: listOf(3, 1, 7, 3) };
  for (let i = 0; i < 2; i += 1) await proposeByList(context, lister);
  expect(stored).toEqual(['const X = 3;\n', 'const X = 7;\n']);
  expect(await proposeByList(context, lister)).toEqual({
    rejected: { label: 'nothing-new', message: 'every candidate of grid has been tried' },
  });
  expect(asked[0]).toBe(1);
});

test('a list that no parent can take fails with the reason', async () => {
  const { context } = researchOf();
  const list = (): Draw[] => [{ ok: false, reason: 'expected a knob' }];
  expect(await proposeByList(context, { name: 'grid', list })).toEqual({
    rejected: { label: 'proposer-failed', message: 'expected a knob' },
  });
});

test('a value outside the search space becomes the nearest inside', async () => {
  const { context, stored } = researchOf();
  await proposeByList(context, { name: 'grid', list: listOf(40) });
  expect(stored).toEqual(['const X = 9;\n']);
});
