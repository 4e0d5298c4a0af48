import { defaultPayloadConverter } from '@temporalio/common';
import { workflowInfo, type ConcludeActivationInput, type WorkflowInterceptors } from '@temporalio/workflow';

type Command = ConcludeActivationInput['commands'][number];

/** An event of the history, of no meaning to anybody; the server refuses an empty memo. */
const TRACE: Command = {
  modifyWorkflowProperties: { upsertedMemo: { fields: { quiet: defaultPayloadConverter.toPayload(true) } } },
};

/**
 * No two workflow tasks of a research in a row ask for nothing. Where they do and an update follows, a worker that reads the
 * history anew is handed what came with the second one together with the update, and after it; a replay is handed it on its own,
 * and before (SDK 1.24, docs/decisions/0023). Whatever then depends on the order never replays again. So the second one leaves a
 * trace: one event, which changes nothing.
 */
export function traceQuietTasks(guards = isResearch): Required<Pick<WorkflowInterceptors, 'inbound' | 'internals'>> {
  let isGuarded = false;
  let wasQuiet = false;
  let isOnlyAsked = false;
  return {
    inbound: [
      {
        execute(input, next) {
          isGuarded = guards();
          return next(input);
        },
      },
    ],
    internals: [
      {
        activate(input, next) {
          isOnlyAsked = (input.activation.jobs ?? []).every(({ doUpdate }) => doUpdate);
          return next(input);
        },
        concludeActivation(input, next) {
          const { commands } = next(input);
          // Of a task in which all was refused the server keeps nothing, and no replay hears of it.
          const isUnseen = isOnlyAsked ? commands.every(isAnswerOrRefusal) : isAnswered(commands);
          if (!isGuarded || isUnseen) return { commands };
          const isQuiet = !leavesTrace(commands);
          const isTraced = isQuiet && wasQuiet;
          wasQuiet = isQuiet && !isTraced;
          return { commands: isTraced ? [...commands, TRACE] : commands };
        },
      },
    ],
  };
}

/** Trials take no updates. */
const isResearch = (): boolean => workflowInfo().workflowType === 'research';

/** Queries have activations of their own. */
const isAnswer = ({ respondToQuery }: Command): boolean => Boolean(respondToQuery);

const isAnswered = (commands: readonly Command[]): boolean => commands.length > 0 && commands.every(isAnswer);

const isRefusal = ({ updateResponse }: Command): boolean => Boolean(updateResponse?.rejected);

const isAnswerOrRefusal = (command: Command): boolean => isAnswer(command) || isRefusal(command);

/** What is asked for and called off within one task is never sent. */
const leavesTrace = (commands: readonly Command[]): boolean =>
  !commands.some(isCallOff) && commands.some((command) => !isRefusal(command));

const isCallOff = (command: Command): boolean =>
  Boolean(command.cancelTimer ?? command.requestCancelActivity ?? command.cancelChildWorkflowExecution);
