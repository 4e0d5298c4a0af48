import { describeBaseline, lacksBaseline } from './rows/baseline.ts';
import { describeBest } from './rows/best.ts';
import { describeBudget } from './budget.ts';
import { describeAbort, isTold } from './rows/early-abort.ts';
import { describeGain } from './rows/gain.ts';
import { describeLead } from './rows/lead.ts';
import { describeOwnSettings } from './rows/own-settings.ts';
import { describeLearning } from './policy/learning.ts';
import { describeRates } from './rows/rates.ts';
import { describeSpend } from './spend.ts';
import type { StatusPart } from './status.ts';
import { describeCounts, describeTrials } from './trials.ts';

/** A label and its text. */
export type StatusRow = [label: string, text: string];

/** The rows of a status, as far as it is known: the same on every surface. */
export function statusRows(part: StatusPart): StatusRow[] {
  const { own, best, gain, baseline, trials, verdicts, spend, budget, phase, rates, earlyAbort, learning } = part;
  const told = earlyAbort ?? null;
  const rows: [string, string | null][] = [
    ['best', best === undefined ? null : describeBest(part)],
    [
      'gain',
      gain ? (lacksBaseline(part) ? 'unknown: there is no baseline' : describeGain(gain, baseline?.sd ?? null)) : null,
    ],
    ['lead', describeLead(part)],
    ['baseline', baseline === undefined ? null : describeBaseline(part)],
    ['trials', trials ? describeTrials(trials) : null],
    ['verdicts', verdicts ? describeCounts(verdicts) : null],
    ['spend', (spend && describeSpend(spend)) || null],
    ['model', rates ? describeRates(rates) : null],
    ['budget', budget && phase ? describeBudget(budget, phase) : null],
    ['set', own ? describeOwnSettings(own.overrides) : null],
    ['policy', learning ? describeLearning(learning) : null],
    ['aborts', isTold(told) ? describeAbort(told) : null],
  ];
  return rows.flatMap(([label, text]) => (text === null ? [] : [[label, text]]));
}
