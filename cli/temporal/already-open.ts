import { budgetCommand, windowCommand } from '../../domain/messages/steer-commands.ts';
import type { Phase } from '../../domain/research/phase.ts';
import { unknownIn } from '../../domain/method/unknown-method.ts';
import { refused, type CliError } from '../errors.ts';
import type { Temporal } from '../context.ts';
import { OPENING } from '../../steering/await-opening.ts';
import { failureMessage } from '../../steering/failure-message.ts';

/** Phases that a refusal names. Any other stored phase is outdated, since Temporal has the research open. */
const OPEN_PHASES: readonly Phase[] = ['running', 'paused', 'waiting', 'stopping'];

/**
 * Returns the refusal of a start whose id an open research has, with the commands that the user may have meant.
 * `phase`: the stored phase; undefined if the database has none, or is unreachable.
 */
export function alreadyOpen(id: string, phase?: Phase): CliError {
  const known = phase !== undefined && OPEN_PHASES.includes(phase) ? phase : null;
  const lines = [
    known === null ? `The research ${id} is already open.` : `The research ${id} is already open; it is ${known}.`,
    `To watch it: npx perpetua watch ${id}`,
  ];
  if (known === 'paused') lines.push(`To resume it: npx perpetua resume ${id}`);
  if (known === null) lines.push(`If it is paused, to resume it: npx perpetua resume ${id}`);
  if (known === 'stopping')
    lines.push(`You can start it again once it has stopped. To stop it at once: npx perpetua stop ${id} --now`);
  if (known === null) lines.push(`If it is stopping, to stop it at once: npx perpetua stop ${id} --now`);
  lines.push('To start another research: give another --id');
  if (known !== 'stopping') {
    lines.push(`To change its window: ${windowCommand(id, 8)}`);
    lines.push(`To change its budget: ${budgetCommand(id, { trials: 500 })}`);
  }
  return refused(lines.join('\n'));
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
