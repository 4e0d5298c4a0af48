import { curveBudget } from '../abort/settings.ts';
import { isInUse } from '../fleet/lendable-slots.ts';
import type { Task } from '../task/task.ts';
import type { Failure, FailureLabel } from '../trial.ts';
import { type ReportedEnd, isContended, lackedCore } from '../trial/outcome.ts';
import { type HostFaultCode, hostFaultOf } from './host-fault.ts';

/**
 * The party that an end is held against, which decides what follows:
 * - `candidate`: the end counts as its failure.
 * - `host`: the run is lost and placed once more; {@link HOST_AFTER} says what becomes of the host.
 * - `platform`: runs stood in each other's way, or we failed. The work is repeated; no host answers for it.
 * - `nobody`: the run ended well, or a person or a rule stopped it.
 */
export type Party = 'candidate' | 'host' | 'platform' | 'nobody';

/** Why a host answers for a lost run. */
export type HostCause = 'no-end' | 'killed' | 'answer-killed' | 'damaged' | 'rebooted' | 'lacking' | 'in-use';

/** `words`: for people, and stored with the run. */
export interface HostFailure {
  party: 'host';
  cause: HostCause;
  words: string;
}
export type Attribution = HostFailure | { party: Exclude<Party, 'host'> };

/**
 * What becomes of a host that lost a run:
 * - `suspected`: it serves on; the next loss without a good end in between takes it out.
 * - `serves`: it serves on.
 * - `alerts`: it serves on, and a person hears of it: what damaged a workspace may do it again.
 * - `slot-rests`: the slot alone is not lent until a probe finds its GPU free.
 * - `rests`: it lends nothing until a probe finds what it lacks.
 */
export const HOST_AFTER = {
  'no-end': 'suspected',
  killed: 'suspected',
  'answer-killed': 'suspected',
  damaged: 'alerts',
  rebooted: 'serves',
  lacking: 'rests',
  'in-use': 'slot-rests',
} as const satisfies Record<HostCause, string>;

/** Why a run is lost, unless its supervisor said so. */
export const NO_END = 'its supervisor left no end';
const WORDS = {
  'no-end': NO_END,
  killed: 'somebody killed it',
  'answer-killed': 'somebody killed the program that answers its evaluator, its supervisor or its connection',
  rebooted: 'its machine was booted since the run began',
} as const;
const DAMAGED = 'its workspace on the machine was damaged by something else, and is staged anew: ';
const ASIDE = 'it was taken out of its place while the run went on';

const CANDIDATE = { party: 'candidate' } as const;
const NOBODY = { party: 'nobody' } as const;
const PLATFORM = { party: 'platform' } as const;
const ofHost = (cause: keyof typeof WORDS): HostFailure => ({ party: 'host', cause, words: WORDS[cause] });
const damagedBy = (what: string): HostFailure => ({ party: 'host', cause: 'damaged', words: DAMAGED + what });
/** A host that lacks something, or whose GPU somebody else uses, in the words of a probe. */
export const hostShortageFailure = (words: string): HostFailure => ({
  party: 'host',
  cause: isInUse(words) ? 'in-use' : 'lacking',
  words,
});

/** What is known of a run that ended. */
export interface EndFacts {
  task: Pick<Task, 'run' | 'progress'>;
  end: ReportedEnd & {
    missing: readonly string[];
    sandboxed: boolean;
    /** What is wrong with the workspace that the run was made from. */
    damaged?: string;
    /** True if that workspace was moved away before the run ended. */
    aside?: boolean;
    /** True if the host was booted since the run began. */
    rebooted?: boolean;
  };
  /** The decision to stop the run. */
  stop: Failure | null;
  /** What the host lacks now: room on its disk, a GPU, or that nobody else used it. */
  lacks: string | null;
}

interface Row<F> {
  holds: (facts: F) => boolean;
  fault: (facts: F) => Attribution;
}

/** Stops that are no failure. */
const NO_FAILURE: ReadonlySet<FailureLabel> = new Set(['cannot-win', 'stopped-by-operator']);
/** Stops for what the run itself printed. A host that dies before such a stop is carried out changes nothing. */
const PRINTED: ReadonlySet<FailureLabel> = new Set(['cannot-win', 'not-finite', 'diverged']);

