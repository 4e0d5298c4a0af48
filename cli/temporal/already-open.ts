import { updateCommand } from '../../domain/messages/temporal-command.ts';
import { unknownIn } from '../../domain/method/unknown-method.ts';
import { refused, type CliError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Temporal } from '../context.ts';
import { shellNote } from './shell-note.ts';
import { OPENING } from './await-opening.ts';
import { failureMessage } from './failure-message.ts';

/** Returns the refusal of a start whose id an open research has, with the commands that the user may have meant. */
export async function alreadyOpen(io: Io, id: string): Promise<CliError> {
  const budget = updateCommand({ id, name: 'setBudget', input: { trials: 500 } });
  const window = updateCommand({ id, name: 'setWindow', input: { window: 8 } });
  const text = [
    `The research ${id} is already open: running, paused or stopping. To watch it: npx perpetua watch ${id}.`,
    `If it is paused, go on with it: npx perpetua resume ${id}.`,
    `If it is stopping, start it again once it has stopped (at once: npx perpetua stop ${id} --now).`,
    `To change its budget: ${budget}. To change its window: ${window}. To start another research, give another --id.`,
  ].join(' ');
  const shell = await shellNote(io, [text]);
  return refused(shell === null ? text : `${text}\n${shell}`);
}

/**
 * Reads the setting, as `search.proposer: name`, that no worker knew while opening a research. Null if the opening did
 * not fail for that reason.
 */
export async function readUnknownSetting(
  { client, address }: Temporal,
  execution: { workflowId: string; runId: string },
): Promise<string | null> {
  const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
    namespace: address.namespace,
    execution,
  });
  const opening = pendingActivities?.find(({ activityType }) => activityType?.name === OPENING);
  return unknownIn(failureMessage(opening?.lastFailure) ?? '');
}
