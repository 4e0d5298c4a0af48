import type { AttackRow } from '../../domain/attack/report-attacks.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { plural } from '../../domain/text/plural.ts';
import { columns } from './text/text.ts';

const WHY = 160;

/** The table: attack, what is expected, what was seen, the verdict, and why where that is not plain. */
export function renderAttacks(rows: readonly AttackRow[]): string[] {
  const table = rows.map(({ attack, expected, seen, verdict, why }) => [
    attack,
    seen.length === 0 ? '–' : expected[0] === undefined ? '–' : shortened(expected),
    seen.length === 0 ? '–' : [...new Set(seen)].join(', '),
    verdict,
    oneLine(why),
  ]);
  return [
    ...columns([['attack', 'expected', 'seen', 'verdict', ''], ...table], [40, 40, 40, 20, WHY]),
    '',
    tally(rows),
  ];
}

const shortened = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} or ${others.length === 1 ? others[0] : `${others.length} more`}`;

/** How many held, and what did not. */
export function tally(rows: readonly AttackRow[]): string {
  const count = (verdict: AttackRow['verdict']): number => rows.filter((row) => row.verdict === verdict).length;
  return [
    `${plural(count('held'), 'attack')} held`,
    `${count('BROKEN')} broken`,
    `${count('unknown')} unknown`,
    `${count('not applicable')} not applicable`,
  ].join(', ');
}
