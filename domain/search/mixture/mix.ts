import { z } from 'zod';
import { choiceSchema } from '../../method/axis.ts';
import { PARENTS } from '../parent/table.ts';
import { drawByWeight } from '../../statistics/draw-by-weight.ts';
import { plural } from '../../text/plural.ts';
import { defineMixture, type MixtureInput } from '../proposer.ts';
import { type Arm, NO_CREDIT } from './arm.ts';
import { checkArms, usualWay, type Way, WAYS } from './check-arms.ts';
import { turnAfter } from './schedule.ts';
import { type Cost, sampleThompson } from './thompson.ts';

const MOST_ARMS = 20;
const LARGEST = 1_000_000;

const arm = z.strictObject({
  proposer: z
    .union([z.string().min(1), z.looseObject({ name: z.string().min(1) })])
    .describe('a proposer, by its name or as `{ name, …settings }`; not another mixture'),
  parent: choiceSchema(PARENTS)
    .exactOptional()
    .describe('the candidate that its proposals start from; default: `search.parent`'),
  weight: z
    .number()
    .positive()
    .max(LARGEST)
    .exactOptional()
    .describe('with `by: weights`: share of the trials, relative to the other weights; default: 1'),
  trials: z
    .number()
    .int()
    .min(1)
    .max(LARGEST)
    .exactOptional()
    .describe('with `by: schedule`: trials in turn; the last arm without it keeps the turn'),
});

const settings = z
  .strictObject({
    arms: z
      .array(arm)
      .min(1)
      .max(MOST_ARMS)
      .default([
        { proposer: 'tpe', trials: 3 },
        { proposer: 'random', trials: 1 },
      ])
      .describe('proposers that it chooses among, each with a parent rule if it differs'),
    by: z
      .enum(WAYS)
      .exactOptional()
      .describe(
        'weights: at random; schedule: in turn; thompson: by reward per cost so far ' +
          '(docs/concepts/methods.md#mixtures); default: schedule if an arm has `trials`, else weights',
      ),
    cost: z
      .enum(['seconds', 'usd', 'none'])
      .exactOptional()
      .describe('with `by: thompson`: seconds on slots, USD of model calls, or none; default: seconds'),
  })
  .superRefine(checkArms);

/** Chooses among arms, each a proposer with or without a parent rule of its own, for each trial. */
export const mix = defineMixture({
  settings,
  among: ({ arms }) => arms.map(({ proposer }) => proposer),
  arms: ({ arms }) => arms.map(armOf),
  needsPrices: ({ cost }) => cost === 'usd',
  choose: (input, { arms, by = usualWay(arms), cost = 'seconds' }) => {
    const up = arms.filter((each) => !input.isDown(each));
    const usable = up.length > 0 ? up : arms;
    const { index, reason } = CHOICES[by]({ ...input, arms, usable, cost });
    const found = usable[index];
    if (found === undefined) throw new Error(`Expected one of ${usable.length} arms, got number ${index}`);
    return { ...armOf(found), reason };
  },
});

interface ChoiceInput extends MixtureInput {
  arms: readonly WrittenArm[];
  /** Arms whose needs are met. */
  usable: readonly WrittenArm[];
  cost: Cost;
}

/** Each way to choose: the index of a usable arm, with the reason. */
const CHOICES: Record<Way, (input: ChoiceInput) => { index: number; reason: string }> = {
  weights: ({ usable, random }) => ({
    index: drawByWeight(
      usable.map(({ weight = 1 }) => weight),
      random,
    ),
    reason: 'drawn by weight',
  }),
  schedule: ({ arms, usable, creditOf }) => {
    const before = arms.reduce((sum, arm) => sum + creditOf(armOf(arm)).chosen, 0);
    const turns = arms.map(({ trials }) => trials);
    const turn = arms[turnAfter(before, turns)];
    const index = usable.findIndex((arm) => arm === turn);
    if (index >= 0) return { index, reason: `its turn, after ${plural(before, 'trial')}` };
    return { index: before % usable.length, reason: `in place of the arm whose turn it is` };
  },
  thompson: ({ usable, creditOf, random, cost }) => {
    const credits = usable.map((arm) => creditOf(armOf(arm)));
    const index = sampleThompson(credits, { random, cost });
    const { trials, reward } = credits[index] ?? NO_CREDIT;
    return { index, reason: `drawn by its credit: ${reward.toFixed(1)} in ${plural(trials, 'trial')}` };
  },
};

type WrittenArm = z.output<typeof arm>;

const armOf = ({ proposer, parent }: WrittenArm): Arm => (parent === undefined ? { proposer } : { proposer, parent });
