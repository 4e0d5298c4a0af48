import { z } from 'zod';
import { cleanText } from '../../domain/json/clean-text.ts';
import { DeadlineError } from '../llm/deadline.ts';
import { PolicyError, type PolicyErrorKind } from '../policy.ts';
import type { Answer } from './socket-exchange.ts';

/** Characters of a message. */
const MOST = 500;

const Refused = z.object({
  refused: z.object({ code: z.string(), path: z.string(), expected: z.string(), got: z.string() }),
});
const Failed = z.object({ failed: z.object({ message: z.string() }) });
const Said = z.object({ error: z.object({ message: z.string() }) });

/** An answer other than 200, in the words of the server. */
export function answerError(what: string, { status, text }: Answer): PolicyError {
  const json = parse(text);
  const refused = Refused.safeParse(json);
  if (status === 422 && refused.success) {
    const { code, path, expected, got } = refused.data.refused;
    const message = short(`the policy server refused ${what} (${code}): ${path}: expected ${expected}, got ${got}`);
    return new PolicyError(message, { kind: 'refused' });
  }
  const failed = Failed.safeParse(json);
  const said = failed.data?.failed.message ?? Said.safeParse(json).data?.error.message ?? text;
  const message = short(`the policy server answered ${status} to ${what}: ${said}`);
  if (status === 500) return new PolicyError(message, { kind: 'failed' });
  return new PolicyError(message, { kind: status >= 400 && status < 500 ? 'refused' : 'down' });
}

/** A request whose answer may be lost. */
export interface AnswerContext {
  /** The thing that is asked for, as messages name it. */
  what: string;
  /** The kind of the error where no answer of the contract comes: a request that ends its server each time has failed. Default: down. */
  lost?: PolicyErrorKind;
}

/** An answer of 200 that is not what the contract says. */
export function malformedError({ what, lost = 'down' }: AnswerContext, problem: string, text: string): PolicyError {
  const got = `expected the contract's answer to ${what} from the policy server, got ${problem}: ${text}`;
  return new PolicyError(short(got), { kind: lost });
}

/** No answer came. */
export function transportError({ what, lost = 'down' }: AnswerContext, error: unknown): PolicyError {
  if (error instanceof PolicyError) return error;
  const said = error instanceof Error ? error.message || error.name : String(error);
  const busy = error instanceof DeadlineError ? ' It may be busy with a step.' : '';
  const message = `expected an answer to ${what} from the policy server, got none (${said}).${busy} It is asked again.`;
  return new PolicyError(short(message), { kind: lost });
}

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
