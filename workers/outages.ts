import { causesOf, codeOf, isPostgresAway } from '../db/away.ts';

/** Attempts come a minute apart at most: after so long without one, the next is news. */
const QUIET_MS = 10 * 60_000;

interface Heard {
  count: number;
  since: number;
  lastAt: number;
}

/** Counts what comes again and again; says how often it came where that is worth a line: at the 1st, 2nd, 4th, 8th, … time. */
export function createOutages(): (cause: string, now: number) => { count: number; since: number } | null {
  const heard = new Map<string, Heard>();
  return (cause, now) => {
    for (const [each, { lastAt }] of heard) if (now - lastAt > QUIET_MS) heard.delete(each);
    const { count, since } = heard.get(cause) ?? { count: 0, since: now };
    heard.set(cause, { count: count + 1, since, lastAt: now });
    return Number.isInteger(Math.log2(count + 1)) ? { count: count + 1, since } : null;
  };
}

/**
 * Why a server, or the endpoint of a model, cannot be reached, as one line without statement and stack; null of any other
 * error. A refused connection alone does not say whose it is.
 */
export function outageOf(error: unknown): string | null {
  const chain = causesOf(error);
  const endpoint = chain.find((each) => 'type' in each && each.type === 'EndpointDown');
  if (endpoint !== undefined) return endpoint.message;
  const away = chain.find(isPostgresAway);
  if (away === undefined) return null;
  const words = (each: Error): string => (each.message || (codeOf(each) ?? each.name)).replace(/\s+/g, ' ');
  const isStatement = chain.some((each) => 'query' in each);
  if (isStatement || !('syscall' in away)) return `Postgres does not answer: ${words(away)}`;
  return words(chain.find((each) => each.message !== '') ?? away);
}
