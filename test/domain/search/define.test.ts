import { expect, test } from 'vitest';
import { z } from 'zod';
import { none } from '../../../domain/abort/rules/none.ts';
import { type AbortConfig, DEFAULT_ABORT, defineAbort } from '../../../domain/abort/types.ts';
import { defineContext, NO_READS } from '../../../domain/search/context.ts';
import { nothingObserved } from '../../../domain/search/observations.ts';
import { defineParent, type LineageView } from '../../../domain/search/parent.ts';
import {
  defineMixture,
  defineProposer,
  type Draw,
  type DrawInput,
  type Need,
} from '../../../domain/search/proposer.ts';
import { defineReward } from '../../../domain/search/reward.ts';
import { defineLearningUpdate } from '../../../domain/search/update.ts';

const settings = z.strictObject({ depth: z.number().default(3) });
/** Settings of another type than that of the schema. */
interface Wrong {
  depth: string;
}

const rule = { settings, reads: 'standing', followsLead: false } as const;
const facts = { settings, needs: [], writes: 'code', readsPrompt: true, runs: 'queued' } as const;
const drawing = { ...facts, onKnown: 'stop' } as const;
const failed = (reason: string): Draw => ({ ok: false, reason });

// The compiler checks these: `npm run types` fails if a type is not inferred.
const INFERRED = {
  parent: defineParent({
    ...rule,
    choose: ({ lead }, { settings: { depth } }) => ({ candidateId: lead, reason: depth.toFixed() }),
  }),
  drawing: defineProposer({ ...drawing, draw: (_, { depth }) => failed(depth.toFixed()) }),
  asking: defineProposer({ ...facts, needsBy: ({ depth }) => (depth > 2 ? ['knobs'] : []) }),
  mixture: defineMixture({
    settings,
    among: ({ depth }) => (depth > 2 ? ['random'] : ['llm']),
    choose: ({ n }, { depth }) => ({ proposer: 'random', reason: (n + depth).toFixed() }),
  }),
  context: defineContext({
    settings,
    parts: [],
    readsTrials: true,
    reads: ({ depth }) => ({ ...NO_READS, best: depth }),
  }),
  reward: defineReward({ settings, by: ({ depth }) => (depth.toFixed() === '' ? null : null) }),
  update: defineLearningUpdate({ settings, plan: ({ depth }) => (depth.toFixed() === '' ? null : null) }),
  abort: defineAbort({
    ...none,
    settings,
    init: (_, { depth }) => ({ seen: depth }),
    learn: ({ seen }) => ({ seen: seen + 1 }),
    decide: (state, { points }) => ({
      state,
      decision: { abort: points.length > state.seen, share: null, forecast: null, interval: null, reason: '' },
    }),
  }),
};

const chooseWrongly = (view: LineageView, { settings: { depth } }: { settings: Wrong }) => ({
  candidateId: view.lead,
  reason: depth,
});
const drawWrongly = (_: DrawInput, { depth }: Wrong): Draw => failed(depth);
const needsWrongly = ({ depth }: Wrong): readonly Need[] => (depth === '' ? ['knobs'] : []);
const amongWrongly = ({ depth }: Wrong): readonly string[] => [depth];
const initWrongly = (_: AbortConfig, { depth }: Wrong): null => (depth === '' ? null : null);
const nothingFor = ({ depth }: Wrong): null => (depth === '' ? null : null);
const learnWrongly = (state: { seen: number }): { seen: number } => state;
const choose = () => ({ proposer: 'random', reason: '' });

// Each of these lines has to be refused: `npm run types` fails if one compiles.
// @ts-expect-error a parent rule reads its settings as another type
defineParent({ ...rule, choose: chooseWrongly });
// @ts-expect-error a proposer draws by settings of another type
defineProposer({ ...drawing, draw: drawWrongly });
// @ts-expect-error the needs of a proposer depend on settings of another type
defineProposer({ ...facts, needsBy: needsWrongly });
// @ts-expect-error a proposer that draws has to state what follows known draws
defineProposer({ ...facts, draw: () => failed('') });
// @ts-expect-error a mixture names proposers by settings of another type
defineMixture({ settings, among: amongWrongly, choose });
// @ts-expect-error a context reads its settings as another type
defineContext({ settings, parts: [], readsTrials: true, best: (wrong: Wrong) => wrong.depth.length });
// @ts-expect-error a reward reads its settings as another type
defineReward({ settings, by: nothingFor });
// @ts-expect-error a learning update reads its settings as another type
defineLearningUpdate({ settings, plan: nothingFor });
// @ts-expect-error a rule of early abort reads its settings as another type
defineAbort({ ...none, settings, init: initWrongly });
// @ts-expect-error a rule of early abort learns from a state that it does not have
defineAbort({ ...none, learn: learnWrongly });

test('a definition is its argument, and its functions take the settings of its schema', () => {
  expect(INFERRED.parent).toMatchObject(rule);
  const input = { knobs: [], files: {}, seed: 1, observations: nothingObserved('minimize'), structure: null };
  expect(INFERRED.drawing.draw(input, { depth: 4 })).toEqual(failed('4'));
  expect(INFERRED.asking.needsBy?.({ depth: 3 })).toEqual(['knobs']);
  expect(INFERRED.mixture.among({ depth: 3 })).toEqual(['random']);
  expect(INFERRED.context.reads?.({ depth: 2 })).toEqual({ ...NO_READS, best: 2 });
  expect(INFERRED.abort.init({ direction: 'minimize', ...DEFAULT_ABORT }, { depth: 5 })).toEqual({ seen: 5 });
  expect([INFERRED.reward.by({ depth: 1 }), INFERRED.update.plan({ depth: 1 })]).toEqual([null, null]);
});
