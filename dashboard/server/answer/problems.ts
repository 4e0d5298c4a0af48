import type { Context } from 'hono';
import type { z } from 'zod';
import { UnknownMethod } from '../../../domain/method/unknown-method.ts';
import { errorChain, errorCode, isPostgresUnreachable } from '../../../db/postgres-unreachable.ts';
import { DamagedRowError } from '../../../db/damaged.ts';
import { ForeignCursorError } from '../../../db/reads/read-events.ts';
import type { Problem } from '../../api/problem.ts';

const STATUS = {
  refused: 400,
  'not-found': 404,
  'foreign-cursor': 409,
  failed: 500,
  unreadable: 500,
  away: 503,
  'not-ready': 503,
  timeout: 503,
} as const satisfies Record<Problem['code'], number>;

/** SQLSTATE of tables and columns that a migration is yet to make. */
const NOT_THERE = new Set(['42P01', '42703', '3F000']);
/** SQLSTATE of a statement that was ended, and what the driver says where the server does not even do that. */
const isTimeout = (error: Error): boolean => errorCode(error) === '57014' || /^Query read timeout$/.test(error.message);

/** Why there is no answer, as JSON. */
export const problemResponse = (c: Context, told: Problem): Response =>
  c.json(told, STATUS[told.code], { 'cache-control': 'no-store' });

/** Input that does not fit, by the path of each key. */
export function refusal({ issues }: z.ZodError): Problem {
  const told = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: key, message: 'there is no such parameter' }))
      : [{ path: issue.path.join('.'), message: issue.message }],
  );
  return { code: 'refused', error: told.map(({ path, message }) => `${path}: ${message}`).join('; '), issues: told };
}

/** Postgres knows no text with a NUL in it, so that there is nothing of that name; undefined for input without one. */
export function findNulProblem(given: Record<string, string | string[]>): Problem | undefined {
  const issues = Object.entries(given)
    .filter(([, value]) => [value].flat().some((text) => text.includes('\0')))
    .map(([path]) => ({ path, message: 'expected a text without the character NUL' }));
  const [first] = issues;
  return first && { code: 'refused', error: `${first.path}: ${first.message}`, issues };
}

/** An error in words for a person: never its statement, its parameters or its stack. */
export function errorProblem(error: unknown): Problem {
  const chain = errorChain(error);
  const foreign = chain.find((cause) => cause instanceof ForeignCursorError);
  if (foreign) return { code: 'foreign-cursor', error: foreign.message };
  if (chain.some(isTimeout))
    return {
      code: 'timeout',
      error: 'Postgres took too long over this, and was told to stop. Ask for less, or try again.',
    };
  const away = chain.find(isPostgresUnreachable);
  if (away) return { code: 'away', error: `Postgres does not answer (${away.message || String(errorCode(away))}).` };
  if (chain.some((cause) => NOT_THERE.has(errorCode(cause) ?? '')))
    return { code: 'not-ready', error: 'The database is not set up yet.' };
  const unreadable = chain.find((cause) => cause instanceof DamagedRowError || cause instanceof UnknownMethod);
  if (unreadable) return { code: 'unreadable', error: unreadable.message };
  return { code: 'failed', error: 'The dashboard failed at this; logs/dashboard.log of the home says why.' };
}
