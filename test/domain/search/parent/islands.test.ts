import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../domain/statistics/random.ts';
import type { LineageView, ParentChoice } from '../../../../domain/search/parent.ts';
import { islands } from '../../../../domain/search/parent/islands.ts';
import { listIslands } from '../../../../domain/search/parent/islands/keys.ts';
import type { NicheView } from '../../../../domain/search/parent/tree.ts';
import { viewWith, nodeOf } from './niche-views.ts';

const SETTINGS = { count: 4, k: 10, migration: 0.1, patience: 50 };

const choose = (view: LineageView, seed: number, settings: Partial<typeof SETTINGS> = {}): ParentChoice =>
  islands.choose(view, { settings: { ...SETTINGS, ...settings }, random: createRandom(seed) })!;

const island = (key: string, values: number[], more: Partial<NicheView> = {}): NicheView => ({
  key,
  begun: values.length > 0 ? 1 : null,
  inFlight: 0,
  best: values.map((value, index) => nodeOf(`${key}/${index}`, { value, seq: index + 1 })),
  ...more,
});

const FULL = ['island 1', 'island 2', 'island 3', 'island 4'].map((key, index) => island(key, [10 - index, 5, 1]));

describe('islands', () => {
  test('begin with the original, and sixteen choices at once spread evenly over them', () => {
    const open = new Map<string, number>();
    for (let seed = 1; seed <= 16; seed += 1) {
      const niches = [...open].map(([key, inFlight]) => island(key, [], { inFlight }));
      const { candidateId, niche, reason } = choose(viewWith(niches), seed);
      expect(candidateId).toBe('original');
      expect(reason).toMatch(/^island \d: no candidate yet, so the original$/);
      open.set(niche!, (open.get(niche!) ?? 0) + 1);
    }
    expect([...open.values()]).toEqual([4, 4, 4, 4]);
  });

  test('draw a parent of their own by its rank, of each island equally often', () => {
    const counts: Record<string, number> = {};
    for (let seed = 1; seed <= 2200; seed += 1) {
      const { candidateId, niche, reason } = choose(viewWith(FULL), seed, { migration: 0 });
      expect(candidateId.startsWith(`${niche}/`)).toBe(true);
      expect(reason).toMatch(/^island \d: rank [123] of its best 3, /);
      counts[candidateId] = (counts[candidateId] ?? 0) + 1;
    }
    // Weights 1, 1/2 and 1/3: 6/11, 3/11 and 2/11 of 550.
    for (const key of FULL.map((one) => one.key))
      for (const [index, share] of [6, 3, 2].entries()) {
        expect(counts[`${key}/${index}`]).toBeGreaterThan(share * 37);
        expect(counts[`${key}/${index}`]).toBeLessThan(share * 63);
      }
  });

  test('take a share of their parents from the island before, in a ring', () => {
    let migrants = 0;
    for (let seed = 1; seed <= 2000; seed += 1) {
      const { candidateId, niche } = choose(viewWith(FULL), seed);
      if (candidateId.startsWith(`${niche}/`)) continue;
      migrants += 1;
      const before = { 'island 1': 4, 'island 2': 1, 'island 3': 2, 'island 4': 3 }[niche!];
      expect(candidateId).toBe(`island ${before}/0`);
    }
    expect(migrants).toBeGreaterThan(140);
    expect(migrants).toBeLessThan(260);
  });

  test('begin anew, the weakest one, from the best of another after candidates without a gain', () => {
    const view = viewWith(FULL, { scored: 52 });
    expect(choose(view, 1, { patience: 51 }).retires).toBeUndefined();
    const chosen = choose(view, 1);
    expect(chosen).toMatchObject({ niche: 'island 4.1', retires: 'island 4' });
    expect(chosen.candidateId).toMatch(/^island [123]\/0$/);
    expect(chosen.reason).toMatch(
      /^island 4, the weakest, begins anew after 50 candidates without a gain: from the best of island [123], \d+$/,
    );
    // The same choice after a kill.
    expect(choose(view, 1)).toEqual(chosen);
  });

  test('do not begin anew again before the last new island had its time', () => {
    const pending = [...FULL.slice(0, 3), island('island 4.1', [])];
    expect(choose(viewWith(pending, { scored: 500 }), 3).retires).toBeUndefined();
    const young = [...FULL.slice(0, 3), island('island 4.1', [2], { begun: 460 })];
    expect(choose(viewWith(young, { scored: 500 }), 3).retires).toBeUndefined();
    const old = viewWith(young, { scored: 511 });
    expect(choose(old, 3)).toMatchObject({ niche: 'island 4.2', retires: 'island 4.1' });
  });

  test('that began anew and have no candidate start from the best of another', () => {
    const others = FULL.slice(0, 3).map((one) => ({ ...one, inFlight: 2 }));
    const { candidateId, reason } = choose(viewWith([...others, island('island 4.1', [])]), 2, { migration: 0 });
    expect(candidateId).toMatch(/^island [123]\/0$/);
    expect(reason).toMatch(/^island 4\.1: no candidate since it began anew, so the best of island [123], /);
  });
});

describe('the island of a candidate', () => {
  const { nicheOf } = islands.niches!;
  const input = { settings: SETTINGS, knobs: [] };
  const placing = { isOriginal: false, seq: 6, parentNiche: 'island 2', chosenNiche: null, knobs: {}, metrics: {} };

  test('is the one that its parent was chosen for, else that of its parent, else by turns', () => {
    expect(nicheOf({ ...placing, chosenNiche: 'island 3.1' }, input)).toBe('island 3.1');
    expect(nicheOf(placing, input)).toBe('island 2');
    expect(nicheOf({ ...placing, parentNiche: null }, input)).toBe('island 3');
    expect(nicheOf({ ...placing, isOriginal: true }, input)).toBeNull();
  });

  test('is another one if a change of the settings removed the island', () => {
    expect(nicheOf({ ...placing, chosenNiche: 'island 9', parentNiche: 'LR <0.1' }, input)).toBe('island 3');
  });

  test('is active in a tree that is built anew if no later one has its number', () => {
    const placed = new Map([
      ['island 1', 4],
      ['island 2', 1],
      ['island 2.1', 60],
    ]);
    expect(listIslands({ placed, chosen: ['island 2.2', 'island 1', 'LR <0.1', 'island 7'] }, 4)).toEqual([
      { key: 'island 1', begun: 4, isActive: true },
      { key: 'island 2', begun: 1, isActive: false },
      { key: 'island 2.1', begun: 60, isActive: false },
      { key: 'island 2.2', begun: null, isActive: true },
    ]);
  });
});
