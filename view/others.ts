import { hasEnded } from './phase.ts';
import type { Phase } from '../domain/research/phase.ts';
import { oneLine } from '../domain/text/clean.ts';

/** Researches that are named; the others are counted. */
const NAMED = 4;

/** The other researches in one line: `my-task running, old paused, 3 more stopped (npx perpetua list)`; null where there is none. */
export function describeOthers(others: readonly { id: string; phase: Phase }[]): string | null {
  if (others.length === 0) return null;
  const named = others.slice(0, NAMED).map(({ id, phase }) => `${oneLine(id)} ${phase}`);
  const more = others.slice(NAMED);
  const what = more.every(({ phase }) => hasEnded(phase)) ? ' ended' : '';
  return `${[...named, ...(more.length > 0 ? [`${more.length} more${what}`] : [])].join(', ')} (npx perpetua list)`;
}
