import { z } from 'zod';
import { cleanText } from '../../domain/json/clean-text.ts';
import { DeadlineError } from '../llm/deadline.ts';
import { PolicyError, type PolicyErrorKind } from '../policy.ts';
import type { Answer } from './socket-exchange.ts';

/** Most characters of a message. */
const MOST = 500;

const Refused = z.object({
  refused: z.object({ code: z.string(), path: z.string(), expected: z.string(), got: z.string() }),
});
const Failed = z.object({ failed: z.object({ message: z.string() }) });
const OpenAiError = z.object({ error: z.object({ message: z.string() }) });

/** Error for an answer other than 200, with the server's message. */
export function answerError(what: string, { status, text }: Answer): PolicyError {
  const json = parse(text);
  const refused = Refused.safeParse(json);
  if (status === 422 && refused.success) {
    const { code, path, expected, got } = refused.data.refused;
    const message = short(`the policy server refused ${what} (${code}): ${path}: expected ${expected}, got ${got}`);
    return new PolicyError(message, { kind: 'refused' });
  }
  const failed = Failed.safeParse(json);
  const reason = failed.data?.failed.message ?? OpenAiError.safeParse(json).data?.error.message ?? text;
  const message = short(`the policy server answered ${status} to ${what}: ${reason}`);
  if (status === 500) return new PolicyError(message, { kind: 'failed' });
  return new PolicyError(message, { kind: status >= 400 && status < 500 ? 'refused' : 'down' });
}

/** Context of a request, for the messages of its errors. */
export interface AnswerContext {
  /** The requested thing, as messages name it. */
  what: string;
  /** Kind of the error if no valid answer comes; default: down. For a step `failed`: it may crash each server. */
  lost?: PolicyErrorKind;
}

/** Error for an answer of 200 that violates the contract. */
export function malformedError({ what, lost = 'down' }: AnswerContext, problem: string, text: string): PolicyError {
  const got = `expected the contract's answer to ${what} from the policy server, got ${problem}: ${text}`;
  return new PolicyError(short(got), { kind: lost });
}

/** Error for a request without an answer. */
export function transportError({ what, lost = 'down' }: AnswerContext, error: unknown): PolicyError {
  if (error instanceof PolicyError) return error;
  const why = error instanceof Error ? error.message || error.name : String(error);
  const busy = error instanceof DeadlineError ? ' It may be busy with a step.' : '';
  const got = `expected an answer to ${what} from the policy server, got none (${why}).`;
  const message = `${got}${busy} The worker repeats the request.`;
  return new PolicyError(short(message), { kind: lost });
}

/** Parses JSON; undefined if the text is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return cleanText(line.length > MOST ? `${line.slice(0, MOST)}…` : line);
}
