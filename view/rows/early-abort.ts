import { finePercent, formatSeconds, percent } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';
import type { AbortTally, CarriedFacts } from '../../domain/abort/audit/tally.ts';

/** Width above which an interval is too wide to show; 30 runs without a wrong stop give one up to 12 %. */
const WIDE = 0.1;

/**
 * Describes the results of early abort and its error: "12 runs stopped, 3 h of slots saved. Audit: 6 runs went on
 * although the rule wanted to stop them, and none of them beat the incumbent. With so few audits, up to 39 % of its
 * stops may be wrong (95 % confidence)".
 */
export function describeAbort(tally: AbortTally): string {
  const stops = describeStops(tally);
  return tally.carried === null ? stops : `${stops}. ${describeCarried(tally.carried)}`;
}

/** True if early abort has results to show. */
export const isAbortShown = (tally: AbortTally | null): tally is AbortTally =>
  tally !== null && (tally.carried !== null || tally.stopped + tally.audit.audited > 0);

/** Describes carried curves: "120 curves of 3 earlier researches are in use", or the reason why they are not. */
function describeCarried({ curves, researches, tested, dropped }: CarriedFacts): string {
  const source = researches === 1 ? '1 earlier research' : `${researches} earlier researches`;
  const subject = `${plural(curves, 'curve')} of ${source}`;
  if (dropped !== null) return `${subject} are dropped: ${dropped}`;
  return tested
    ? `${subject} are in use`
    : `${subject} are used after the first baseline runs, unless those runs deviate from them`;
}

function describeStops({ stopped, savedSeconds, audit }: AbortTally): string {
  const saved = stopped === 0 ? '' : `, ${formatSeconds(savedSeconds)} of slots saved`;
  const runs = `${plural(stopped, 'run')} stopped${saved}`;
  if (audit.audited === 0) return `${runs}. Error rate unknown: no audited run has ended yet`;
  const went = `Audit: ${plural(audit.audited, 'run')} went on although the rule wanted to stop them`;
  const checked = `${went}, and ${audit.wrong || 'none'} of them beat the incumbent`;
  const wrong = `${finePercent(audit.low)} to ${finePercent(audit.high)} of its stops are wrong (95 % interval)`;
  if (audit.verdict !== 'too few to say') {
    const weighted = `Weighted by audit probability, ${describeWeighted(audit)}`;
    return [runs, checked, wrong, `${weighted}: ${VERDICT[audit.verdict]}`].join('. ');
  }
  const upperLimit = `up to ${percent(audit.under)} of its stops may be wrong (95 % confidence)`;
  return audit.high - audit.low > WIDE
    ? [runs, checked, `With so few audits, ${upperLimit}`].join('. ')
    : [runs, checked, wrong, `Too few audits to compare that with ${TARGET}`].join('. ');
}

const TARGET = 'the target (abort.errorTarget)';

const VERDICT = {
  'below target': `below ${TARGET}`,
  'wrong stops below target': `wrong stops are below ${TARGET}, and too few runs won to judge the lost winners`,
  'above target': `above ${TARGET}`,
};

function describeWeighted({ wrongStops, wrongStopsLow, ...lost }: AbortTally['audit']): string {
  const wrong = `${finePercent(wrongStops ?? 0)} of its stops are wrong (at least ${finePercent(wrongStopsLow)})`;
  if (lost.falseAborts === null) return wrong;
  const [low, high] = [lost.falseAbortsLow, lost.falseAbortsHigh].map(finePercent);
  return `${wrong}, and ${finePercent(lost.falseAborts)} of winners are lost (${low} to ${high})`;
}
