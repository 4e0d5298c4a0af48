import { z } from 'zod';

const ids = z.array(z.number().int().min(0)).min(1);
// The limit of a batch: rounding may leave values slightly above 0.
const logprob = z.number().max(1e-4);

const Choice = z.object({
  finish_reason: z.string().nullable(),
  message: z.object({ content: z.string().nullable() }).optional(),
  text: z.string().optional(),
  token_ids: ids,
  /** Token ids of the prompt: with vLLM, beside `choices` for a conversation; else in the choice. */
  prompt_token_ids: ids.nullish(),
  logprobs: z.union([
    z.object({ content: z.array(z.object({ logprob })) }),
    z.object({ token_logprobs: z.array(logprob) }),
  ]),
});
type Choice = z.infer<typeof Choice>;

const logprobsOf = ({ logprobs }: Choice): number[] =>
  'content' in logprobs ? logprobs.content.map((one) => one.logprob) : logprobs.token_logprobs;

/** Answer to a request with `return_token_ids` and `logprobs`. */
export type Completion = z.infer<typeof Completion>;
export const Completion = z
  .object({ choices: z.array(Choice).length(1), prompt_token_ids: ids.nullish() })
  .refine(
    ({ choices: [one] }) => one && logprobsOf(one).length === one.token_ids.length,
    'expected one log-probability per token',
  )
  .refine(({ choices: [one], prompt_token_ids: above }) => one?.prompt_token_ids ?? above, 'expected prompt_token_ids');

export function completionOf({ choices, prompt_token_ids: above }: Completion) {
  const choice = choices[0]!;
  return {
    text: choice.message?.content ?? choice.text ?? '',
    finishReason: choice.finish_reason,
    promptIds: choice.prompt_token_ids ?? above ?? [],
    completionIds: choice.token_ids,
    logprobs: logprobsOf(choice),
  };
}
