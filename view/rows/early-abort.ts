import { finePercent, formatSeconds, percent } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';
import type { AbortTally, CarriedFacts } from '../../domain/abort/audit/tally.ts';

/** Width above which an interval is too wide to show; 30 runs without a wrong stop give one up to 12 %. */
const WIDE = 0.1;

/**
 * Describes the results of early abort and its error: "12 runs stopped, 3 h of slots saved; to check it, 6 runs that it
 * would have stopped ran on, and none of them would have won: with so few, up to 39 % of its stops may be wrong (95 %
 * sure)".
 */
export function describeAbort(tally: AbortTally): string {
  const stops = describeStops(tally);
  return tally.carried === null ? stops : `${stops}; ${describeCarried(tally.carried)}`;
}

/** True if early abort has results to show. */
export const isAbortShown = (tally: AbortTally | null): tally is AbortTally =>
  tally !== null && (tally.carried !== null || tally.stopped + tally.audit.audited > 0);

/** Describes carried curves: "120 curves of 3 earlier researches are compared with", or the reason why they are not. */
function describeCarried({ curves, researches, tested, dropped }: CarriedFacts): string {
  const source = researches === 1 ? '1 earlier research' : `${researches} earlier researches`;
  const subject = `${plural(curves, 'curve')} of ${source}`;
  if (dropped !== null) return `${subject} are dropped: ${dropped}`;
  return tested ? `${subject} are compared with` : `${subject} wait for the baseline runs to test them`;
}

function describeStops({ stopped, savedSeconds, audit }: AbortTally): string {
  const saved = stopped === 0 ? '' : `, ${formatSeconds(savedSeconds)} of slots saved`;
  const runs = `${plural(stopped, 'run')} stopped${saved}`;
  if (audit.audited === 0)
    return `${runs}; how often it is wrong is not known: no run that it would have stopped ran on`;
  const won = `${audit.wrong || 'none'} of them would have won`;
  const checked = `to check it, ${plural(audit.audited, 'run')} that it would have stopped ran on, and ${won}`;
  const wrong = `${finePercent(audit.low)} to ${finePercent(audit.high)} of its stops are wrong`;
  if (audit.verdict !== 'too few to say') {
    const weighted = `weighted by the chance to run on, ${describeWeighted(audit)}`;
    return `${runs}; ${checked}: ${wrong}; ${weighted}: ${VERDICT[audit.verdict]}`;
  }
  return audit.high - audit.low > WIDE
    ? `${runs}; ${checked}: with so few, up to ${percent(audit.under)} of its stops may be wrong (95 % sure)`
    : `${runs}; ${checked}: ${wrong}, too few runs to say whether that is within the target`;
}

const VERDICT = {
  'below target': 'below target',
  'wrong stops below target': 'wrong stops are below target, too few runs win to say it of these',
  'above target': 'above target',
};

function describeWeighted({ wrongStops, wrongStopsLow, ...lost }: AbortTally['audit']): string {
  const wrong = `${finePercent(wrongStops ?? 0)} of its stops are wrong (at least ${finePercent(wrongStopsLow)})`;
  if (lost.falseAborts === null) return wrong;
  const [low, high] = [lost.falseAbortsLow, lost.falseAbortsHigh].map(finePercent);
  return `${wrong} and ${finePercent(lost.falseAborts)} of winners are lost (${low} to ${high})`;
}
