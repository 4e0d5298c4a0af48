import { performance } from 'node:perf_hooks';
import { cleanText } from '../../../domain/json/clean-text.ts';
import type { Endpoint } from '../../../domain/learning/trainer.ts';
import { withDeadline } from '../../llm/deadline.ts';
import { redactKey } from '../../llm/key.ts';
import { type Policy, PolicyError, type SampleRequest } from '../../policy.ts';
import { openCheckpoints } from '../checkpoints.ts';
import { promptFields, stopFields } from '../sample.ts';
import { Tokens } from '../answers.ts';
import type { PolicyOptions } from '../options.ts';
import { post } from './post.ts';
import { Completion, completionOf } from './read-completion.ts';

/**
 * Policies that an external server samples. It speaks OpenAI's protocol and returns token ids and log-probabilities, as
 * vLLM and SGLang do. The base is the name of a model on that server. No policy learns there, so every version except
 * the base is refused.
 */
export function createEndpointPolicy({
  home,
  endpoint,
  env,
}: Pick<PolicyOptions, 'home' | 'env'> & { endpoint: Endpoint }): Policy {
  const tokenize = async (base: string, request: SampleRequest['prompt'], signal: AbortSignal): Promise<number[]> => {
    const url = `${endpoint.url.replace(/\/v1$/, '')}/tokenize`;
    const body = { model: base, ...promptFields(request) };
    return (await post({ url, key: endpoint.key, body, what: 'the tokens of a prompt', schema: Tokens, env }, signal))
      .tokens;
  };
  return {
    checkpoints: openCheckpoints(home),
    // The server knows its models.
    findBaseProblem: async () => null,
    facts: () => Promise.reject(doesNotLearn(endpoint)),
    step: () => Promise.reject(doesNotLearn(endpoint)),
    tokenize,
    sample: async (request, signal) => {
      if (request.version !== null) throw doesNotLearn(endpoint);
      const started = performance.now();
      const { form } = request.prompt;
      const url = `${endpoint.url}/${form === 'chat' ? 'chat/completions' : 'completions'}`;
      const call = { url, key: endpoint.key, body: bodyOf(request), what: 'a sample', schema: Completion, env };
      const limit = { seconds: request.deadlineSeconds, signal };
      const answer = await withDeadline((inner) => post(call, inner), limit).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error instanceof PolicyError ? error : new PolicyError(`${url}: ${String(error)}`, { kind: 'down' });
      });
      const { text, finishReason: reason, ...tokens } = completionOf(answer);
      const latencySeconds = (performance.now() - started) / 1000;
      const clean = (output: string): string => cleanText(redactKey(output, endpoint.key));
      const finishReason = reason === null ? null : clean(reason);
      return { ...tokens, text: clean(text), finishReason, offsets: null, policyVersion: 'base', latencySeconds };
    },
  };
}

/** Samples from the model's own distribution: sets each parameter whose default a model folder could change. */
const bodyOf = ({ base, prompt, maxTokens, stop = [], seed }: SampleRequest): object => ({
  model: base,
  ...promptFields(prompt),
  max_tokens: maxTokens,
  ...stopFields(stop),
  seed,
  n: 1,
  stream: false,
  temperature: 1,
  top_p: 1,
  top_k: -1,
  min_p: 0,
  presence_penalty: 0,
  frequency_penalty: 0,
  repetition_penalty: 1,
  // For plain text, a number of alternatives; the drawn token is always included.
  logprobs: prompt.form === 'chat' ? true : 1,
  return_token_ids: true,
});

const doesNotLearn = ({ url }: Endpoint): PolicyError =>
  new PolicyError(
    `the policy server ${url} samples a fixed model and cannot learn: ` +
      'unset PERPETUA_POLICY_URL, or set search.update: none',
    { kind: 'refused' },
  );