const partyOfStop = ({ label }: Failure): Attribution => (NO_FAILURE.has(label) ? NOBODY : CANDIDATE);

/** Fault of an end: the first row that holds. */
const ENDS: readonly Row<EndFacts>[] = [
  // A shutdown of the machine, or a person with a shell.
  { holds: ({ end, stop }) => end.reason === 'killed' && stop === null, fault: () => ofHost('killed') },
  // A damaged workspace spoils a good score, too.
  {
    holds: ({ end, stop }) => end.damaged !== undefined && !(stop !== null && NO_FAILURE.has(stop.label)),
    fault: ({ end }) => damagedBy(end.damaged ?? ''),
  },
  // A sandbox keeps what it shows; without one the folders were gone.
  {
    holds: (facts) => hostMayMake(facts) && facts.end.aside === true && !facts.end.sandboxed,
    fault: () => damagedBy(ASIDE),
  },
  // A shutdown ends programs as they would end themselves, and the disk may have lost their last files.
  { holds: (facts) => hostMayMake(facts) && facts.end.rebooted === true, fault: () => ofHost('rebooted') },
  {
    holds: (facts) => hostMayMake(facts) && facts.lacks !== null,
    fault: ({ lacks }) => hostShortageFailure(lacks ?? ''),
  },
  { holds: wasContended, fault: () => PLATFORM },
  { holds: ({ stop }) => stop !== null, fault: ({ stop }) => (stop ? partyOfStop(stop) : NOBODY) },
  { holds: ({ end }) => end.reason === 'exit' && end.exitCode === 0 && end.missing.length === 0, fault: () => NOBODY },
  { holds: () => true, fault: () => CANDIDATE },
];

/** Whose fault the end of a run is. */
export const attributeEnd = (facts: EndFacts): Attribution => firstOf(ENDS, facts);

/** True if what the host lacks decides about this end. Only then the host is probed. */
export const hostDecides = (facts: Omit<EndFacts, 'lacks'>): boolean =>
  isLacking(attributeEnd({ ...facts, lacks: '' }));

/** True if a failing host can make such an end, too. A limit that the run exceeded is its own doing. */
function hostMayMake({ end, stop }: EndFacts): boolean {
  if (end.reason === 'exit') return end.exitCode !== 0 || end.missing.length > 0;
  return (
    end.reason === 'wall' || (end.reason === 'killed' && (stop?.label === 'stalled' || stop?.label === 'too-slow'))
  );
}

/**
 * True if others kept a run of CPU time from its core, so that its end says nothing of it. A stop by the clock is then a
 * consequence of that; any other stop would have come on a core of its own, too.
 */
function wasContended({ task, end, stop }: EndFacts): boolean {
  if (task.run.budget.kind !== 'cpu') return false;
  return stop === null ? isContended(end) : isByClock(task, stop) && lackedCore(end);
}

/** True if the stop depends on how long the run took. */
function isByClock(task: EndFacts['task'], { label }: Failure): boolean {
  if (label === 'cannot-win') return curveBudget(task)?.kind === 'seconds';
  return label === 'too-slow' || label === 'stalled';
}

/** What is known of a run of which no end will come. */
export interface LossFacts extends Pick<EndFacts, 'task' | 'stop'> {
  /** True if the host was reached, and nothing of the run lives there any more. */
  gone: boolean;
}

/**
 * Whose fault a loss is. A stop for what the run printed stands, unless the run may live on, or the clock decided and nobody
 * can say if the run had its core.
 */
export function attributeLoss({ task, stop, gone }: LossFacts): Attribution {
  const isPrinted = stop !== null && PRINTED.has(stop.label);
  const mayBeContended = stop !== null && task.run.budget.kind === 'cpu' && isByClock(task, stop);
  return stop !== null && gone && isPrinted && !mayBeContended ? partyOfStop(stop) : ofHost('no-end');
}

/** What is known of an evaluation for which a program of the candidate answered on the host. */
export interface AnswerFacts {
  /** Label of the failed score; null: it went well. */
  failure: FailureLabel | null;
  /** How the answering program ended; null: unknown. */
  talk: { reason: ReportedEnd['reason']; endedBy?: string; rebooted?: boolean } | null;
  lacks: string | null;
}

