import { z } from 'zod';
import { MODEL_FIELDS } from '../../llm/model-settings.ts';
import { type OperatorName, OPERATOR_NAMES, type OperatorWeights } from '../operator/table.ts';
import { Specialist } from '../specialist/specialist.ts';
import { defineProposer } from '../proposer.ts';

const weight = z.number().positive().max(1_000_000);
const weights = z.strictObject(
  Object.fromEntries(OPERATOR_NAMES.map((name) => [name, weight.exactOptional()])) as Record<
    OperatorName,
    z.ZodExactOptional<typeof weight>
  >,
);

const LlmProposerSettings = z
  .strictObject({
    provider: MODEL_FIELDS.provider.exactOptional().describe('provider of the model; default: `llm.provider`'),
    model: MODEL_FIELDS.model.exactOptional().describe('name of the model; default: `llm.model`'),
    temperature: MODEL_FIELDS.temperature.exactOptional().describe('temperature; default: `llm.temperature`'),
    maxTokens: MODEL_FIELDS.maxTokens.exactOptional().describe('tokens of one answer; default: `llm.maxTokens`'),
    body: MODEL_FIELDS.body.exactOptional().describe('further keys of each request; default: `llm.body`'),
    operator: z
      .enum(OPERATOR_NAMES)
      .exactOptional()
      .describe('kind of change that it asks for (docs/guides/models/operators.md); default: tweak'),
    operators: weights
      .exactOptional()
      .describe('in place of `operator`: weights of several, of which each trial draws one'),
    specialist: Specialist.exactOptional().describe(
      'the part of the program that its proposals may change (docs/guides/models/specialists.md); default: all of it',
    ),
  })
  .superRefine(({ operator, operators }, context) => {
    if (operators === undefined) return;
    if (operator !== undefined)
      context.addIssue({ code: 'custom', path: ['operator'], message: 'no operator beside operators' });
    if (Object.keys(operators).length === 0)
      context.addIssue({ code: 'custom', path: ['operators'], message: 'the weight of at least one operator' });
  });

export type LlmProposerSettings = z.output<typeof LlmProposerSettings>;

/**
 * A request to a language model, repeated if the answer cannot be used. Settings that it lacks are those of the task's
 * `llm`.
 */
export const llm = defineProposer({
  settings: LlmProposerSettings,
  needs: ['model'],
  writes: 'code',
  readsPrompt: true,
  runs: 'queued',
  specialist: ({ specialist = null }) => specialist,
  operators: ({ operator, operators }): OperatorWeights | null => operators ?? (operator ? { [operator]: 1 } : null),
});
