import type { StackAddresses } from '../../config/child-env.ts';
import type { Config } from '../../config/load.ts';
import { WORKFLOW_TASK_MS } from '../../domain/research/continue-as-new.ts';
import { QUEUES, WORKFLOWS } from '../../domain/messages.ts';
import { pauseAndStopIn, type Phase } from '../../domain/research/phase.ts';
import { describeResearch } from '../../steering/describe-research.ts';
import type { Located } from '../task/locate-task.ts';
import { connectTemporal } from './connect-temporal.ts';
import { connect } from '../../db/connect.ts';
import { readResearch, readResearches } from '../../db/reads/read-research.ts';
import { insertAlert } from '../../db/research/research.ts';

export interface Opened {
  /** Id of the open research; null if an ended research was not started again. */
  id: string | null;
  notes: string[];
}

interface Ended {
  phase: Phase;
  reason: string | null;
}

const hasEnded = (before: Ended | undefined): before is Ended =>
  before?.phase === 'stopped' || before?.phase === 'failed';

/** Phase and reason of an ended research. */
const endOf = ({ phase, reason }: Ended): string => (reason === null ? phase : `${phase}: ${reason.slice(0, 200)}`);

/** Alert of an ended research that `up --task` starts again; null for a research that had not ended. */
export const revivedMessage = (before: Ended | undefined): string | null =>
  hasEnded(before) ? `it had ended (${endOf(before)}), and perpetua up --task started it again` : null;

/** Note that an ended demo is not started again, with the command that starts it; null if it has not ended. */
export const endedNotes = (before: (Ended & { id: string }) | undefined): string[] | null =>
  hasEnded(before)
    ? [`${before.id} is ${endOf(before)}. It is not started again. To go on with it: npx perpetua start ${before.id}`]
    : null;

/**
 * Starts the research of a task under the task's name, or finds it running. An ended research is started again only if
 * the user `asked` for the task; an alert records that.
 */
export async function startResearch(
  config: Config,
  addresses: StackAddresses,
  { loaded, task, asked }: Located & { asked: boolean },
): Promise<Opened> {
  const { db, close: closeDb } = connect(addresses.databaseUrl, { max: 1, onError: () => {} });
  const { client, close } = await connectTemporal(config, addresses);
  try {
    // An unreadable row must not prevent the start: only notes and an alert depend on it.
    const before = await readResearch(db, { researchId: loaded.task.name }).catch(() => undefined);
    const notes = asked ? null : endedNotes(before);
    if (notes !== null) return { id: null, notes };
    const handle = await client.workflow.start(WORKFLOWS.research, {
      workflowId: loaded.task.name,
      taskQueue: QUEUES.main,
      workflowTaskTimeout: WORKFLOW_TASK_MS,
      args: [{ task }],
      // An open workflow of an earlier start continues.
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
 * Starts the open researches again after Temporal's database file was moved away. They continue from the database; a
 * paused research stays paused. Returns their ids, and the problems of researches with damaged rows.
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
      // A research with a budget of no trials is a `perpetua check`, for which no command waits any more.
      ({ phase, budget }) => phase !== 'stopped' && phase !== 'failed' && budget.trials !== 0,
    );
    for (const { id, task, phase, reason } of open)
      await client.workflow.start(WORKFLOWS.research, {
        workflowId: id,
        taskQueue: QUEUES.main,
        workflowTaskTimeout: WORKFLOW_TASK_MS,
        args: [{ task: task.name, ...pauseAndStopIn({ phase, reason }) }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        ...describeResearch(task),
      });
    return { resumed: open.map(({ id }) => id), damaged: damaged.map(({ message }) => message) };
  } finally {
    await close();
    await closeDb();
  }
}
