import { howMany } from '../../domain/how-many.ts';
import type { Report } from '../../domain/gate/gate.ts';
import type { Status } from '../../db/reads/read-status.ts';
import { formatDigits, formatResult, formatSeconds, formatSigned, formatValue } from './number.ts';

/** How much better the best is than the baseline; positive is better whatever the direction. Null without both. */
function gainOf(status: Status): { value: number; inSd: number | null } | null {
  const { best, baseline, metric } = status;
  if (!best || !baseline) return null;
  const value = metric.direction === 'minimize' ? baseline.value - best.value : best.value - baseline.value;
  return { value, inSd: baseline.sd !== null && baseline.sd > 0 ? value / baseline.sd : null };
}

/** The best in words: its value, its trial, and the gain in sd of one run. */
export function describeBest(status: Status, unit: string): string {
  const { best, baseline } = status;
  if (!best) return 'not measured yet';
  const gain = gainOf(status);
  const value = `${formatResult(best.value, baseline?.sd)}${unit}${describeTrust(best)}`;
  const left = describeDistance(status);
  if (!gain || gain.value === 0) return `${value}  the unmodified workspace, so far${left}`;
  const sds = gain.inSd === null ? '' : ` = ${inSds(gain.inSd)} of one run`;
  return `${value}  ${best.trialId ?? best.candidateId.slice(0, 12)} · gain ${formatSigned(gain.value, baseline?.sd)}${sds}${left}`;
}

/** How far the best is from the best possible value; nothing where that is not known. */
function describeDistance({ best, baseline, metric }: Status): string {
  if (!best || metric.optimum === null) return '';
  const side = metric.direction === 'minimize' ? 'above' : 'below';
  return ` · ${formatResult(Math.abs(best.value - metric.optimum), baseline?.sd)} ${side} the optimum`;
}

/** Where the search stands ahead of the best, in words; null where it stands there. */
export function describeLead({ lead, baseline, phase }: Status, unit: string): string | null {
  if (!lead) return null;
  const name = lead.trialId ?? lead.candidateId.slice(0, 12);
  // Runs of its race, in place of its own: it is another number than the log has for that trial.
  const of = lead.n === 1 ? 'one run' : `mean of ${lead.n} runs`;
  const estimate = lead.estimate === null ? '' : `, estimated at ${formatResult(lead.estimate, baseline?.sd)}`;
  const value = `${formatResult(lead.value, baseline?.sd)}${unit}${describeTrust(lead)}  ${name} · ${of}${estimate}, not confirmed`;
  if (phase === 'stopped' || phase === 'failed') return value; // nothing races any more
  return `${value}; ${lead.waitsFor === null ? 'its race comes next' : `its race waits for ${lead.waitsFor}`}`;
}

/** The gain as the gate believes it, beside the best single run, which selection has made too good. */
export function describeReport({ claim, raw }: Report, sd: number | null): string {
  const parts: string[] = [];
  if (claim && claim.gain !== 0) {
    const interval =
      claim.high > claim.low ? ` (95 %: ${formatSigned(claim.low, sd)} to ${formatSigned(claim.high, sd)})` : '';
    parts.push(`${formatSigned(claim.gain, sd)}${interval} corrected for selection`);
  }
  // The best of few may be worse than what it started from: no gain at all.
  if (raw && raw.gain > 0 && raw.candidateId !== claim?.candidateId)
    parts.push(`best single run ${formatResult(raw.value, sd)} (#${raw.n}), not confirmed by itself`);
  return parts.join(' · ') || 'none yet';
}

/** The baseline in words: its mean, the noise of one run, how many runs. */
export function describeBaseline(status: Status, unit: string): string {
  const { baseline } = status;
  if (!baseline) return 'not measured yet';
  return `${formatResult(baseline.value, baseline.sd)}${unit}${describeTrust(baseline)}  sd of one run ${formatValue(baseline.sd)} (${howMany(baseline.n, 'run')})`;
}

/** Times of the baseline that are no difference: what a machine does otherwise changes as much. */
const AS_LONG = 0.1;

/** What a run of the best takes where it is not what one of the baseline takes: a gain may be bought with time. */
export function describeTime({ best, baseline }: { best: number; baseline: number }): string | null {
  if (!(baseline > 0) || Math.abs(best / baseline - 1) < AS_LONG) return null;
  const times = best / baseline;
  return `${formatSeconds(best)} a run: ${times < 0.95 ? times.toFixed(2) : formatDigits(times)} × the baseline's time`;
}

/** What is said beside a score that the candidate could have written itself. */
export const describeTrust = ({ trusted }: { trusted: boolean | null }): string =>
  trusted === false ? ' untrusted' : '';

const inSds = (gain: number): string => `${gain > 0 ? '+' : ''}${formatDigits(gain)} sd`;
