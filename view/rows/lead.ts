import { formatResult, unitText } from '../../domain/text/format.ts';
import { hasEnded } from '../phase.ts';
import type { StatusPart } from '../status.ts';
import { describeTrust } from '../verdict.ts';

type Shown = Pick<StatusPart, 'lead' | 'baseline' | 'phase' | 'unit'>;

/** Where the search stands ahead of the best, in words; null where it stands there. */
export function describeLead({ lead, baseline, phase, unit }: Shown): string | null {
  if (!lead) return null;
  const name = lead.trialId ?? lead.candidateId.slice(0, 12);
  // Runs of its race, in place of its own: it is another number than the log has for that trial.
  const of = lead.n === 1 ? 'one run' : `mean of ${lead.n} runs`;
  const estimate = lead.estimate === null ? '' : `, estimated at ${formatResult(lead.estimate, baseline?.sd)}`;
  const measured = `${formatResult(lead.value, baseline?.sd)}${unitText(unit)}${describeTrust(lead)}`;
  const value = `${measured}  ${name} · ${of}${estimate}, not confirmed`;
  if (phase && hasEnded(phase)) return value; // nothing races any more
  return `${value}; ${lead.waitsFor === null ? 'its race comes next' : `its race waits for ${lead.waitsFor}`}`;
}
