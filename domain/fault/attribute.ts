import { curveBudget } from '../abort/settings.ts';
import { isInUse } from '../fleet/lendable-slots.ts';
import type { Task } from '../task/task.ts';
import type { Failure, FailureLabel } from '../trial.ts';
import { lackedCore, lackedTime, sharedCore } from '../trial/contention.ts';
import type { ReportedEnd } from '../trial/outcome.ts';
import { type HostFaultCode, hostFaultOf } from './host-fault.ts';

/**
 * The party that an end is held against, which decides what follows:
 * - `candidate`: the end counts as its failure.
 * - `host`: the run is lost and placed once more; {@link HOST_AFTER} gives the consequence for the host.
 * - `platform`: runs disturbed each other, or Perpetua failed. The work is repeated, and no host is blamed.
 * - `nobody`: the run ended well, or a person or a rule stopped it.
 */
export type Party = 'candidate' | 'host' | 'platform' | 'nobody';

/** Reason why a host is blamed for a lost run. */
export type HostCause = 'no-end' | 'killed' | 'answer-killed' | 'damaged' | 'rebooted' | 'lacking' | 'in-use';

/** A fault of a host. `words` is a text for people, stored with the run. */
export interface HostFailure {
  party: 'host';
  cause: HostCause;
  words: string;
}
export type Attribution = HostFailure | { party: Exclude<Party, 'host'> };

/**
 * Consequence for a host that lost a run:
 * - `suspected`: the host serves on; the next loss without a good end in between takes it out.
 * - `serves`: the host serves on.
 * - `alerts`: the host serves on, and an alert is raised, since the cause may damage a workspace again.
 * - `slot-rests`: only the slot is not lent until a probe finds its GPU free.
 * - `rests`: the host lends nothing until a probe finds what it lacks.
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

/** Reason of a loss if the supervisor reported no end. */
export const NO_END = 'the program that watches the run vanished (killed, or out of memory?)';
const WORDS = {
  'no-end': NO_END,
  killed: 'somebody killed the run',
  'answer-killed': 'somebody killed the answering program, the program that watches it, or the connection to it',
  rebooted: 'the machine rebooted during the run',
} as const;
const DAMAGED = 'another process changed the prepared files of the task on this host';
const REPAIR = 'They are copied again; find out what writes there';
const ASIDE = 'the workspace was moved away during the run';

const CANDIDATE = { party: 'candidate' } as const;
const NOBODY = { party: 'nobody' } as const;
const PLATFORM = { party: 'platform' } as const;
const ofHost = (cause: keyof typeof WORDS): HostFailure => ({ party: 'host', cause, words: WORDS[cause] });
const damagedBy = (what: string): HostFailure => ({
  party: 'host',
  cause: 'damaged',
  words: `${DAMAGED} (${what}). ${REPAIR}`,
});
/** Failure of a host that lacks something, or whose GPU is in use by others; `words` is the shortage from a probe. */
export const hostShortageFailure = (words: string): HostFailure => ({
  party: 'host',
  cause: isInUse(words) ? 'in-use' : 'lacking',
  words,
});

/** Facts about a run that ended. */
export interface EndFacts {
  task: Pick<Task, 'run' | 'progress'>;
  end: ReportedEnd & {
    missing: readonly string[];
    sandboxed: boolean;
    /** Damage of the workspace that the run was made from. */
    damaged?: string;
    /** True if that workspace was moved away before the run ended. */
    aside?: boolean;
    /** True if the host was booted since the run began. */
    rebooted?: boolean;
  };
  /** The decision to stop the run. */
  stop: Failure | null;
  /** The host's shortage now: room on its disk, a missing GPU, or a GPU in use by others; null: none. */
  lacks: string | null;
}

interface Row<F> {
  holds: (facts: F) => boolean;
  fault: (facts: F) => Attribution;
}

/** Stops that are no failure. */
const NO_FAILURE: ReadonlySet<FailureLabel> = new Set(['cannot-win', 'stopped-by-operator']);
/** Stops for output of the run itself. They hold even if the host dies before the stop is carried out. */
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
  // A sandbox keeps its mounts; without a sandbox the run lost its folders.
  {
    holds: (facts) => hostMayMake(facts) && facts.end.aside === true && !facts.end.sandboxed,
    fault: () => damagedBy(ASIDE),
  },
  // After a shutdown a program may seem to have ended by itself, and the disk may have lost its last files.
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

/** Attributes the end of a run to a party. */
export const attributeEnd = (facts: EndFacts): Attribution => firstOf(ENDS, facts);

