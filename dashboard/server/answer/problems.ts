import type { Context } from 'hono';
import type { z } from 'zod';
import { UnknownMethod } from '../../../domain/method/unknown-method.ts';
import { errorChain, errorCode, isPostgresUnreachable } from '../../../db/postgres-unreachable.ts';
import { DamagedRowError } from '../../../db/damaged.ts';
import { ForeignCursorError } from '../../../db/reads/read-events.ts';
import { visible } from '../../../domain/text/visible.ts';
import type { Problem } from '../../api/problem.ts';
import { RefusedInputError } from './refused-input-error.ts';

const STATUS = {
  refused: 400,
  'not-found': 404,
  'foreign-cursor': 409,
  failed: 500,
  unreadable: 500,
  away: 503,
  'not-ready': 503,
  timeout: 503,
  forbidden: 403,
  conflict: 409,
  'too-large': 413,
  unreachable: 503,
} as const satisfies Record<Problem['code'], number>;

/** SQLSTATE of an unknown table, column and schema: the migrations have not run yet. */
const NOT_THERE = new Set(['42P01', '42703', '3F000']);
/** True for a statement that Postgres cancelled (57014), and for the driver's own timeout if Postgres is frozen. */
const isTimeout = (error: Error): boolean => errorCode(error) === '57014' || /^Query read timeout$/.test(error.message);

/**
 * Answers with a problem as JSON. Its texts may quote the request or a row, so each hidden character is replaced by its
 * name.
 */
export const problemResponse = (c: Context, { code, error, issues }: Problem): Response => {
  const shown = issues?.map(({ path, message }) => ({ path: visible(path), message: visible(message) }));
  const problem: Problem = { code, error: visible(error), ...(shown ? { issues: shown } : {}) };
  return c.json(problem, STATUS[code], { 'cache-control': 'no-store' });
};

/** The problem of invalid input, with the path of each key. */
export function refusal({ issues }: z.ZodError): Problem {
  const refused = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: key, message: 'there is no such parameter' }))
      : [{ path: issue.path.join('.'), message: issue.message }],
  );
  return {
    code: 'refused',
    error: refused.map(({ path, message }) => `${path}: ${message}`).join('; '),
    issues: refused,
  };
}

/** The problem of input with a NUL, which no text in Postgres can contain; undefined if there is none. */
export function findNulProblem(given: Record<string, string | string[]>): Problem | undefined {
  const issues = Object.entries(given)
    .filter(([, value]) => [value].flat().some((text) => text.includes('\0')))
    .map(([path]) => ({ path, message: 'expected a text without the character NUL' }));
  const [first] = issues;
  return first && { code: 'refused', error: `${first.path}: ${first.message}`, issues };
}

/** The problem of an error, in words for a person. Never has the statement, its parameters or the stack. */
export function errorProblem(error: unknown): Problem {
  const chain = errorChain(error);
  const foreign = chain.find((cause) => cause instanceof ForeignCursorError);
  if (foreign) return { code: 'foreign-cursor', error: foreign.message };
  const refused = chain.find((cause) => cause instanceof RefusedInputError);
  if (refused) {
    const { key, message } = refused;
    return { code: 'refused', error: `${key}: ${message}`, issues: [{ path: key, message }] };
  }
  if (chain.some(isTimeout))
    return {
      code: 'timeout',
      error: 'Postgres took too long, so the query was cancelled. Request less, or try again.',
    };
  const away = chain.find(isPostgresUnreachable);
  if (away) return { code: 'away', error: `Postgres does not answer (${away.message || String(errorCode(away))}).` };
  if (chain.some((cause) => NOT_THERE.has(errorCode(cause) ?? '')))
    return { code: 'not-ready', error: 'The database is not set up yet.' };
  const unreadable = chain.find((cause) => cause instanceof DamagedRowError || cause instanceof UnknownMethod);
  if (unreadable) return { code: 'unreadable', error: unreadable.message };
  return { code: 'failed', error: 'The dashboard failed to answer; logs/dashboard.log of the home says why.' };
}
