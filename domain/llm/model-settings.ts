import { z } from 'zod';
import { FIELD_MAXIMA } from '../schema/fields.ts';
import { PROVIDER_NAMES } from './providers.ts';

/** Settings that a task has under `llm`, and an arm of a mixture for itself. */
export const MODEL_FIELDS = {
  provider: z.enum(PROVIDER_NAMES),
  model: z.string().min(1).max(200),
  temperature: z.number().min(0).max(2).nullable(),
  maxTokens: z.number().int().positive().max(FIELD_MAXIMA.answerTokens),
  body: z.record(z.string().min(1), z.unknown()),
} as const;
