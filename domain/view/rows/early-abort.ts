import { finePercent, formatSeconds, percent } from '../../text/format.ts';
import { plural } from '../../text/plural.ts';
import type { AbortTally, CarriedFacts } from '../../abort/audit/tally.ts';

/** Width from which an interval says nothing: of 30 without a wrong one it ends at 12 %. */
const WIDE = 0.1;

/**
 * "12 runs stopped, 3 h of slots saved; audited 30, 1 of them wrong (0.1 % to 17.2 %); weighted, 3.3 % of would-be stops end
 * well (at least 0.1 %) and 10 % of runs that end well are lost (0.5 % to 40 %): above target", or while there are too few:
 * "12 runs stopped, 3 h of slots saved; audits: 1 of 30 ended well, so under 15 % of its stops are wrong".
 */
export const describeAbort = (tally: AbortTally): string =>
  [describeStops(tally), ...(tally.carried === null ? [] : [describeCarried(tally.carried)])].join('; ');

/** Whether there is anything to say of it. */
export const isTold = (tally: AbortTally | null): tally is AbortTally =>
  tally !== null && (tally.carried !== null || tally.stopped + tally.audit.audited > 0);

/** "120 curves of 3 earlier researches are compared with", or what keeps them from it. */
function describeCarried({ curves, researches, tested, dropped }: CarriedFacts): string {
  const of = researches === 1 ? '1 earlier research' : `${researches} earlier researches`;
  const what = `${plural(curves, 'curve')} of ${of}`;
  if (dropped !== null) return `${what} are dropped: ${dropped}`;
  return tested ? `${what} are compared with` : `${what} wait for the baseline runs to test them`;
}

function describeStops({ stopped, savedSeconds, audit }: AbortTally): string {
  const saved = stopped === 0 ? '' : `, ${formatSeconds(savedSeconds)} of slots saved`;
  const runs = `${plural(stopped, 'run')} stopped${saved}`;
  if (audit.audited === 0) return `${runs}; none audited yet`;
  const interval = `(${finePercent(audit.low)} to ${finePercent(audit.high)})`;
  if (audit.verdict === 'too few to say') {
    const seen = `audits: ${audit.wrong} of ${audit.audited} ended well`;
    return audit.high - audit.low > WIDE
      ? `${runs}; ${seen}, so under ${percent(audit.under)} of its stops are wrong`
      : `${runs}; ${seen} ${interval}, too few to say whether that is within the target`;
  }
  const direct = `audited ${audit.audited}, ${audit.wrong || 'none'} of them wrong ${interval}`;
  return `${runs}; ${direct}; weighted, ${describeWeighted(audit)}: ${VERDICT[audit.verdict]}`;
}

const VERDICT = {
  'below target': 'below target',
  'wrong stops below target': 'wrong stops are below target, too few runs end well to say it of these',
  'above target': 'above target',
};

function describeWeighted({ wrongStops, wrongStopsLow, ...lost }: AbortTally['audit']): string {
  const wrong = `${finePercent(wrongStops ?? 0)} of would-be stops end well (at least ${finePercent(wrongStopsLow)})`;
  if (lost.falseAborts === null) return wrong;
  const [low, high] = [lost.falseAbortsLow, lost.falseAbortsHigh].map(finePercent);
  return `${wrong} and ${finePercent(lost.falseAborts)} of runs that end well are lost (${low} to ${high})`;
}
