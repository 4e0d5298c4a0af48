/** A request that the endpoint has received. */
export interface ScriptedRequest {
  /** Number of the request, from 1 on. */
  n: number;
  /** Time in ISO 8601. */
  at: string;
  /** Path with the query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** The raw body. */
  text: string;
  /** The parsed body, taken for a chat completion request. */
  body: { model: string; messages: { role: string; content: string }[] } & Record<string, unknown>;
}

/** The endpoint's reaction to one request, after `delayMs`. */
export type Behaviour = { delayMs?: number } & (
  | {
      kind: 'answer';
      text: string | null;
      refusal?: string;
      finishReason?: string;
      /** Null for an answer without usage; by default a quarter of the characters. */
      usage?: { prompt_tokens: number; completion_tokens: number } | null;
    }
  /** Any status and body: errors, garbage, JSON that is no completion. */
  | { kind: 'status'; status: number; body?: string | Uint8Array | object; headers?: Record<string, string> }
  /** Accepts the request and never answers. */
  | { kind: 'silent' }
  /** Sends the headers and half a body, then nothing. */
  | { kind: 'stall' }
  /** Sends one byte of harmless white space after another, for ever. */
  | { kind: 'trickle'; everyMs: number }
  /** Sends white space as fast as it can, for ever. */
  | { kind: 'flood' }
  /** Resets the connection at once. */
  | { kind: 'reset' }
  /** Closes the connection after half a body. */
  | { kind: 'cut' }
  /** Speaks something else than HTTP. */
  | { kind: 'noise' }
);

/** A behaviour for all requests, a list with one for each in order (the last repeats), or a function of the request. */
export type Script = Behaviour | Behaviour[] | ((request: ScriptedRequest) => Behaviour | Promise<Behaviour>);

/** The behaviour that a script gives to a request, the `nth` since the script was set (from 1). */
export async function choose(script: Script, nth: number, request: ScriptedRequest): Promise<Behaviour> {
  if (typeof script === 'function') return await script(request);
  if (!Array.isArray(script)) return script;
  const chosen = script[Math.min(nth, script.length) - 1];
  if (chosen === undefined) throw new Error('expected at least one behaviour in the script, got an empty list');
  return chosen;
}

/** An answer with that text. */
export function answerWith(text: string): Behaviour {
  return { kind: 'answer', text };
}
