import type { Provider } from '../../domain/llm/providers.ts';
import type { LlmRequest } from '../llm.ts';
import type { Endpoint } from './endpoint.ts';
import type { Form } from './form/form.ts';

/** A provider's protocol: the requests that it takes, and its answers. */
export interface Wire {
  provider: Provider;
  /** Reads the base URL as people write it; null: the provider's own. Throws LlmError (refused) on anything else. */
  readUrl: (text: string | null) => Endpoint;
  /** Path of a request below the base URL. */
  pathOf: (model: string) => string;
  /** Headers with the key; null for an endpoint without keys. */
  headers: (key: string | null) => Record<string, string>;
  bodyOf: (request: LlmRequest, form: Form) => Record<string, unknown>;
  /** The answer as a chat completion of OpenAI; any other JSON, such as an error, unchanged. */
  completionOf: (json: unknown) => unknown;
}
