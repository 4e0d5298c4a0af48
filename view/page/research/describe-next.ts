import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatCount } from '../../../domain/text/format.ts';
import { plural } from '../../../domain/text/plural.ts';
import type { TrialKind } from '../../../domain/trial.ts';
import { hasEnded } from '../../phase.ts';
import type { StatusView } from '../../status.ts';
import { describeRace } from '../../verdict.ts';
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
  if (phase === 'failed') return [`It has failed${because(reason)}. A start of the same id goes on with it.`];
  if (hasEnded(phase)) return [`It has ended${because(reason)}. A start of the same id goes on with it.`];
  if (phase === 'stopping') return [`It ends when what runs has finished.`];
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

const because = (reason: string | null): string => (reason === null || reason === '' ? '' : `: ${oneLine(reason)}`);
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

/** The reason why nothing new starts. */
function held({ phase, reason }: StatusView): string[] {
  if (phase === 'paused') return ['Nothing new starts until somebody resumes it.'];
  return phase === 'waiting' ? [`It waits${because(reason)}.`] : [];
}

const WANTED: Record<TrialKind, readonly [one: string, several: string]> = {
  search: ['proposal', 'proposals'],
  injected: ["proposal of a person's", "proposals of a person's"],
  baseline: ['run of the unmodified version', 'runs of the unmodified version'],
  confirm: ['run that confirms a claim', 'runs that confirm a claim'],
  remeasure: ['run that measures again', 'runs that measure again'],
};

function wantedLines(wanted: NextFacts['wanted']): string[] {
  const parts = Object.entries(wanted).flatMap(([kind, n]) =>
    n ? [`${n} ${WANTED[kind as TrialKind][n === 1 ? 0 : 1]}`] : [],
  );
  return parts.length === 0 ? [] : [sentence(`next in turn: ${parts.join(', ')}`)];
}

function leadLine({ lead }: StatusView): string[] {
  if (lead === null) return [];
  const name = lead.trialId === null ? 'the lead' : `the lead, #${lead.trialId.split('/').at(-1) ?? ''},`;
  const race = lead.waitsFor === null ? 'is raced against the best next' : `waits with its race for ${lead.waitsFor}`;
  return [sentence(`${name} ${race}`)];
}

/** The number of trials that may be under way at once, and the number that are left. */
function proposals({ window, phase, budget }: StatusView): string[] {
  if (phase !== 'running' || window === null) return [];
  const { spent, limit } = budget.trials;
  const remaining =
    limit === null ? '' : `; ${formatCount(Math.max(0, limit - spent))} of ${formatCount(limit)} trials are left`;
  const underWay = `${plural(window, 'trial')} ${window === 1 ? 'is' : 'are'} under way`;
  return [`New ideas are tried while fewer than ${underWay}${remaining}.`];
}

function learning({ learning: view }: StatusView): string[] {
  if (view === null || view.halted !== null || view.pinned) return [];
  if (view.update !== null)
    return [`Update ${view.update.k} of the policy is ${view.update.begunAt === null ? 'due' : 'under way'}.`];
  if (view.batch === null) return [];
  const { k, ended, of } = view.batch;
  return [`Version ${k} of the policy is made when ${of} samples have ended; ${ended} have.`];
}
