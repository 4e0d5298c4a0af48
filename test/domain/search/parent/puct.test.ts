import { describe, expect, test } from 'vitest';
import { createRandom, type Random } from '../../../../domain/statistics/random.ts';
import { buildTree, type StoredNode, type TreeTrial } from '../../../../domain/search/parent/build-tree.ts';
import type { LineageView } from '../../../../domain/search/parent.ts';
import { puct } from '../../../../domain/search/parent/puct.ts';
import { chooseScaled } from '../../../../domain/search/parent/puct/scaled.ts';
import { harmonic } from '../../../../domain/search/parent/puct/harmonic.ts';
import { isWhole, type TreeView } from '../../../../domain/search/parent/tree.ts';

const by = (key: 'value' | 'best') => (a: StoredNode, b: StoredNode) => b[key]! - a[key]! || a.seq - b.seq;

/** The view of a tree with the first `reach` nodes. */
function viewOf(nodes: readonly StoredNode[], reach = Infinity): TreeView {
  const scored = nodes.filter(({ value }) => value !== null);
  return {
    scored: scored.length,
    visits: nodes[0]!.visits,
    lowest: Math.min(...scored.map(({ value }) => value!)),
    byValue: scored.toSorted(by('value')).slice(0, reach),
    byBest: nodes
      .filter(({ best }) => best !== null)
      .toSorted(by('best'))
      .slice(0, reach),
    niches: [],
  };
}

/** A tree of a random search, whose values are on a coarse grid, so that some are equal. */
function randomTree(random: Random, count: number): StoredNode[] {
  const trials: TreeTrial[] = [{ kind: 'baseline', candidateId: 'c0', parentId: null, isOpen: false, value: 0 }];
  for (let i = 1; i < count; i += 1) {
    const parentId = `c${random.below(i)}`;
    const value = random.below(4) === 0 ? null : Math.round(random.normal() * 20) / 20;
    trials.push({ kind: 'search', candidateId: `c${i}`, parentId, isOpen: random.below(9) === 0, value });
  }
  return buildTree('c0', trials);
}

/** The choice of the definition: every node is scored. */
function scan(nodes: readonly StoredNode[], c: number): string {
  const scored = nodes.filter(({ value }) => value !== null).toSorted(by('value'));
  const [high, low] = [scored[0]!.value!, scored.at(-1)!.value!];
  const sum = scored.reduce((total, _, index) => total + 1 / (index + 1), 0);
  const total = nodes[0]!.visits;
  const scores = scored.map(
    ({ best, visits }, index) =>
      (high > low ? (best! - low) / (high - low) : 0) +
      (c * (1 / (index + 1) / sum) * Math.sqrt(1 + total)) / (1 + visits),
  );
  return scored[scores.indexOf(Math.max(...scores))]!.candidateId;
}

/** The choice with more and more nodes, and the number of nodes that it needed. */
function byReading(nodes: readonly StoredNode[], c: number): { id: string; reach: number } {
  for (let reach = 2; ; reach *= 2) {
    const tree = viewOf(nodes, reach);
    const found = chooseScaled(tree, c);
    if (found !== null && found !== 'nothing scored') return { id: found.node.candidateId, reach };
    expect(isWhole(tree)).toBe(false);
  }
}

describe('puct', () => {
  test('chooses the node that a scan of all nodes chooses, mostly from a few', () => {
    const reaches: number[] = [];
    for (let seed = 1; seed <= 120; seed += 1) {
      const random = createRandom(seed);
      const nodes = randomTree(random, 2 + random.below(400));
      const c = [0, 0.3, 1, 5][seed % 4]!;
      const { id, reach } = byReading(nodes, c);
      expect(id).toBe(scan(nodes, c));
      reaches.push(Math.min(reach, nodes.length) / nodes.length);
    }
    expect(reaches.reduce((a, b) => a + b) / reaches.length).toBeLessThan(0.6);
  });

  test('chooses the same node if the metric is scaled and shifted', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const nodes = randomTree(createRandom(seed), 200);
      const changed = (factor: number, offset: number) =>
        nodes.map((node) => {
          const change = (value: number | null) => (value === null ? null : value * factor + offset);
          return { ...node, value: change(node.value), below: change(node.below), best: change(node.best) };
        });
      const chosen = byReading(nodes, 1).id;
      expect(byReading(changed(2 ** 20, 2 ** 22), 1).id).toBe(chosen);
      expect(byReading(changed(2 ** -13, -8), 1).id).toBe(chosen);
    }
  });

  test('spreads sixteen choices of which none has ended over several parents', () => {
    const nodes = randomTree(createRandom(7), 100);
    const chosen = new Set<string>();
    for (let i = 0; i < 16; i += 1) {
      const { id } = byReading(nodes, 1);
      expect(id).toBe(scan(nodes, 1));
      chosen.add(id);
      for (let at = nodes.find((n) => n.candidateId === id); at; at = nodes.find((n) => n.candidateId === at.parentId))
        at.visits += 1;
    }
    expect(chosen.size).toBeGreaterThan(2);
  });

  test('counts a leaf by its own value, and finds all nodes equal if all values are', () => {
    const tree = (values: number[]) =>
      buildTree(
        'c0',
        values.map((value, i) => ({
          kind: 'search',
          candidateId: `c${i}`,
          parentId: i === 0 ? null : 'c0',
          isOpen: false,
          value,
        })),
      );
    expect(byReading(tree([0, 1, 5, 2]), 0.01).id).not.toBe('c1');
    const found = chooseScaled(viewOf(tree([3, 3, 3])), 1);
    expect(found).toMatchObject({ quality: 0 });
  });

  test('as published reads gains over the baseline below a node, so that a leaf counts 0', () => {
    const trials = [
      ['c0', null, 1],
      ['bad', 'c0', 0],
      ['mid', 'c0', 2],
      ['leaf', 'mid', 9],
    ] as const;
    const nodes = buildTree(
      'c0',
      trials.map(([candidateId, parentId, value]) => ({ kind: 'search', candidateId, parentId, isOpen: false, value })),
    );
    const view: LineageView = {
      direction: 'maximize',
      original: 'c0',
      incumbent: 'c0',
      lead: 'c0',
      tree: viewOf(nodes),
    };
    const choose = (c: number) =>
      puct.choose(view, { settings: { c, variant: 'published' }, random: createRandom(1) })!;
    // Both `c0` and `mid` have 8 below them; the exploration decides: `mid` has a better rank and fewer visits.
    expect(choose(1)).toMatchObject({ candidateId: 'mid' });
    expect(choose(1).reason).toMatch(/^puct 8\.000 \+ .* best 9 in its branch, rank 2, visits 1, in flight 0$/);
    expect(choose(1000).candidateId).toBe('leaf');
  });

  test('starts from the original before anything is scored', () => {
    const view: LineageView = {
      direction: 'minimize',
      original: 'o',
      incumbent: 'o',
      lead: 'o',
      tree: { scored: 0, visits: 3, lowest: 0, byValue: [], byBest: [], niches: [] },
    };
    for (const variant of ['corrected', 'published'] as const)
      expect(puct.choose(view, { settings: { c: 1, variant }, random: createRandom(1) })?.candidateId).toBe('o');
  });
});

test('the harmonic number is exact to rounding', () => {
  for (const n of [1, 2, 64, 65, 1000]) {
    let sum = 0;
    for (let i = n; i >= 1; i -= 1) sum += 1 / i;
    expect(harmonic(n)).toBeCloseTo(sum, 12);
  }
});
