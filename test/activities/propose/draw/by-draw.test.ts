import { mutableOnly } from '../../../../domain/edit/scope/edit-scope.ts';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { proposeByDraw } from '../../../../activities/propose/draw/by-draw.ts';
import type { ProposalInput } from '../../../../db/trial/proposal.ts';
import type { ProposeContext } from '../../../../activities/propose/propose-context.ts';
import { candidateContent } from '../../../../domain/trial/candidate.ts';
import type { OnKnown } from '../../../../domain/search/proposer.ts';
import { turnKnob } from '../../../../domain/search/proposer/turn-knob.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const files = (x: number): Record<string, string> => ({ 'a.js': `const X = ${x};\n` });
const idOf = (x: number): string => sha256(candidateContent(files(x), 'i'));

const CHOICE = { file: 'a.js', name: 'X', type: 'choice', values: [1, 2, 3] };
const FLOAT = { file: 'a.js', name: 'X', type: 'float', range: [1, 1.001], scale: 'linear' };

interface Bench {
  known: string[];
  /** Number of candidates in each look-up. */
  asked: number[];
  stored: string[];
  /** The name under which each proposal is stored. */
  names: string[];
  /** The reason for a name that is not the proposer's own. */
  reasons: (string | undefined)[];
  lock: Promise<unknown>;
}
const bench = (known: string[] = []): Bench => ({
  known: [...known],
  asked: [],
  stored: [],
  names: [],
  reasons: [],
  lock: Promise.resolve(),
});

/** A knob that stands at 1, in a research that knows some candidates. */
function contextOf(seed: number, at: Bench, knob: unknown = CHOICE): ProposeContext {
  const { known, asked, stored, names, reasons } = at;
  const trial = {
    findCandidatesAlreadyRun: ({ candidateIds }: { candidateIds: string[] }) => {
      asked.push(candidateIds.length);
      return Promise.resolve(candidateIds.filter((id) => known.includes(id)));
    },
    loadTrial: () => Promise.resolve({ candidateId: null, status: null, kind: 'search' }),
    findOtherRuns: () => Promise.resolve([]),
    saveProposal: ({ candidate, by }: Pick<ProposalInput, 'candidate' | 'by'>) => {
      known.push(candidate.id);
      stored.push(candidate.files['a.js'] ?? '');
      names.push(by?.proposer ?? 'turning');
      reasons.push(by?.reason);
      return Promise.resolve({ candidateId: candidate.id });
    },
  };
  // Runs one transaction after the other, as the row's lock does.
  const withResearch = (_: string, work: (tx: unknown, research: unknown) => Promise<unknown>) =>
    (at.lock = at.lock.then(() => work({ trial }, { gateConfig: {} })));
  const version = { task: { knobs: [knob], search: { novelty: 'exact' } }, immutableHash: 'i', mutablePaths: ['a.js'] };
  return {
    deps: { store: { trial, withResearch }, machine: { sha256 } },
    trial: { seed },
    version,
    scope: mutableOnly(['a.js']),
    files: files(1),
    signal: new AbortController().signal,
  } as unknown as ProposeContext;
}

const byKnob = (context: ProposeContext, onKnown: OnKnown = 'neighbours') =>
  proposeByDraw(context, { name: 'turning', draw: (input) => turnKnob(input), onKnown });
const proposed = async (seed: number, known: string[]): Promise<string | undefined> => {
  const at = bench(known);
  await byKnob(contextOf(seed, at));
  return at.stored[0];
};
const EXHAUSTED = { rejected: { label: 'nothing-new', message: 'every value of the knobs has been tried' } };

describe('the random proposer', () => {
  const seeds = Array.from({ length: 40 }, (_, i) => i + 1);

  test('draws by the seed alone if nothing is known', async () => {
    const first = await Promise.all(seeds.map((seed) => proposed(seed, [])));
    expect(await Promise.all(seeds.map((seed) => proposed(seed, [])))).toEqual(first);
    expect(new Set(first)).toEqual(new Set(['const X = 2;\n', 'const X = 3;\n']));
  });

  test('draws again if the candidate has run before', async () => {
    const drawn = await Promise.all(seeds.map((seed) => proposed(seed, [idOf(2)])));
    expect(new Set(drawn)).toEqual(new Set(['const X = 3;\n']));
  });

  test('makes the other draws only if the first is known', async () => {
    const first = bench();
    await byKnob(contextOf(1, first));
    // The candidate is looked up, and once more under the lock.
    expect(first.asked).toEqual([1, 1]);
    const second = bench([idOf(2), idOf(3)]);
    await byKnob(contextOf(1, second));
    expect(second.asked).toEqual([1, 7, 2]);
  });

  test('stores nothing once every value has been tried, and says so', async () => {
    const all = bench([idOf(2), idOf(3)]);
    expect(await byKnob(contextOf(1, all))).toEqual(EXHAUSTED);
    expect(all.stored).toEqual([]);
  });

  test('draws another value if a concurrent proposal was faster with the same', async () => {
    const shared = bench();
    const both = [byKnob(contextOf(7, shared)), byKnob(contextOf(7, shared)), byKnob(contextOf(7, shared))];
    expect((await Promise.all(both)).filter((result) => 'rejected' in result)).toEqual([EXHAUSTED]);
    expect(shared.stored.toSorted()).toEqual(['const X = 2;\n', 'const X = 3;\n']);
  });

  test('never runs out of values of a float', async () => {
    const narrow = bench();
    for (let seed = 0; seed < 60; seed += 1) await byKnob(contextOf(seed, narrow, FLOAT));
    expect(new Set(narrow.stored).size).toBe(60);
  });

  test('finds the one combination of a thousand that is left, and says when it is gone', async () => {
    const many = bench(Array.from({ length: 1000 }, (_, i) => idOf(i + 1)).filter((id) => id !== idOf(777)));
    const knob = { file: 'a.js', name: 'X', type: 'int', range: [1, 1000], scale: 'linear' };
    await byKnob(contextOf(1, many, knob));
    expect(many.stored).toEqual(['const X = 777;\n']);
    expect(many.names).toEqual(['neighbours']);
    expect(many.reasons[0]).toMatch(/^all 8 draws of turning repeated earlier candidates/);
    expect(await byKnob(contextOf(2, many, knob))).toEqual(EXHAUSTED);
  });

  test('stores its own draws under its own name', async () => {
    const at = bench([idOf(2)]);
    await byKnob(contextOf(1, at));
    expect([at.names, at.reasons]).toEqual([['turning'], [undefined]]);
  });

  test('that states stop ends the trial instead, although other values are left', async () => {
    const knob = { file: 'a.js', name: 'X', type: 'int', range: [1, 1000], scale: 'linear' };
    const many = bench(Array.from({ length: 1000 }, (_, i) => idOf(i + 1)).filter((id) => id !== idOf(777)));
    expect(await byKnob(contextOf(1, many, knob), 'stop')).toEqual({
      rejected: {
        label: 'nothing-new',
        message: 'all 8 draws of turning repeated earlier candidates, and it takes no other values',
      },
    });
    expect(many.stored).toEqual([]);
  });

  test('gives the reason if no knob stands in the files', async () => {
    const other = { ...CHOICE, name: 'Y' };
    expect(await byKnob(contextOf(1, bench(), other))).toMatchObject({ rejected: { label: 'proposer-failed' } });
  });
});
