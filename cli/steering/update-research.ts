import { UPDATES } from '../../domain/messages.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { withTemporal } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import type { Io } from '../io.ts';

/** Longest wait for the research's answer. A worker answers at once, unless it replays a long history first. */
const ANSWER_MS = 45_000;

export interface Update {
  /** Id of the research. */
  id: string;
  name: keyof typeof UPDATES;
  args: object;
  /** Sentence for a research that did not answer in time: what a repeated command does. */
  onRepeat: string;
}

/**
 * Sends an update to a research, and returns its answer. Throws CliError: `refused` for an ended research and for a
 * rejection, whose text names the key; `unreachable` if no answer came in time.
 */
export function updateResearch<Answer>(io: Io, { id, name, args, onRepeat }: Update): Promise<Answer> {
  return withTemporal(io, async ({ client }) => {
    const timeout = AbortSignal.timeout(ANSWER_MS);
    const limit = io.signal === undefined ? timeout : AbortSignal.any([io.signal, timeout]);
    try {
      return await client.connection.withAbortSignal(limit, () =>
        client.workflow.getHandle(id).executeUpdate<Answer, [object]>(UPDATES[name], { args: [args] }),
      );
    } catch (error) {
      throw toRefusal(error, { id, onRepeat, isOver: timeout.aborted, isInterrupted: io.signal?.aborted === true });
    }
  });
}

interface Failed extends Pick<Update, 'id' | 'onRepeat'> {
  isOver: boolean;
  isInterrupted: boolean;
}

/** Converts errors of Temporal, whose classes are not imported: that would load its client. */
function toRefusal(error: unknown, { id, onRepeat, isOver, isInterrupted }: Failed) {
  if (!(error instanceof Error)) return error;
  if (error.name === 'WorkflowNotFoundError')
    return refused(
      `Expected a running research ${id}; it has ended. ` +
        `To go on with it: \`npx perpetua start TASK --id ${shellWord(id)}\`.`,
    );
  if (error.name === 'WorkflowUpdateFailedError')
    return refused(`${id} refused the message: ${error.cause instanceof Error ? error.cause.message : error.message}`);
  if (isOver)
    return new CliError(
      'unreachable',
      `Expected an answer of the research ${id} within ${ANSWER_MS / 1000} seconds, got none: ` +
        `no worker may be running. The message may still be taken. ${onRepeat}`,
    );
  if (isInterrupted)
    return new CliError('failed', `Interrupted. The research ${id} may still take the message. ${onRepeat}`);
  return error;
}