/** Limits that the answering program itself exceeded. */
const OWN_LIMITS: ReadonlySet<FailureLabel> = new Set([
  'output-limit',
  'cpu-time',
  'out-of-memory',
  'too-many-processes',
  'disk-limit',
]);

/** Fault of a failed evaluation: the first row that holds. */
const ANSWERS: readonly Row<AnswerFacts>[] = [
  { holds: ({ failure }) => failure === null, fault: () => NOBODY },
  { holds: ({ failure }) => failure !== null && OWN_LIMITS.has(failure), fault: () => CANDIDATE },
  { holds: ({ failure }) => failure === 'evaluator-changed', fault: () => PLATFORM },
  { holds: ({ talk }) => talk?.rebooted === true, fault: () => ofHost('rebooted') },
  { holds: ({ lacks }) => lacks !== null, fault: ({ lacks }) => hostShortageFailure(lacks ?? '') },
  // A program without a sandbox or a user of its own may have done it itself. Nobody can say: the run is lost, as one whose
  // supervisor left no end.
  {
    holds: ({ talk }) => talk === null || (talk.reason === 'killed' && talk.endedBy === undefined),
    fault: () => ofHost('answer-killed'),
  },
  { holds: () => true, fault: () => CANDIDATE },
];

/** Whose fault a failed evaluation is. */
export const attributeAnswer = (facts: AnswerFacts): Attribution => firstOf(ANSWERS, facts);

/** True if what the host lacks decides about this evaluation. */
export const hostDecidesAnswer = (facts: Omit<AnswerFacts, 'lacks'>): boolean =>
  isLacking(attributeAnswer({ ...facts, lacks: '' }));

function firstOf<F>(rows: readonly Row<F>[], facts: F): Attribution {
  const row = rows.find(({ holds }) => holds(facts));
  if (!row) throw new Error('expected a last row that always holds; got none');
  return row.fault(facts);
}

const isLacking = (fault: Attribution): boolean => fault.party === 'host' && fault.cause === 'lacking';

/** The party that an error is held against. `task`: this host lacks what the task asks for; another host may take it. */
export type ErrorParty = Party | 'task';

/** Whose fault an error on a host is. `nobody`: the work is repeated, here or by a worker that knows the host. */
export const PARTY_OF_FAULT = {
  'host-unreachable': 'host',
  'host-key': 'host',
  'host-auth': 'host',
  'host-config': 'host',
  'host-unusable': 'host',
  'run-gone': 'host',
  'host-unknown': 'nobody',
  'slot-taken': 'nobody',
  'stage-missing': 'nobody',
  'talk-replaced': 'nobody',
  'no-sandbox': 'task',
  'cannot-show': 'task',
  'setup-failed': 'task',
} as const satisfies Record<HostFaultCode, ErrorParty>;

/** The same for failures of a launch that have a type and no code. */
export const PARTY_OF_TYPE = {
  WorkspaceNotKept: 'host',
  SetupFailedError: 'task',
  TooLittleMemory: 'task',
  ToolsMissing: 'task',
} as const satisfies Record<string, ErrorParty>;

/** The type of a failure of a launch; null for any other error. */
export function launchFailureOf(error: unknown): keyof typeof PARTY_OF_TYPE | null {
  const type = error instanceof Error && 'type' in error ? String(error.type) : '';
  return Object.hasOwn(PARTY_OF_TYPE, type) ? (type as keyof typeof PARTY_OF_TYPE) : null;
}

/** Whose fault an error is. */
export function attributeError(error: unknown): ErrorParty {
  const fault = hostFaultOf(error);
  if (fault) return PARTY_OF_FAULT[fault.code];
  const type = launchFailureOf(error);
  return type === null ? 'platform' : PARTY_OF_TYPE[type];
}

/** The words of a host that failed; null for any other error. */
export function failedHost(error: unknown): string | null {
  const fault = hostFaultOf(error);
  return fault && PARTY_OF_FAULT[fault.code] === 'host' ? fault.message : null;
}
