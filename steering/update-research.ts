import { UPDATES } from '../domain/messages/names.ts';
import { shellWord } from '../domain/text/shell-word.ts';
import { SteeringError } from './steering-error.ts';
import type { Temporal } from './with-client.ts';

/** Longest wait for the research's answer. A worker answers at once, unless it replays a long history first. */
const ANSWER_MS = 45_000;

export interface Update {
  /** Id of the research. */
  id: string;
  name: keyof typeof UPDATES;
  args: object;
  /** Sentence for a research that did not answer in time: what a repeated message does. */
  onRepeat: string;
  /** Sentences for a research that has ended; default: the command that goes on with it. */
  onEnded?: string;
  /** Ends the wait for the answer. */
  signal?: AbortSignal | undefined;
}

/**
 * Sends an update to a research, and returns its answer. Throws SteeringError: `refused` for an ended research and for
 * a rejection, whose text names the key; `unreachable` if no answer came in time.
 */
export async function updateResearch<Answer>({ client }: Pick<Temporal, 'client'>, update: Update): Promise<Answer> {
  const { id, name, args, signal } = update;
  const timeout = AbortSignal.timeout(ANSWER_MS);
  const limit = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    return await client.connection.withAbortSignal(limit, () =>
      client.workflow.getHandle(id).executeUpdate<Answer, [object]>(UPDATES[name], { args: [args] }),
    );
  } catch (error) {
    throw toRefusal(error, { ...update, isOver: timeout.aborted, isInterrupted: signal?.aborted === true });
  }
}

interface Failed extends Pick<Update, 'id' | 'onRepeat' | 'onEnded'> {
  isOver: boolean;
  isInterrupted: boolean;
}

/** Converts errors of Temporal, whose classes are not imported: that would load its client. */
function toRefusal(error: unknown, { id, onRepeat, onEnded = goOn(id), isOver, isInterrupted }: Failed): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'WorkflowNotFoundError') return new SteeringError('refused', onEnded);
  if (error.name === 'WorkflowUpdateFailedError') {
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    return new SteeringError('refused', `${id} refused the message: ${why}`);
  }
  if (isOver)
    return new SteeringError(
      'unreachable',
      `Expected an answer of the research ${id} within ${ANSWER_MS / 1000} seconds, got none: ` +
        `no worker may be running. The message may still be taken. ${onRepeat}`,
    );
  if (isInterrupted)
    return new SteeringError('failed', `Interrupted. The research ${id} may still take the message. ${onRepeat}`);
  return error;
}

const goOn = (id: string): string =>
  `Expected a running research ${id}; it has ended. ` +
  `To go on with it: \`npx perpetua start TASK --id ${shellWord(id)}\`.`;
