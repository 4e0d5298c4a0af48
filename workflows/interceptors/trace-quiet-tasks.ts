import { defaultPayloadConverter } from '@temporalio/common';
import { workflowInfo, type ConcludeActivationInput, type WorkflowInterceptors } from '@temporalio/workflow';

type Command = ConcludeActivationInput['commands'][number];

/** A command that only writes an event into the history. The server refuses an empty memo. */
const TRACE: Command = {
  modifyWorkflowProperties: { upsertedMemo: { fields: { quiet: defaultPayloadConverter.toPayload(true) } } },
};

/**
 * Adds a command to every second workflow task in a row of a research that has no commands. The command writes one
 * event and changes nothing. Without it, if an update follows two such tasks, a replay would differ (SDK 1.24,
 * docs/decisions/0023): a worker that reads the history again receives the second task's messages together with the
 * update, and after it; a replay receives them alone, and before it. Code that depends on that order would never replay
 * again.
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
          // The server stores nothing of a task whose updates were all rejected, so no replay receives it.
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

/** Only researches receive updates. */
const isResearch = (): boolean => workflowInfo().workflowType === 'research';

/** Queries have activations of their own. */
const isAnswer = ({ respondToQuery }: Command): boolean => Boolean(respondToQuery);

const isAnswered = (commands: readonly Command[]): boolean => commands.length > 0 && commands.every(isAnswer);

const isRefusal = ({ updateResponse }: Command): boolean => Boolean(updateResponse?.rejected);

const isAnswerOrRefusal = (command: Command): boolean => isAnswer(command) || isRefusal(command);

/** True if the commands write an event. The SDK never sends a command that is cancelled within the same task. */
const leavesTrace = (commands: readonly Command[]): boolean =>
  !commands.some(isCallOff) && commands.some((command) => !isRefusal(command));

const isCallOff = (command: Command): boolean =>
  Boolean(command.cancelTimer ?? command.requestCancelActivity ?? command.cancelChildWorkflowExecution);
