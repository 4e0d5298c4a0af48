import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatCount } from '../../../domain/text/format.ts';
import { plural } from '../../../domain/text/plural.ts';
import type { TrialKind } from '../../../domain/trial.ts';
import { hasEnded } from '../../phase.ts';
import type { StatusView } from '../../status.ts';
import { describeRace } from '../../trial/verdict.ts';
import { describeQueue } from '../../wait.ts';

/** Facts about a research's next steps that its status does not have. */
export interface NextFacts {
  /** Number of runs that wait for a trial number, by kind. */
  wanted: Partial<Record<TrialKind, number>>;
  /** Description of the limit that is reached first at the current pace; null if none will be. */
  end: string | null;
}

/** Describes the next steps of a research in short sentences; for an ended research, the way to continue it. */
export function describeNext(status: StatusView, { wanted, end }: NextFacts): string[] {
  const { phase, reason } = status;
  if (phase === 'failed') return [`The research has failed${because(reason)}. ${RESTART}`];
  if (hasEnded(phase)) return [`The research has ended${because(reason)}. ${RESTART}`];
  if (phase === 'stopping') return ['The research ends when the trials under way have ended.'];
  const lines = [
    ...held(status),
    ...status.races.map((race) => sentence(describeRace(race))),
    ...wantedLines(wanted),
    ...leadLine(status),
    ...proposals(status),
    ...learning(status),
  ];
  if (status.queue !== null) lines.push(sentence(describeQueue(status.queue)));
  if (end !== null) lines.push(sentence(end));
  return lines;
}

const RESTART = 'To continue it, start it again under the same id.';
const because = (reason: string | null): string => (reason === null || reason === '' ? '' : `: ${oneLine(reason)}`);
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

/** The reason why nothing new starts. */
function held({ phase, reason }: StatusView): string[] {
  if (phase === 'paused') return ['No new trial starts until you resume the research.'];
  return phase === 'waiting' ? [`The research waits${because(reason)}.`] : [];
}

const WANTED: Record<TrialKind, readonly [one: string, several: string]> = {
  search: ['proposal', 'proposals'],
  injected: ['injected proposal', 'injected proposals'],
  baseline: ['run of the unmodified version', 'runs of the unmodified version'],
  confirm: ['run that confirms a claim', 'runs that confirm a claim'],
  remeasure: ['run of a known candidate', 'runs of known candidates'],
  evaluation: ['sample of an evaluation', 'samples of evaluations'],
  ablation: ['run of an ablation', 'runs of ablations'],
};

function wantedLines(wanted: NextFacts['wanted']): string[] {
  const parts = Object.entries(wanted).flatMap(([kind, n]) =>
    n ? [`${n} ${WANTED[kind as TrialKind][n === 1 ? 0 : 1]}`] : [],
  );
  return parts.length === 0 ? [] : [sentence(`next: ${parts.join(', ')}`)];
}

function leadLine({ lead }: StatusView): string[] {
  if (lead === null) return [];
  const name = lead.trialId === null ? 'the unmodified version' : `#${lead.trialId.split('/').at(-1) ?? ''}`;
  return [sentence(`the lead is ${name}; ${lead.waitsFor ?? 'its race against the best starts next'}`)];
}

/** The number of trials that may be under way at once, and the number that are left. */
function proposals({ window, phase, budget }: StatusView): string[] {
  if (phase !== 'running' || window === null) return [];
  const { spent, limit } = budget.trials;
  const remaining =
    limit === null ? '' : `; ${formatCount(Math.max(0, limit - spent))} of ${formatCount(limit)} trials are left`;
  const underWay = `${plural(window, 'trial')} ${window === 1 ? 'is' : 'are'} under way`;
  return [`New proposals start while fewer than ${underWay}${remaining}.`];
}

function learning({ learning: view }: StatusView): string[] {
  if (view === null || view.halted !== null || view.pinned) return [];
  if (view.update !== null)
    return [`Update ${view.update.k} of the policy is ${view.update.begunAt === null ? 'due' : 'under way'}.`];
  if (view.batch === null) return [];
  const { k, ended, of } = view.batch;
  return [`Update ${k} of the policy is due when ${of} samples have ended; ${ended} have ended so far.`];
}
