import { performance } from 'node:perf_hooks';
import { type Llm, type LlmAnswer, LlmError, type LlmRequest } from '../llm.ts';
import { withDeadline } from './deadline.ts';
import { variablesOf } from '../../domain/llm/providers.ts';
import { type Endpoint, urlBelow } from './endpoint.ts';
import { endpointError, type NamedEndpoint, redactError, reportedFailure, transportError } from './errors.ts';
import type { Form } from './form/form.ts';
import { createForms } from './form/forms.ts';
import { isModerated } from './form/is-moderated.ts';
import { isTooLong } from './form/length.ts';
import { mend, type Refusal, refusedSetting, refusesTools } from './form/mend.ts';
import { parseJson, textsIn } from './form/texts.ts';
import { type Environment, proxyFor, ProxyError } from '../network/proxy.ts';
import { exchange, type HttpAnswer } from './http-exchange.ts';
import { readKey } from './key.ts';
import { readAnswer, type Received } from './read-answer.ts';
import { isStream, readStream } from './stream.ts';
import { findReportedError } from './reported-error.ts';
import type { Wire } from './wire.ts';

/** Most bytes of one answer; a completion is rarely larger than a tenth of this. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Most bytes of a stream, in which each token is an event of some hundred bytes. */
const MAX_STREAM_BYTES = 16 * MAX_ANSWER_BYTES;

export interface LlmOptions {
  /** Null for the provider's own. */
  baseUrl: string | null;
  /** Null for an endpoint without keys. */
  apiKey: string | null;
  /** Environment that names the proxy and the trusted certificates. */
  env?: Environment;
  /** Receives one line for each changed form of requests. */
  log?: (message: string) => void;
}

/** A request that the endpoint did not answer with a completion, and what the error says about the request. */
interface Failed {
  error: LlmError;
  refusal: Refusal;
}

/** The outcome of one request. */
type Outcome = { failed: Failed } | { received: Received };

/**
 * The models of a provider. One call buys one answer: the caller stores each attempt and decides on retries. Only a
 * request whose form the endpoint refuses is sent again at once, in another form. Throws LlmError (refused) for an
 * unusable URL or key.
 */
export function createLlm(wire: Wire, { baseUrl, apiKey, env = {}, log = () => undefined }: LlmOptions): Llm {
  const variables = variablesOf(wire.provider);
  const endpoint = wire.readUrl(baseUrl);
  const shown = shownWithProxy(endpoint, env);
  const named: NamedEndpoint = { shown, variables };
  const key = readKey(apiKey, variables.apiKey);
  const forms = createForms({
    shown,
    log: (message) => log(redactError(new LlmError(message, { kind: 'refused' }), key).message),
  });

  const send = async (request: LlmRequest, form: Form, signal: AbortSignal): Promise<Outcome> => {
    const headers = {
      accept: form.streams ? 'text/event-stream, application/json' : 'application/json',
      'content-type': 'application/json',
      'user-agent': 'perpetua',
      ...wire.headers(key),
    };
    const body = JSON.stringify(wire.bodyOf(request, form));
    const maxBytes = form.streams ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES;
    const url = urlBelow(endpoint, wire.pathOf(request.model));
    return outcomeOf(named, await exchange(url, { headers, body, signal }, { maxBytes, env }), wire);
  };

  /** Sends a request in the known form of its model, and again in each form that a refusal asks for. */
  const ask = async (request: LlmRequest, signal: AbortSignal): Promise<Received> => {
    let form = forms.formOf(request.model);
    const changes: string[] = [];
    let refused: Failed | null = null;
    for (;;) {
      const outcome = await send(request, form, signal);
      const failed = 'failed' in outcome ? outcome.failed : null;
      // Another error than the refusal shows that the endpoint accepts the changed form.
      if (refused !== null && failed?.error.status !== refused.error.status)
        forms.remember(request.model, { form, changes, why: refused.error.message });
      if ('received' in outcome) return outcome.received;
      const mended = mend(form, request, outcome.failed.refusal);
      if (mended === null || isSame(wire, request, [form, mended.form])) throw finalError(request, outcome.failed);
      form = mended.form;
      changes.push(mended.change);
      refused = outcome.failed;
    }
  };

  const finalError = (request: LlmRequest, { error, refusal }: Failed): LlmError => {
    if (isTooLong(refusal)) {
      forms.shorten(request.model, { request, why: error.message });
      return new LlmError(error.message, { ...error, refused: 'length' });
    }
    if (isModerated(refusal)) return new LlmError(error.message, { ...error, refused: 'content' });
    if (error.kind === 'refused' && refusesTools(request, refusal)) {
      forms.refuseTools(request.model);
      return new LlmError(error.message, { ...error, refused: 'tools' });
    }
    const setting = error.kind === 'refused' ? refusedSetting(request, refusal) : null;
    if (setting === null) return error;
    return new LlmError(`llm.body.${setting}: correct or remove it: ${error.message}`, {
      ...error,
      refused: 'setting',
    });
  };

  return {
    promptLimit: (model) => forms.promptLimit(model),
    refusesTools: (model) => forms.refusesTools(model),
    complete: async (request, signal) => {
      const started = performance.now();
      try {
        const limit = { seconds: request.deadlineSeconds, signal };
        const received = await withDeadline((inner) => ask(request, inner), limit);
        const read: Omit<LlmAnswer, 'latencySeconds'> = readAnswer(received, {
          model: request.model,
          endpoint: named,
          key,
        });
        return { ...read, latencySeconds: (performance.now() - started) / 1000 };
      } catch (error) {
        signal.throwIfAborted();
        throw redactError(transportError(named, error), key);
      }
    },
  };
}

/** True if two forms give one body, since the protocol has no such part: the endpoint would refuse it again. */
const isSame = (wire: Wire, request: LlmRequest, forms: [Form, Form]): boolean =>
  new Set(forms.map((form) => JSON.stringify(wire.bodyOf(request, form)))).size === 1;

/** The endpoint for messages, with the proxy that leads to it. */
function shownWithProxy(endpoint: Endpoint, env: Environment): string {
  try {
    const proxy = proxyFor(new URL(endpoint.baseUrl), env);
    return proxy === null ? endpoint.shown : `${endpoint.shown} (through the proxy ${proxy.shown}, ${proxy.variable})`;
  } catch (error) {
    // Each request reports an unusable proxy.
    if (error instanceof ProxyError) return endpoint.shown;
    throw error;
  }
}

/** Most characters of an error that are searched for words, so that a page of HTML is no list of them. */
const MOST_WORDS = 4000;

function outcomeOf(named: NamedEndpoint, answer: HttpAnswer, wire: Wire): Outcome {
  const { status, body, headers } = answer;
  const json = isStream(body) ? readStream(body) : wire.completionOf(parseJson(body));
  const refusal = (error: unknown, code: number): Refusal => ({
    status: code,
    words: textsIn(error).join('\n').toLowerCase().slice(0, MOST_WORDS),
  });
  if (status < 200 || status > 299)
    return { failed: { error: endpointError(named, answer), refusal: refusal(json ?? body, status) } };
  const reported = findReportedError(json);
  if (reported === null) return { received: { body, json } };
  return {
    failed: { error: reportedFailure(named, reported, headers), refusal: refusal(reported.error, reported.status) },
  };
}
