import { finePercent, formatSeconds, percent } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';
import type { AbortTally, CarriedFacts } from '../../domain/abort/audit/tally.ts';

/** Width above which an interval is too wide to show; 30 runs without a wrong stop give one up to 12 %. */
const WIDE = 0.1;

/**
 * Describes the results of early abort and its error: "12 runs stopped, 3 h of slots saved; audit: 6 runs that it would
 * have stopped went on, none of them would have won; with so few audits, up to 39 % of its stops may be wrong (95 %
 * confidence)".
 */
export function describeAbort(tally: AbortTally): string {
  const stops = describeStops(tally);
  return tally.carried === null ? stops : `${stops}; ${describeCarried(tally.carried)}`;
}

/** True if early abort has results to show. */
export const isAbortShown = (tally: AbortTally | null): tally is AbortTally =>
  tally !== null && (tally.carried !== null || tally.stopped + tally.audit.audited > 0);

/** Describes carried curves: "120 curves of 3 earlier researches are in use", or the reason why they are not. */
function describeCarried({ curves, researches, tested, dropped }: CarriedFacts): string {
  const source = researches === 1 ? '1 earlier research' : `${researches} earlier researches`;
  const subject = `${plural(curves, 'curve')} of ${source}`;
  if (dropped !== null) return `${subject} are dropped: ${dropped}`;
  return tested ? `${subject} are in use` : `${subject} wait for the baseline runs that test them`;
}

function describeStops({ stopped, savedSeconds, audit }: AbortTally): string {
  const saved = stopped === 0 ? '' : `, ${formatSeconds(savedSeconds)} of slots saved`;
  const runs = `${plural(stopped, 'run')} stopped${saved}`;
  if (audit.audited === 0) return `${runs}; error rate unknown: no audited run has ended yet`;
  const won = `${audit.wrong || 'none'} of them would have won`;
  const checked = `audit: ${plural(audit.audited, 'run')} that it would have stopped went on, ${won}`;
  const wrong = `${finePercent(audit.low)} to ${finePercent(audit.high)} of its stops are wrong (95 % interval)`;
  if (audit.verdict !== 'too few to say') {
    const weighted = `weighted by audit probability, ${describeWeighted(audit)}`;
    return `${runs}; ${checked}; ${wrong}; ${weighted}: ${VERDICT[audit.verdict]}`;
  }
  const upperLimit = `up to ${percent(audit.under)} of its stops may be wrong (95 % confidence)`;
  return audit.high - audit.low > WIDE
    ? `${runs}; ${checked}; with so few audits, ${upperLimit}`
    : `${runs}; ${checked}; ${wrong}; too few audits to compare that with the target`;
}

const VERDICT = {
  'below target': 'below target',
  'wrong stops below target': 'wrong stops are below target, and too few runs won to judge the lost winners',
  'above target': 'above target',
};

function describeWeighted({ wrongStops, wrongStopsLow, ...lost }: AbortTally['audit']): string {
  const wrong = `${finePercent(wrongStops ?? 0)} of its stops are wrong (at least ${finePercent(wrongStopsLow)})`;
  if (lost.falseAborts === null) return wrong;
  const [low, high] = [lost.falseAbortsLow, lost.falseAbortsHigh].map(finePercent);
  return `${wrong} and ${finePercent(lost.falseAborts)} of winners are lost (${low} to ${high})`;
}
