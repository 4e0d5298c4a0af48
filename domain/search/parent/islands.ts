import { z } from 'zod';
import { drawByWeight } from '../../statistics/draw-by-weight.ts';
import type { Random } from '../../statistics/random.ts';
import { numberText } from '../../text/format.ts';
import { defineParent, type LineageView, type ParentChoice } from '../parent.ts';
import { type Island, islandIn, islandKey, islandsOf, listIslands } from './islands/keys.ts';
import { leastInFlight } from './least-in-flight.ts';
import { metricOf, type TreeNode } from './tree.ts';

const settings = z.strictObject({
  count: z.number().int().min(2).max(50).default(4).describe('islands'),
  k: z.number().int().min(1).max(100).default(10).describe('best candidates of an island that a parent is drawn from'),
  migration: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('share of the proposals that start from the best candidate of the island before, in a ring'),
  patience: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(50)
    .describe('scored candidates without a new best one after which the weakest island begins anew'),
});

type Settings = z.output<typeof settings>;

/**
 * Subpopulations with migration in a ring. If the search stagnates, the weakest one begins anew from the best candidate
 * of another. Sources: FunSearch (Nature 625, 2024), ShinkaEvolve, OpenEvolve.
 */
export const islands = defineParent({
  settings,
  reads: 'lineage',
  reach: ({ k }) => k,
  niches: {
    reads: () => ({ knobs: false, metrics: false }),
    // Children of one parent stay on its island. Without a choice of this rule, the original's are dealt out in turn.
    nicheOf: ({ isOriginal, seq, parentNiche, chosenNiche }, { settings: { count } }) =>
      isOriginal
        ? null
        : (islandIn(chosenNiche, count) ?? islandIn(parentNiche, count) ?? islandKey({ island: (seq % count) + 1 })),
    list: (input, { count }) => listIslands(input, count),
  },
  followsLead: true,
  choose: (view, { settings, random }) => {
    const all = islandsOf(view.tree.niches, settings.count);
    return beginAnew(view, { all, settings, random }) ?? chooseOn(view, { all, settings, random });
  },
});

interface Choosing {
  all: readonly Island[];
  settings: Settings;
  random: Random;
}

const bestOf = ({ best: [node] }: Island): TreeNode | undefined => node;

const valueText = ({ value }: TreeNode, { direction }: LineageView): string =>
  value === null ? 'no value' : numberText(metricOf(value, direction));

/** The first parent of an island that begins anew; null unless the search stagnates. */
function beginAnew(view: LineageView, { all, settings: { patience }, random }: Choosing): ParentChoice | null {
  const { tree } = view;
  // An island without a candidate since it began anew: the last reset has shown nothing yet.
  if (all.some((island) => island.generation > 0 && island.best.length === 0)) return null;
  const last = Math.max(tree.byValue[0]?.seq ?? 0, ...all.map(({ begun }) => begun ?? 0));
  if (tree.scored - 1 - last < patience) return null;
  const settled = all.filter(({ best }) => best.length > 0);
  const [weakest, ...others] = settled.toSorted((a, b) => (bestOf(a)?.value ?? 0) - (bestOf(b)?.value ?? 0));
  const source = others[random.below(Math.max(1, others.length))];
  const founder = source && bestOf(source);
  if (!weakest || !source || !founder) return null;
  return {
    candidateId: founder.candidateId,
    niche: islandKey({ island: weakest.island, generation: weakest.generation + 1 }),
    retires: weakest.key,
    reason:
      `${weakest.key}, the weakest, begins anew after ${patience} candidates without a gain: ` +
      `from the best of ${source.key}, ${valueText(founder, view)}`,
  };
}

function chooseOn(view: LineageView, { all, settings: { k, migration }, random }: Choosing): ParentChoice {
  const island = leastInFlight(all, random);
  const others = all.filter(({ key, best }) => key !== island.key && best.length > 0);
  const from = (node: TreeNode, reason: string): ParentChoice => ({
    candidateId: node.candidateId,
    niche: island.key,
    reason: `${island.key}: ${reason}, ${valueText(node, view)}`,
  });
  if (random.uniform() < migration) {
    const source = others.findLast((other) => other.island < island.island) ?? others.at(-1);
    const migrant = source && bestOf(source);
    if (migrant) return from(migrant, `a migrant, the best of ${source.key}`);
  }
  const top = island.best.slice(0, k);
  const rank = drawByWeight(
    top.map((_, index) => 1 / (index + 1)),
    random,
  );
  const node = top[rank];
  if (node) return from(node, `rank ${rank + 1} of its best ${top.length}`);
  const source = island.generation > 0 ? others[random.below(Math.max(1, others.length))] : undefined;
  const founder = source && bestOf(source);
  if (founder) return from(founder, `no candidate since it began anew, so the best of ${source.key}`);
  return { candidateId: view.original, niche: island.key, reason: `${island.key}: no candidate yet, so the original` };
}
