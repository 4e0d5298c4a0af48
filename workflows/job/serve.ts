import { proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { MainActivities, WaitingActivities } from '../../activities/index.ts';
import type { JobEnding } from '../../domain/job/ended.ts';
import { type Serving, renderServing } from '../../view/serving.ts';
import { placeJob, type GivenUp, type PlaceJobInput } from '../place-job.ts';
import { optionsOf } from '../timeouts.ts';

/**
 * Events after which a server continues as new: one run of it writes about thirty. A replay of 2000 takes a second of a
 * core.
 */
const EVENTS = 2000;

/** Failed launches, about twenty minutes of them, after which the length of the history is checked. */
const LAUNCHES = 50;

/** Result of a server whose history is long enough to continue as new; none of its runs is under way then. */
export const CONTINUE_AS_NEW = 'continue as new';

export interface Server {
  placing: Omit<PlaceJobInput, 'adopted' | 'first' | 'mostLaunches'>;
  taskName: string;
  /** Events of history after which the server continues as new; default: {@link EVENTS}. */
  maxHistory?: number | undefined;
}

/**
 * Runs a server and starts it again after each end, until a person ends it or its task is refused. Returns the ending.
 */
export async function serve({ placing, taskName, maxHistory }: Server): Promise<JobEnding | typeof CONTINUE_AS_NEW> {
  const { jobId, tempo } = placing;
  const { nextRun } = proxyActivities<MainActivities>({ ...optionsOf(tempo).look, summary: 'prepare the next run' });
  const isLong = (): boolean => {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested || historyLength >= (maxHistory ?? EVENTS);
  };
  for (let runs = 0; runs === 0 || !isLong(); runs += 1) {
    const { last, pauseSeconds, placement, isHeld } = await nextRun({ jobId });
    const show = (state: Serving['state']): void => setCurrentDetails(renderServing({ taskName, state, last }));
    if (pauseSeconds > 0) {
      show({ is: 'pausing', seconds: pauseSeconds });
      await sleep(pauseSeconds * 1000);
    }
    show({ is: 'waiting' });
    const ending = await placeJob<JobEnding | null>(
      { ...placing, adopted: isHeld, first: placement, mostLaunches: LAUNCHES },
      { follow: async (started) => ({ done: await serveOnce({ placing, show }, started) }), giveUp },
    );
    if (ending) return ending;
  }
  return CONTINUE_AS_NEW;
}

/** Follows one run to its end. Returns the ending of the server; null: another run follows. */
async function serveOnce(
  { placing, show }: Pick<Server, 'placing'> & { show: (state: Serving['state']) => void },
  placement: number,
): Promise<JobEnding | null> {
  const { jobId, tempo } = placing;
  const options = optionsOf(tempo).monitor;
  const { awaitReady } = proxyActivities<WaitingActivities>({ ...options, summary: 'start' });
  const { monitor } = proxyActivities<WaitingActivities>({ ...options, summary: 'serve' });
  show({ is: 'starting' });
  const started = await awaitReady({ jobId, placement });
  if (started.state === 'ready') show({ is: 'ready', host: started.host, at: started.at });
  const { state } = started.state === 'ready' ? await monitor({ jobId, placement }) : started;
  return state === 'cancelled' ? { why: 'cancelled', detail: null } : null;
}

/**
 * Ending of a server that could not be placed. After a machine failure (null) it is placed again; a refusal is final.
 */
const giveUp = (why: GivenUp, detail?: string): Promise<JobEnding | null> =>
  Promise.resolve(why === 'machine-lost' || why === 'contended' ? null : { why, detail: detail ?? null });
