import { expect } from 'vitest';
import { gridValues } from '../../../domain/search/proposer/space/grid.ts';
import type { Knob } from '../../../domain/knob/knob.ts';
import { PRESETS } from '../../../domain/task/presets.ts';
import { KNOBS, type SearchTrial } from './support.ts';

/** Evidence of a preset in the ledger of a research. */
export interface PresetFacts {
  /** Search trials of the research. */
  trials: number;
  /** True for a method that sets no choices: the task has two knobs. */
  numbersOnly?: true;
  /** Expects what makes the trials those of the method. `tree`: candidates in the tree; empty if none is kept. */
  expect: (trials: readonly SearchTrial[], tree: readonly unknown[]) => void;
}

/** Presets that need neither a model nor a policy. */
export const WITHOUT_MODEL = Object.keys(PRESETS).filter((name) => PRESETS[name]?.published === null);

const START = [1.5, 2, 'a'] as const;
const changedFrom = (from: readonly unknown[], { values }: SearchTrial): number =>
  values.filter((value, i) => value !== from[i]).length;
const count = (items: readonly unknown[]): number => new Set(items).size;
const column = (trials: readonly SearchTrial[], index: 0 | 1 | 2) => trials.map(({ values }) => values[index]);

function expectProposer(trials: readonly SearchTrial[], proposer: string): void {
  expect(trials.map((trial) => trial.proposer)).toEqual(trials.map(() => proposer));
  expect(new Set(trials.map(({ proposerReason }) => proposerReason))).toEqual(
    new Set(['the proposer of the research']),
  );
}

/** Draws over the whole space: both halves of X, some values of Y, and all of Z. */
function expectEven(trials: readonly SearchTrial[]): void {
  const x = column(trials, 0).map(Number);
  expect([x.some((value) => value < 10), x.some((value) => value > 10)]).toEqual([true, true]);
  expect(count(x)).toBe(trials.length);
  expect(count(column(trials, 1))).toBeGreaterThan(3);
  expect(count(column(trials, 2))).toBe(3);
}

/** Parents by the lead: each has the best value of all candidates before it. */
function expectLead(trials: readonly SearchTrial[]): void {
  expect(trials.every(({ parentReason }) => /lead|incumbent/.test(parentReason ?? ''))).toBe(true);
}

/** Parents that a rule over the tree chose, some of them neither the original nor the best so far. */
function expectParents(trials: readonly SearchTrial[], reason: RegExp): void {
  const [first, ...later] = trials;
  expect(first?.parentReason).toBeTruthy();
  expect(later.filter(({ parentReason }) => !reason.test(parentReason ?? ''))).toEqual([]);
  expect(count(trials.map(({ parent }) => parent))).toBeGreaterThan(1);
  const best = trials.map((_, i) => trials.slice(0, i).toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))[0]);
  expect(trials.filter(({ parent }, i) => i > 0 && parent !== best[i]?.candidate).length).toBeGreaterThan(0);
}

/** Evidence by preset. `presets.long.test.ts` refuses a preset without a row. */
export const FACTS: Readonly<Record<string, PresetFacts>> = {
  random: {
    trials: 14,
    expect: (trials) => {
      expectProposer(trials, 'random');
      expectLead(trials);
      expect(count(column(trials.slice(0, 5), 0))).toBe(5);
      const leads = new Map(trials.map((trial) => [trial.candidate, trial.values]));
      const later = trials.slice(5);
      const changes = later.map((trial) => changedFrom(leads.get(trial.parent) ?? START, trial));
      expect(changes.every((changed) => changed >= 1)).toBe(true);
      // Some changes leave a knob as the parent has it, unlike even draws.
      expect(changes.filter((changed) => changed === 1).length).toBeGreaterThan(2);
    },
  },
  uniform: {
    trials: 12,
    expect: (trials) => {
      expectProposer(trials, 'uniform');
      expectEven(trials);
    },
  },
  grid: {
    trials: 12,
    expect: (trials) => {
      expectProposer(trials, 'grid');
      for (const [i, knob] of KNOBS.entries()) {
        const values = gridValues(knob as unknown as Knob, 5);
        expect(column(trials, i as 0).every((value) => values.includes(value))).toBe(true);
        // The stride has seen all values of each knob after a sixth of the grid.
        expect(count(column(trials, i as 0))).toBe(values.length);
      }
      expect(count(trials.map(({ candidate }) => candidate))).toBe(trials.length);
    },
  },
  tpe: {
    trials: 26,
    expect: (trials) => {
      expectProposer(trials, 'tpe');
      expectEven(trials.slice(0, 9));
      expectCloser(trials, 9);
    },
  },
  mix: {
    trials: 16,
    expect: (trials) => {
      const turns = ['tpe', 'tpe', 'tpe', 'random'];
      expect(trials.map(({ arm, proposer }) => [arm, proposer])).toEqual(
        trials.map((_, i) => [turns[i % 4], turns[i % 4]]),
      );
      expect(trials.map(({ proposerReason }) => proposerReason)).toEqual(
        trials.map((_, i) => `its turn, after ${i} trial${i === 1 ? '' : 's'}`),
      );
      expect(trials.every(({ armReward }) => armReward !== null && armReward >= 0 && armReward <= 1)).toBe(true);
    },
  },
  'autoresearch-rl': {
    trials: 12,
    expect: (trials) => {
      expectProposer(trials, 'uniform');
      expectLead(trials);
      expectEven(trials);
    },
  },
  'cma-es': {
    trials: 16,
    numbersOnly: true,
    expect: (trials) => {
      expectProposer(trials, 'cma-es');
      expect(count(column(trials, 0))).toBe(trials.length);
      expect(count(column(trials, 1))).toBeGreaterThan(1);
    },
  },
  puct: {
    trials: 16,
    expect: (trials, tree) => {
      expectParents(trials, /^puct /);
      expect(tree.length).toBeGreaterThan(10);
    },
  },
  islands: {
    trials: 16,
    expect: (trials) => {
      expectParents(trials, /island \d+/);
      const islands = trials.map(({ parentReason }) => /island \d+/.exec(parentReason ?? '')?.[0]);
      expect(count(islands)).toBeGreaterThan(1);
    },
  },
  'map-elites': {
    trials: 16,
    expect: (trials) => {
      expectParents(trials, /elite of the cell/);
      const cells = trials.map(({ parentReason }) => /the cell ([^:,]+)/.exec(parentReason ?? '')?.[1]);
      expect(count(cells)).toBeGreaterThan(2);
    },
  },
};

/** Proposals after `first` are closer to the best values than those before. */
function expectCloser(trials: readonly SearchTrial[], first: number): void {
  const mean = (some: readonly SearchTrial[]): number =>
    some.reduce((sum, { value }) => sum + (value ?? Number.NaN), 0) / some.length;
  expect(mean(trials.slice(first))).toBeLessThan(mean(trials.slice(0, first)) / 2);
}
