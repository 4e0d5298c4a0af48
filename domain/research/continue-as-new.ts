/** What the workflow knows when its history is long enough to be handed over. */
export interface ContinueAsNewInput {
  /** All that has come in since the loop began to wait is the end of one trial, and nothing else is at work. */
  quiet: boolean;
  /** Trials under way. */
  inflight: number;
  /** Events of the history, and its bytes. */
  historyLength: number;
  historySize: number;
}

/**
 * A workflow task may take so long. A worker that does not know a research reads its whole history, up to three seconds of a
 * core, of which it may get a tenth; and a task whose worker was killed is given to another one only then.
 */
export const WORKFLOW_TASK_MS = 20_000;

/** Events of one run of the chain, a second of a core to read again: ten for a trial, and seventeen each minute. */
const EVENTS = 2000;
/** Few events, and yet much: a wide window, or a day without a worker. */
const TRIALS = 500;
const HOURS = 24;

/** Whether a run has done its share: trials that it started, ms since it began, events of its history. */
export const isRunLongEnough = ({ trials, ms, events }: { trials: number; ms: number; events: number }): boolean =>
  trials >= TRIALS || ms >= HOURS * 3_600_000 || events >= EVENTS;

/** Three times its share, and some seconds to read again. */
const MOST_EVENTS = 6000;
/** The server ends a workflow at 50 MiB, and a message may have 2. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Whether to hand over now. The server refuses to continue as new where anything comes in during the workflow task; then
 * the whole history is read again, which takes so long that the next try fails, too, and so on until no trial is left. So
 * it is tried in a quiet moment: what upset a try is seen by the next one, which is not quiet then, and the loop goes on.
 * A history that is too long or too large is handed over at any price: nothing starts until it is.
 */
export const shouldContinueAsNew = ({ quiet, inflight, historyLength, historySize }: ContinueAsNewInput): boolean =>
  quiet || inflight === 0 || isHistoryTooLarge({ historyLength, historySize });

/** No quiet moment is waited for any more. */
export const isHistoryTooLarge = ({
  historyLength,
  historySize,
}: Pick<ContinueAsNewInput, 'historyLength' | 'historySize'>): boolean =>
  historyLength >= MOST_EVENTS || historySize >= MOST_BYTES;

/** The server ends a workflow at 51,200 events or 50 MiB; what comes meanwhile and the hand-over itself need some. */
const END_OF_EVENTS = 40_000;
const END_OF_BYTES = 40 * 1024 * 1024;

/** Whether a message that is worked on could end the research, not only hand it over. */
export const isHistoryFull = ({
  historyLength,
  historySize,
}: Pick<ContinueAsNewInput, 'historyLength' | 'historySize'>): boolean =>
  historyLength >= END_OF_EVENTS || historySize >= END_OF_BYTES;
