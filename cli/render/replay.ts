import { plural } from '../../domain/text/plural.ts';
import { UNDECIDED_ABOVE } from '../../domain/abort/replay/bound-false-aborts.ts';
import type { ReplayReport } from '../../domain/abort/replay/replay.ts';
import { ABORTS } from '../../domain/abort/table.ts';
import { choiceText } from '../../domain/method/axis.ts';
import { formatValue } from '../../domain/text/format.ts';
import { pad } from './text/text.ts';

const HEAD = ['rule', 'aborted', 'false aborts', 'of best tenth', 'time saved', 'gain', 'useful', 'regret'];

/** Results of replayed rules, one line each, with an explanation of the columns. */
export function renderReplay(reports: readonly ReplayReport[], curves: number): string[] {
  const rows = reports.map((report) => [
    labelOf(report),
    percent(report.aborted),
    `${percent(report.falseAborts)} (${verdict(report)}${range(report.falseAbortLower95, report.falseAbortUpper95)})`,
    `${percent(report.bestTenthAborts)} (${range(report.bestTenthLower95, report.bestTenthUpper95)})`,
    percent(report.savedShare),
    report.gain.toFixed(2),
    report.usefulGain.toFixed(2),
    formatValue(report.regret),
  ]);
  const lines = [HEAD, ...rows];
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const first = reports[0];
  const audited = reports.filter(({ aborted, wanted }) => aborted === 0 && wanted > 0).map(labelOf);
  return [
    `${plural(curves, 'curve')}, ${plural(first?.runs ?? 0, 'run')} replayed, ` +
      `${first?.wouldBeIncumbents ?? 0} of them would have become incumbent`,
    '',
    ...lines.map((line) =>
      line
        .map((cell, i) => pad(cell, widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    '',
    'false aborts: share of would-be incumbents that were stopped, ' +
      'with its lower and its upper 95 % limit over groups of curves.',
    'undecided: too few different would-be incumbents to prove a share of at most 4 %. ' +
      'above 4 %: the lower limit of the share is above 4 %.',
    ...auditLines(audited),
    ...tooFewLines(reports, curves),
    'gain: slot time without aborts over slot time with them; ' +
      'useful: the gain times the share of good runs that survive; ' +
      'regret: the difference between the best value found and the best of all.',
  ];
}

function auditLines(audited: readonly string[]): string[] {
  if (audited.length === 0) return [];
  return [
    `${audited.join(', ')} would have stopped runs, but the audit let them run on, ` +
      'and it switches off a rule that errs. To see the effect of stopping them: --audit-first 0',
  ];
}

/** Prefix of a range of false aborts. Too few groups cannot show a low share, but they can show a high one. */
function verdict({ undecided, falseAbortLower95 }: ReplayReport): string {
  if (!undecided) return '';
  return falseAbortLower95 > UNDECIDED_ABOVE ? `above ${100 * UNDECIDED_ABOVE} %, ` : 'undecided, ';
}

const labelOf = ({ rule, settings }: ReplayReport): string => choiceText({ name: rule, ...settings });

const tooFewLines = (reports: readonly ReplayReport[], curves: number): string[] =>
  [...new Set(reports.map(({ rule }) => rule))]
    .filter((rule) => curves <= ABORTS[rule].needsEnded)
    .map((rule) => `${rule} stops nothing before ${ABORTS[rule].needsEnded} runs have ended.`);

/** Two shares as a range in percent. A lower share of exactly 0 reads `0`, since 0.04 % reads `0.0`. */
const range = (low: number, high: number): string => `${low === 0 ? '0' : (100 * low).toFixed(1)} to ${percent(high)}`;

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
