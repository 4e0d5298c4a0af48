import { z } from 'zod';

const hex64 = z.string().regex(/^[0-9a-f]{64}$/);
const token = z.number().int().min(0);

export const Models = z.object({
  base: z.object({ path: z.string().min(1), sha256: hex64 }),
  tokenizer: z.object({ sha256: hex64, template: hex64 }),
});

export const Names = z.object({ data: z.array(z.object({ policy_version: z.string(), kind: z.string() })) });

const Choice = z.object({
  /** Answer to a conversation; the answer to plain text is in `text`. */
  message: z.object({ content: z.string() }).optional(),
  text: z.string().optional(),
  finish_reason: z.string().nullable(),
  token_ids: z.array(token).min(1),
  // The limit of a batch: rounding may leave values slightly above 0.
  token_logprobs: z.array(z.number().max(1e-4)),
  logprobs: z.object({ text_offset: z.array(z.number().int().min(0)).optional() }).nullish(),
});

export type Completion = z.infer<typeof Completion>;
export const Completion = z
  .object({
    policy_version: z.union([z.literal('base'), hex64]),
    prompt_token_ids: z.array(token).min(1),
    choices: z.array(Choice).length(1),
  })
  .refine(
    ({ choices: [one] }) => one?.token_ids.length === one?.token_logprobs.length,
    'expected one log-probability per token',
  );

export const Tokens = z.object({ tokens: z.array(token) });

export const Loaded = z.object({ policy_version: hex64, kind: z.string() });

export const Result = z.object({
  stepKey: hex64,
  checkpoint: hex64,
  metrics: z.record(z.string(), z.number()),
  versions: z.record(z.string(), z.unknown()),
  seconds: z.record(z.string(), z.number()),
  skipped: z.array(z.object({ id: z.string(), reason: z.string() })),
});
