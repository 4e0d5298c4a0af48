import { z } from 'zod';
import { isCutOff, isFiltered } from '../../domain/edit/answer/finish-reason.ts';
import type { LlmAnswer } from '../llm.ts';
import { endpointError, malformedError } from './errors.ts';
import { redactKey } from './key.ts';
import { cleanText } from '../../domain/json/clean-text.ts';

/** Unknown where the endpoint counts in a shape of its own: a paid answer is not thrown away for its accounting. */
const tokens = z.number().int().min(0).max(2_147_483_647).nullable().catch(null);

const Completion = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.unknown(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish().catch(null),
});

/** Some gateways report a failure with status 200. */
const ErrorBody = z.object({ error: z.object({ code: z.unknown(), message: z.unknown() }).partial() });

/** Characters of an endpoint's own word for an end; more is none. */
const LONGEST_REASON = 100;

interface Asked {
  model: string;
  /** The endpoint, as messages name it. */
  shown: string;
  key: string | null;
}

/** Parts inside of parts that are looked into. */
const DEEPEST = 4;
/** Kinds of parts that hold words of the answer; none at all is one, too. */
const TEXTS = new Set([undefined, null, 'text', 'output_text']);

/**
 * The text of a message's content: a text, or parts whose texts follow each other. Thoughts and parts of other kinds are left
 * out. Null where there is none; undefined where it is neither.
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
  // Some wrap the text once more, as `{ value }` or in parts of its own.
  return contentText(text ?? value, depth + 1) ?? null;
}

/**
 * Reads a chat completion; no text of it holds the key. Throws LlmError: malformed, or what an error inside a successful answer
 * stands for.
 */
export function readAnswer(body: string, asked: Asked): Omit<LlmAnswer, 'latencySeconds'> {
  const json = parseJson(body, asked.shown);
  const read = Completion.safeParse(json);
  if (!read.success) throw errorInside(json, body, asked.shown) ?? malformed(read.error, body, asked.shown);
  const { model, choices, usage } = read.data;
  const choice = choices[0]!;
  const { content, refusal } = choice.message;
  const text = contentText(content);
  if (text === undefined)
    throw malformedError(asked.shown, `a content that is ${typeof content}, neither a text nor a list of parts`, body);
  const clean = (said: string): string => cleanText(redactKey(said, asked.key));
  const reason = choice.finish_reason;
  // In this order: a key that is cut in half would not be found.
  const finishReason = typeof reason === 'string' ? cleanText(clean(reason).slice(0, LONGEST_REASON)) : null;
  // An answer without text is whole where the endpoint says that it cut it off.
  if (text === null && !refusal && !isCutOff(finishReason) && !isFiltered(finishReason))
    throw malformedError(asked.shown, 'one with neither text nor a refusal', body);
  return {
    text: clean(text ?? ''),
    finishReason,
    refusal: refusal ? clean(refusal) : null,
    model: clean(model ?? asked.model),
    tokensIn: usage?.prompt_tokens ?? null,
    tokensOut: usage?.completion_tokens ?? null,
  };
}

function parseJson(body: string, shown: string): unknown {
  try {
    // Some gateways put a byte order mark before it.
    return JSON.parse(body.replace(/^\ufeff/, ''));
  } catch {
    throw malformedError(shown, body === '' ? 'an empty body' : 'something that is not JSON', body);
  }
}

function malformed(error: z.ZodError, body: string, shown: string): Error {
  const issue = error.issues[0];
  return malformedError(shown, `JSON with ${issue?.path.join('.') || 'the whole'}: ${issue?.message}`, body);
}

function errorInside(json: unknown, body: string, shown: string): Error | null {
  const read = ErrorBody.safeParse(json);
  const code = Number(read.data?.error.code);
  if (!read.success || !(code >= 400 && code < 600)) return null;
  return endpointError(shown, { status: code, headers: new Headers(), body });
}
