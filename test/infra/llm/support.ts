import { afterEach } from 'vitest';
import { createLlm } from '../../../infra/llm/create-llm.ts';
import { createOpenAiLlm } from '../../../infra/llm/openai.ts';
import type { Wire } from '../../../infra/llm/wire.ts';
import { LlmError, type LlmAnswer, type LlmRequest } from '../../../infra/llm.ts';
import { startScriptedEndpoint, type Script, type ScriptedEndpoint } from '../../support/scripted-endpoint.ts';

export const KEY = 'sk-secret-0123456789abcdef';

const open: ScriptedEndpoint[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((endpoint) => endpoint.close()));
});

/** Starts a real endpoint that follows the script; closes it after the test. */
export async function startEndpoint(script: Script): Promise<ScriptedEndpoint> {
  const endpoint = await startScriptedEndpoint({ script });
  open.push(endpoint);
  return endpoint;
}

export interface CallOptions {
  /** Protocol; OpenAI's by default. */
  wire?: Wire;
  request?: Partial<LlmRequest>;
  signal?: AbortSignal;
  apiKey?: string | null;
}

/** Calls the endpoint once through the real client. */
export async function ask(baseUrl: string, options: CallOptions = {}): Promise<LlmAnswer> {
  const connection = { baseUrl, apiKey: options.apiKey === undefined ? KEY : options.apiKey };
  const llm = options.wire === undefined ? createOpenAiLlm(connection) : createLlm(options.wire, connection);
  return await llm.complete(
    {
      model: 'some-model',
      messages: [{ role: 'user', content: 'Improve this.' }],
      temperature: 0.7,
      maxTokens: 100,
      deadlineSeconds: 20,
      ...options.request,
    },
    options.signal ?? new AbortController().signal,
  );
}

/** Calls the endpoint and returns the LlmError with which the call must fail. */
export async function fail(baseUrl: string, options: CallOptions = {}): Promise<LlmError> {
  const error = await ask(baseUrl, options).then(
    (answer) => new Error(`expected the call to fail, it answered ${JSON.stringify(answer).slice(0, 200)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof LlmError) return error;
  throw error;
}
