/** Facts about a research workflow whose history is long enough to continue as new. */
export interface ContinueAsNewInput {
  /** True: since the loop began to wait, only the end of one trial came in, and no handler or reconciliation runs. */
  quiet: boolean;
  /** Trials under way. */
  inflight: number;
  /** Events of the history. */
  historyLength: number;
  /** Bytes of the history. */
  historySize: number;
}

/**
 * Time limit of a workflow task. A worker without a research in its cache replays the whole history: up to three
 * seconds of a core, of which the worker may get a tenth. The limit cannot be much longer: after a worker is killed,
 * Temporal waits this long before it gives the task to another worker.
 */
export const WORKFLOW_TASK_MS = 20_000;

/** Events of one run in the chain: about ten for a trial and seventeen a minute. A replay takes a second of a core. */
const EVENTS = 2000;
/** Further limits of a run, for a wide window or a day without a worker. */
const TRIALS = 500;
const HOURS = 24;

/**
 * True if a run should continue as new, by the trials that it started, its age in ms, and the events of its history.
 */
export const isWorkflowRunLongEnough = ({
  trials,
  ms,
  events,
}: {
  trials: number;
  ms: number;
  events: number;
}): boolean => trials >= TRIALS || ms >= HOURS * 3_600_000 || events >= EVENTS;

/** Three times EVENTS; a replay takes some seconds. */
const MOST_EVENTS = 6000;
/** Far below the 50 MiB at which the server ends a workflow, since one message may have 2 MiB. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Decides whether to continue as new now. The server rejects continue-as-new if anything arrives during the workflow
 * task. The worker then replays the whole history, which takes so long that the next try fails, too, until no trial is
 * left. So the workflow tries only in a quiet moment; after a rejected try the moment is not quiet, and the loop goes
 * on. A history that is too long or too large forces continue-as-new: nothing starts before it succeeds.
 */
export const shouldContinueAsNew = ({ quiet, inflight, historyLength, historySize }: ContinueAsNewInput): boolean =>
  quiet || inflight === 0 || isHistoryTooLarge({ historyLength, historySize });

/** True if the history is so long or large that the workflow no longer waits for a quiet moment. */
export const isHistoryTooLarge = ({
  historyLength,
  historySize,
}: Pick<ContinueAsNewInput, 'historyLength' | 'historySize'>): boolean =>
  historyLength >= MOST_EVENTS || historySize >= MOST_BYTES;

/**
 * The server ends a workflow at 51,200 events or 50 MiB. The margin is for new messages and for continue-as-new itself.
 */
const END_OF_EVENTS = 40_000;
const END_OF_BYTES = 40 * 1024 * 1024;

/** True if one more message could make the server end the research, rather than only force continue-as-new. */
export const isHistoryFull = ({
  historyLength,
  historySize,
}: Pick<ContinueAsNewInput, 'historyLength' | 'historySize'>): boolean =>
  historyLength >= END_OF_EVENTS || historySize >= END_OF_BYTES;
