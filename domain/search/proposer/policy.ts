import { z } from 'zod';
import type { Knob } from '../../knob/knob.ts';
import { defineProposer, type Need } from '../proposer.ts';

const settings = z.strictObject({
  base: z
    .string()
    .min(1)
    .default('smollm2-135m')
    .describe('model with which it begins, or ID@VERSION of another research'),
  answers: z
    .enum(['knobs', 'edits'])
    .default('knobs')
    .describe('knobs: `name = number` for each knob of the task; edits: changes of files, as `llm` answers'),
  maxTokens: z
    .number()
    .int()
    .min(1)
    .max(4096)
    .optional()
    .describe('tokens of one answer; default: 24 for knobs, 2048 for edits'),
  stop: z
    .array(z.string().min(1).max(100))
    .max(4)
    .exactOptional()
    .describe('texts that end an answer; default: a newline if the policy answers with one knob, else none'),
  deadlineSeconds: z
    .number()
    .positive()
    .max(3600)
    .default(600)
    .describe('time limit of one answer, with the wait in the queue'),
});

export type PolicySettings = z.output<typeof settings>;

const MOST_TOKENS = { knobs: 24, edits: 2048 };

/** Most tokens of one answer. */
export const maxTokensOf = ({ maxTokens, answers }: PolicySettings): number => maxTokens ?? MOST_TOKENS[answers];

/** Texts that end an answer by default: with several knobs, each has its line. */
export const defaultStop = ({ answers }: Partial<PolicySettings>, knobs: readonly Knob[]): string[] =>
  answers === 'knobs' && knobs.length === 1 ? ['\n'] : [];

/**
 * The stop texts of a policy for a task with other knobs. A newline that ends an answer with one knob would end each
 * answer with several before its second line.
 */
export const stopForKnobs = (stop: readonly string[], knobs: readonly Knob[]): string[] =>
  knobs.length > 1 ? stop.filter((text) => text !== '\n') : [...stop];

/** A model whose weights learn from the outcomes of its answers. Its runs get a sandbox even if it only sets knobs. */
export const policy = defineProposer({
  settings,
  needs: ['policy'],
  needsBy: ({ answers }): readonly Need[] => (answers === 'knobs' ? ['knobs'] : []),
  writes: 'code',
  readsPrompt: true,
  runs: 'queued',
  learns: true,
});
