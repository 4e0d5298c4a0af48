import type { AttackRow } from '../../domain/attack/report-attacks.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { plural } from '../../domain/text/plural.ts';
import { columns } from './text/text.ts';

const HEAD = ['attack', 'expected', 'seen', 'verdict', ''];
/** Widest cell of each column. */
const LIMITS = [40, 40, 40, 20, 160];

/** Table of the attacks, with a reason beside a verdict that needs one, and the counts of the verdicts. */
export function renderAttacks(rows: readonly AttackRow[]): string[] {
  const table = rows.map(({ attack, expected, seen, verdict, why }) => [
    attack,
    seen.length === 0 || expected[0] === undefined ? '–' : shortened(expected),
    seen.length === 0 ? '–' : [...new Set(seen)].join(', '),
    verdict,
    oneLine(why),
  ]);
  return [...columns([HEAD, ...table], LIMITS), '', tally(rows)];
}

function shortened([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  return `${first} or ${others.length === 1 ? others[0] : `${others.length} more`}`;
}

/** Counts of the verdicts, in words. */
export function tally(rows: readonly AttackRow[]): string {
  const count = (verdict: AttackRow['verdict']): number => rows.filter((row) => row.verdict === verdict).length;
  return [
    `${plural(count('held'), 'attack')} held`,
    `${count('BROKEN')} broken`,
    `${count('unknown')} unknown`,
    `${count('not applicable')} not applicable`,
  ].join(', ');
}
