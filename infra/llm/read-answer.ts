import { z } from 'zod';
import type { LlmAnswer } from '../llm.ts';
import { malformedError, type NamedEndpoint } from './errors.ts';
import { redactKey } from './key.ts';
import { cleanText } from '../../domain/json/clean-text.ts';

/** Number of tokens; null for an unknown shape, so that a paid answer is not lost because of its accounting. */
const tokens = z.number().int().min(0).max(2_147_483_647).nullable().catch(null);

const Completion = z.object({
  model: z.string().nullish().catch(null),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.unknown(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: tokens,
      completion_tokens: tokens,
      prompt_tokens_details: z.object({ cached_tokens: tokens }).nullish().catch(null),
      completion_tokens_details: z.object({ reasoning_tokens: tokens }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

/** Most characters of a finish reason. */
const LONGEST_REASON = 100;

/** Facts about the request. */
interface RequestFacts {
  model: string;
  endpoint: NamedEndpoint;
  key: string | null;
}

/** An answer with status 200: its text, and its JSON, which is undefined if it has none. */
export interface Received {
  body: string;
  json: unknown;
}

/** Deepest nesting of parts that is read. */
const DEEPEST = 4;
/** Types of parts that contain the answer; parts without a type count. */
const TEXTS = new Set([undefined, null, 'text', 'output_text']);

/**
 * The text of a message's content, which is a text or a list of parts to join. Leaves out thoughts and parts of other
 * types. Null if there is no text; undefined if the content has another shape.
 */
function contentText(content: unknown, depth = 0): string | null | undefined {
  if (content === undefined || content === null) return null;
  if (typeof content === 'string') return content;
  if (typeof content !== 'object' || depth > DEEPEST) return undefined;
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => partText(part, depth)).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join('');
}

function partText(part: unknown, depth: number): string | null {
  if (typeof part === 'string') return part;
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return null;
  const { type, text, thought, value } = part as Record<string, unknown>;
  if (!TEXTS.has(type as string | null | undefined) || thought === true) return null;
  // Some endpoints wrap the text again, as `{ value }` or in nested parts.
  return contentText(text ?? value, depth + 1) ?? null;
}

/**
 * Reads a chat completion and removes the key from its texts. A message without a text is an empty answer. Throws
 * LlmError (malformed) for anything else.
 */
export function readAnswer({ body, json }: Received, request: RequestFacts): Omit<LlmAnswer, 'latencySeconds'> {
  const { endpoint } = request;
  if (json === undefined)
    throw malformedError(endpoint, body.trim() === '' ? 'an empty body' : 'something that is not JSON', body);
  const read = Completion.safeParse(json);
  if (!read.success) throw malformed(read.error, body, endpoint);
  const { model, choices, usage } = read.data;
  const choice = choices[0]!;
  const { content, refusal } = choice.message;
  const text = contentText(content);
  if (text === undefined)
    throw malformedError(endpoint, `a content that is ${typeof content}, neither a text nor a list of parts`, body);
  const clean = (value: string): string => cleanText(redactKey(value, request.key));
  const reason = choice.finish_reason;
  return {
    text: clean(text ?? ''),
    // Removes the key before the cut, since half a key would not match.
    finishReason: typeof reason === 'string' ? cleanText(clean(reason).slice(0, LONGEST_REASON)) : null,
    refusal: refusal ? clean(refusal) : null,
    model: clean(model ?? request.model),
    tokensIn: usage?.prompt_tokens ?? null,
    tokensOut: usage?.completion_tokens ?? null,
    tokensCached: usage?.prompt_tokens_details?.cached_tokens ?? null,
    tokensReasoning: usage?.completion_tokens_details?.reasoning_tokens ?? null,
  };
}

function malformed(error: z.ZodError, body: string, endpoint: NamedEndpoint): Error {
  const issue = error.issues[0];
  if (issue?.path.join('.') === 'choices') return malformedError(endpoint, 'an answer without choices', body);
  return malformedError(endpoint, `JSON with ${issue?.path.join('.') || 'another form'}: ${issue?.message}`, body);
}
