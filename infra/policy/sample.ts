import { performance } from 'node:perf_hooks';
import { cleanText } from '../../domain/json/clean-text.ts';
import type { Message, PolicyPrompt } from '../../domain/learning/policy-prompt.ts';
import type { Sample, SampleRequest } from '../policy.ts';
import { Completion } from './answers.ts';
import { parseServerAnswer, type ServerRequest } from './call-server.ts';
import { malformedError } from './errors.ts';
import { exchangeOverSocket } from './socket-exchange.ts';
import type { LoadCheckpoint } from './checkpoint-loader.ts';
import type { ServerPaths } from './server-paths.ts';

/** Most loads of a checkpoint for one sample. */
const MOST_LOADS = 3;

/** Draws one sample; first loads the checkpoint if the server lacks it. Throws PolicyError, or a socket's error. */
export async function sample(
  load: LoadCheckpoint,
  { request, paths }: { request: SampleRequest; paths: ServerPaths },
  signal: AbortSignal,
): Promise<Sample> {
  const started = performance.now();
  const model = request.version?.sha256 ?? 'base';
  const serverRequest: ServerRequest<Completion> = {
    paths,
    what: 'a sample',
    call: { method: 'POST', path: PATHS[request.prompt.form], body: bodyOf(request, model) },
    schema: Completion,
  };
  const send = () => exchangeOverSocket(paths.socket, serverRequest.call, signal);
  let answer = await send();
  // With many versions, another caller may drop a loaded one before its sample begins.
  for (let loads = 0; answer.status === 404 && request.version !== null && loads < MOST_LOADS; loads += 1) {
    await load(paths, request.version);
    answer = await send();
  }
  const found = parseServerAnswer(serverRequest, answer);
  if (found.policy_version !== model)
    throw malformedError(serverRequest, `the version ${found.policy_version} where ${model} was asked`, answer.text);
  return { ...sampleOf(found), latencySeconds: (performance.now() - started) / 1000 };
}

/** Samples from the policy's own distribution; with `training`, the server refuses any other. */
const bodyOf = ({ prompt, maxTokens, stop = [], seed }: SampleRequest, model: string): object => ({
  model,
  ...promptFields(prompt),
  max_tokens: maxTokens,
  ...stopFields(stop),
  seed,
  training: true,
  temperature: 1,
  top_p: 1,
  logprobs: true,
  n: 1,
});

const PATHS = { chat: '/v1/chat/completions', text: '/v1/completions' } as const;

/** The field of stop texts in OpenAI's requests. */
export const stopFields = (stop: readonly string[]): { stop?: readonly string[] } =>
  stop.length === 0 ? {} : { stop };

/** The fields of a prompt in OpenAI's requests. */
export const promptFields = (prompt: PolicyPrompt): { messages: readonly Message[] } | { prompt: string } =>
  prompt.form === 'chat' ? { messages: prompt.messages } : { prompt: prompt.text };

function sampleOf({ policy_version, prompt_token_ids, choices }: Completion): Omit<Sample, 'latencySeconds'> {
  const choice = choices[0]!;
  return {
    text: cleanText(choice.message?.content ?? choice.text ?? ''),
    finishReason: choice.finish_reason === null ? null : cleanText(choice.finish_reason),
    policyVersion: policy_version,
    promptIds: prompt_token_ids,
    completionIds: choice.token_ids,
    logprobs: choice.token_logprobs,
    offsets: choice.logprobs?.text_offset ?? null,
  };
}
