import type { GainReport } from '../domain/gate/gate.ts';
import { formatResult, formatSigned, unitText } from '../domain/text/format.ts';
import { describeArms } from './rows/arms.ts';
import { describeBaseline, lacksBaseline } from './rows/baseline.ts';
import { describeSource } from './rows/gain-source.ts';
import { describeBest } from './rows/best.ts';
import { describeBudget } from './budget.ts';
import { describeAbort, isAbortShown } from './rows/early-abort.ts';
import { describeOwnSettings } from './rows/own-settings.ts';
import { describeLearning } from './policy/learning.ts';
import { describeRates } from './rows/rates.ts';
import { describeSpend } from './spend.ts';
import type { StatusPart } from './status.ts';
import { describeCounts, describeTrials } from './trials.ts';
import { hasEnded } from './phase.ts';
import { describeOutside, describeTrust } from './trial/verdict.ts';

/** A row of a status: a label and its text. */
export type StatusRow = [label: string, text: string];

type Shown = Pick<StatusPart, 'lead' | 'baseline' | 'phase' | 'unit'>;

/** Describes the lead; null if the lead is the best. */
export function describeLead({ lead, baseline, phase, unit }: Shown): string | null {
  if (!lead) return null;
  const name = lead.trialId ?? lead.candidateId.slice(0, 12);
  // The mean may include runs of its race, so that it differs from the trial's value in the log.
  const runs = lead.n === 1 ? 'one run' : `mean of ${lead.n} runs`;
  const estimate = lead.estimate === null ? '' : `, estimated at ${formatResult(lead.estimate, baseline?.sd)}`;
  const marks = `${describeTrust(lead)}${describeOutside(lead)}`;
  const measured = `${formatResult(lead.value, baseline?.sd)}${unitText(unit)}${marks}`;
  const value = `${measured}  ${name} · ${runs}${estimate}, not confirmed`;
  if (phase && hasEnded(phase)) return value; // an ended research starts no race
  return `${value}; ${lead.waitsFor ?? 'its race starts next'}`;
}

/** The rows of a status, which are the same on every surface. A row without its data is left out. */
export function statusRows(part: StatusPart): StatusRow[] {
  const { own, best, baseline, trials, verdicts, spend, budget, phase, rates, learning } = part;
  const earlyAbort = part.earlyAbort ?? null;
  const rows: [string, string | null][] = [
    ['best', best === undefined ? null : describeBest(part)],
    ['gain', gainText(part)],
    ['claim', best?.basis ?? null],
    ['known', describeKnown(part)],
    ['lead', describeLead(part)],
    ['baseline', baseline === undefined ? null : describeBaseline(part)],
    ['trials', trials ? describeTrials(trials) : null],
    ['verdicts', verdicts ? describeCounts(verdicts) : null],
    ['spend', (spend && describeSpend(spend)) || null],
    ['model', rates ? describeRates(rates) : null],
    ['budget', budget && phase ? describeBudget(budget, phase) : null],
    ['set', own ? describeOwnSettings(own.overrides) : null],
    ['arms', part.arms ? describeArms(part.arms) : null],
    ['policy', learning ? describeLearning(learning) : null],
    ['aborts', isAbortShown(earlyAbort) ? describeAbort(earlyAbort) : null],
  ];
  return rows.flatMap(([label, text]) => (text === null ? [] : [[label, text]]));
}

/** The values that the task states for comparison, in its order. */
function describeKnown({ metric, baseline }: StatusPart): string | null {
  const known = metric?.known ?? [];
  return known.map(({ name, value }) => `${formatResult(value, baseline?.sd)} ${name}`).join(' · ') || null;
}

function gainText(part: StatusPart): string | null {
  const { gain, baseline } = part;
  if (!gain) return null;
  return lacksBaseline(part) ? 'unknown: there is no baseline' : describeGain(gain, baseline?.sd ?? null);
}

/** Describes the gain by the gate's estimate, and the best run of a proposal, which selection makes too good. */
export function describeGain({ claim, raw }: GainReport, sd: number | null): string {
  const parts: string[] = [];
  if (claim && claim.gain !== 0) {
    const interval =
      claim.high > claim.low ? ` (95 %: ${formatSigned(claim.low, sd)} to ${formatSigned(claim.high, sd)})` : '';
    parts.push(`${formatSigned(claim.gain, sd)}${interval} ${describeSource(claim)}`);
  }
  // The best of few proposals may be worse than the baseline, which is no gain.
  if (raw && raw.gain > 0 && raw.candidateId !== claim?.candidateId)
    parts.push(`best run of a proposal ${formatResult(raw.value, sd)} (#${raw.n}), not confirmed by itself`);
  return parts.join(' · ') || 'none yet';
}
