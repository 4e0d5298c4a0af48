import type { StackAddresses } from '../../config/child-env.ts';
import type { Config } from '../../config/load.ts';
import { WORKFLOW_TASK_MS } from '../../domain/research/continue-as-new.ts';
import { QUEUES, WORKFLOWS } from '../../domain/messages.ts';
import { askedIn, type Phase } from '../../domain/research/phase.ts';
import { describeResearch } from '../temporal/describe-research.ts';
import type { Located } from '../task/locate-task.ts';
import { connectTemporal } from './connect-temporal.ts';
import { connect } from '../../db/connect.ts';
import { readResearch, readResearches } from '../../db/reads/read-research.ts';
import { insertAlert } from '../../db/research/research.ts';

/** The research that is open now; null where it was left as it is. */
export interface Opened {
  id: string | null;
  notes: string[];
}

interface Ended {
  phase: Phase;
  reason: string | null;
}

const hasEnded = (before: Ended | undefined): before is Ended =>
  before?.phase === 'stopped' || before?.phase === 'failed';

/** Why it ended, in brackets. */
const endOf = ({ phase, reason }: Ended): string => (reason === null ? phase : `${phase}: ${reason.slice(0, 200)}`);

/** That a research which had ended was started again with the stack, as a person had named its task; null of any other. */
export const revivedMessage = (before: Ended | undefined): string | null =>
  hasEnded(before) ? `it had ended (${endOf(before)}), and perpetua up --task started it again` : null;

/** That the demo had ended and stays so, and how to go on with it; null where it has not ended. */
export const endedNotes = (before: (Ended & { id: string }) | undefined): string[] | null =>
  hasEnded(before)
    ? [`${before.id} is ${endOf(before)}. It is not started again. To go on with it: npx perpetua start ${before.id}`]
    : null;

/**
 * Starts the research of a task under the task's name, or finds it running. One that had ended is started again only where a person
 * `asked` for that task, and told of it.
 */
export async function startResearch(
  config: Config,
  addresses: StackAddresses,
  { loaded, task, asked }: Located & { asked: boolean },
): Promise<Opened> {
  const { db, close: closeDb } = connect(addresses.databaseUrl, { max: 1, onError: () => {} });
  const { client, close } = await connectTemporal(config, addresses);
  try {
    // What is only told must not keep it from starting.
    const before = await readResearch(db, { researchId: loaded.task.name }).catch(() => undefined);
    const left = asked ? null : endedNotes(before);
    if (left !== null) return { id: null, notes: left };
    const handle = await client.workflow.start(WORKFLOWS.research, {
      workflowId: loaded.task.name,
      taskQueue: QUEUES.main,
      workflowTaskTimeout: WORKFLOW_TASK_MS,
      args: [{ task }],
      // Of an earlier start: it goes on.
      workflowIdConflictPolicy: 'USE_EXISTING',
      memo: { task: loaded.task.name },
      ...describeResearch(loaded.task),
    });
    const message = revivedMessage(before);
    if (before && message !== null) await insertAlert(db, { researchId: before.id, message }).catch(() => undefined);
    return { id: handle.workflowId, notes: [] };
  } finally {
    await close();
    await closeDb();
  }
}

/**
 * Starts again the researches that were under way in Temporal's old file, which was moved away: the database goes on
 * where they were, and one that was paused stays so. Returns their ids, and what is wrong
 * with those whose rows are damaged.
 */
export async function resumeResearches(
  config: Config,
  addresses: StackAddresses,
): Promise<{ resumed: string[]; damaged: string[] }> {
  const { db, close: closeDb } = connect(addresses.databaseUrl, { max: 1, onError: () => {} });
  const { client, close } = await connectTemporal(config, addresses);
  try {
    const { sound, damaged } = await readResearches(db);
    const open = sound.filter(
      // A budget of no trials is a `perpetua check`, which nobody waits for any more.
      ({ phase, budget }) => phase !== 'stopped' && phase !== 'failed' && budget.trials !== 0,
    );
    for (const { id, task, phase, reason } of open)
      await client.workflow.start(WORKFLOWS.research, {
        workflowId: id,
        taskQueue: QUEUES.main,
        workflowTaskTimeout: WORKFLOW_TASK_MS,
        args: [{ task: task.name, ...askedIn({ phase, reason }) }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        ...describeResearch(task),
      });
    return { resumed: open.map(({ id }) => id), damaged: damaged.map(({ message }) => message) };
  } finally {
    await close();
    await closeDb();
  }
}
