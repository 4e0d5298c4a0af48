import type { Report } from '../../domain/gate/gate.ts';
import { formatResult, formatSigned } from '../../domain/text/format.ts';

/** The gain as the gate believes it, beside the best run of a proposal, which selection has made too good. */
export function describeGain({ claim, raw }: Report, sd: number | null): string {
  const parts: string[] = [];
  if (claim && claim.gain !== 0) {
    const interval =
      claim.high > claim.low ? ` (95 %: ${formatSigned(claim.low, sd)} to ${formatSigned(claim.high, sd)})` : '';
    parts.push(
      `${formatSigned(claim.gain, sd)}${interval} ${claim.corrected ? 'corrected for selection' : 'as measured'}`,
    );
  }
  // The best of few may be worse than what it started from: no gain at all.
  if (raw && raw.gain > 0 && raw.candidateId !== claim?.candidateId)
    parts.push(`best run of a proposal ${formatResult(raw.value, sd)} (#${raw.n}), not confirmed by itself`);
  return parts.join(' · ') || 'none yet';
}