/** True if a shortage of the host would decide about this end. Only then the host is probed. */
export const hostDecides = (facts: Omit<EndFacts, 'lacks'>): boolean =>
  isLacking(attributeEnd({ ...facts, lacks: '' }));

/** True if a failing host can also cause such an end. A limit that the run exceeded is its own doing. */
function hostMayMake({ end, stop }: EndFacts): boolean {
  if (end.reason === 'exit') return end.exitCode !== 0 || end.missing.length > 0;
  return (
    end.reason === 'wall' || (end.reason === 'killed' && (stop?.label === 'stalled' || stop?.label === 'too-slow'))
  );
}

/**
 * True if other processes kept a run from a CPU, so that its end says nothing about it. The backstop is the only sign
 * for all kinds of budget. The others hold only for CPU time, whose runs need a core of their own, and whose good ends
 * are subject to the same threshold as their stops by the clock. If only the stops had a threshold, a run on a shared
 * core could sleep to hide a bad result.
 */
function wasContended({ task, end, stop }: EndFacts): boolean {
  const needsCore = task.run.budget.kind === 'cpu';
  if (stop !== null) return needsCore && isByClock(task, stop) && lackedCore(end);
  return lackedTime(end) || (needsCore && sharedCore(end));
}

/** True if the stop depends on how long the run took. */
function isByClock(task: EndFacts['task'], { label }: Failure): boolean {
  if (label === 'cannot-win') return curveBudget(task)?.kind === 'seconds';
  return label === 'too-slow' || label === 'stalled';
}

/** Facts about a run whose end will never be reported. */
export interface LossFacts extends Pick<EndFacts, 'task' | 'stop'> {
  /** True if the host was reached, and nothing of the run lives there any more. */
  gone: boolean;
}

/**
 * Attributes a loss to a party. A stop for the run's own output holds, unless the run may still live, or the clock
 * decided and it is unknown if the run had its core.
 */
export function attributeLoss({ task, stop, gone }: LossFacts): Attribution {
  const isPrinted = stop !== null && PRINTED.has(stop.label);
  const mayBeContended = stop !== null && task.run.budget.kind === 'cpu' && isByClock(task, stop);
  return stop !== null && gone && isPrinted && !mayBeContended ? partyOfStop(stop) : ofHost('no-end');
}

/** Facts about an evaluation in which a program of the candidate answered on the host. */
export interface AnswerFacts {
  /** Label of the failed score; null: scored. */
  failure: FailureLabel | null;
  /** End of the answering program; null: unknown. */
  talk: { reason: ReportedEnd['reason']; endedBy?: string; rebooted?: boolean } | null;
  /** The host's shortage now, as in {@link EndFacts}. */
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
  // A program without a sandbox or a user of its own may have killed itself. That cannot be known, so the run is lost,
  // as if its supervisor had left no end.
  {
    holds: ({ talk }) => talk === null || (talk.reason === 'killed' && talk.endedBy === undefined),
    fault: () => ofHost('answer-killed'),
  },
  { holds: () => true, fault: () => CANDIDATE },
];

/** Attributes a failed evaluation to a party. */
export const attributeAnswer = (facts: AnswerFacts): Attribution => firstOf(ANSWERS, facts);

/** True if a shortage of the host would decide about this evaluation. */
export const hostDecidesAnswer = (facts: Omit<AnswerFacts, 'lacks'>): boolean =>
  isLacking(attributeAnswer({ ...facts, lacks: '' }));

function firstOf<F>(rows: readonly Row<F>[], facts: F): Attribution {
  const row = rows.find(({ holds }) => holds(facts));
  if (!row) throw new Error('expected a last row that always holds; got none');
  return row.fault(facts);
}

const isLacking = (fault: Attribution): boolean => fault.party === 'host' && fault.cause === 'lacking';

/** The party that an error is held against. `task`: this host lacks what the task needs; another host may have it. */
export type ErrorParty = Party | 'task';

/** Party of each fault of a host. `nobody`: the work is repeated, here or by a worker that knows the host. */
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

/** Party of each failure of a launch that has a type and no code. */
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

/** Attributes an error to a party. */
export function attributeError(error: unknown): ErrorParty {
  const fault = hostFaultOf(error);
  if (fault) return PARTY_OF_FAULT[fault.code];
  const type = launchFailureOf(error);
  return type === null ? 'platform' : PARTY_OF_TYPE[type];
}

/** Message of an error that is a fault of the host; null for any other error. */
export function failedHost(error: unknown): string | null {
  const fault = hostFaultOf(error);
  return fault && PARTY_OF_FAULT[fault.code] === 'host' ? fault.message : null;
}
