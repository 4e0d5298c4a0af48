import { unknownIn } from '../../domain/search/unknown-method.ts';
import type { Temporal } from '../context.ts';
import { OPENING } from './await-opening.ts';
import { failureMessage } from './failure-message.ts';

/** What the workers that tried to open a research do not know, as `search.proposer: name`; null where that is not it. */
export async function unknownAtOpening(
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
