import { proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { MainActivities, WaitingActivities } from '../../activities/index.ts';
import type { JobEnding } from '../../domain/job/ended.ts';
import { type Serving, renderServing } from '../../view/serving.ts';
import { placeJob, type GivenUp, type PlaceJobInput } from '../place-job.ts';
import { optionsOf } from '../timeouts.ts';

/** Events of one run of the chain, a second of a core to read again: some thirty for each run of the server. */
const EVENTS = 2000;

/** Failed launches, which are some twenty minutes of them, after which the length of the history is looked at. */
const LAUNCHES = 50;

/** Told by a server whose history should be handed over; nothing of it is under way then. */
export const CONTINUE_AS_NEW = 'hand over';

export interface Server {
  placing: Omit<PlaceJobInput, 'adopted' | 'first' | 'mostLaunches'>;
  taskName: string;
  /** Events of history after which it is handed over; default: {@link EVENTS}. */
  maxHistory?: number | undefined;
}

/** Serves, and begins again after each end, until a person ends it or its task is refused: then it returns why. */
export async function serve({ placing, taskName, maxHistory }: Server): Promise<JobEnding | typeof CONTINUE_AS_NEW> {
  const { trialId: jobId, tempo } = placing;
  const { nextRun } = proxyActivities<MainActivities>({ ...optionsOf(tempo).look, summary: 'what comes next' });
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
      { follow: async (on) => ({ done: await serveOnce({ placing, show }, on) }), giveUp },
    );
    if (ending) return ending;
  }
  return CONTINUE_AS_NEW;
}

/** Follows one run to its end; null where another one comes after it. */
async function serveOnce(
  { placing, show }: Pick<Server, 'placing'> & { show: (state: Serving['state']) => void },
  placement: number,
): Promise<JobEnding | null> {
  const { trialId, tempo } = placing;
  const options = optionsOf(tempo).monitor;
  const { awaitReady } = proxyActivities<WaitingActivities>({ ...options, summary: 'start' });
  const { monitor } = proxyActivities<WaitingActivities>({ ...options, summary: 'serve' });
  show({ is: 'starting' });
  const started = await awaitReady({ trialId, placement });
  if (started.state === 'ready') show({ is: 'ready', host: started.host, at: started.at });
  const { state } = started.state === 'ready' ? await monitor({ trialId, placement }) : started;
  return state === 'cancelled' ? { why: 'cancelled', detail: null } : null;
}

/** Machines that fail say nothing against a server; a task that is refused will be refused again. */
const giveUp = (why: GivenUp, detail?: string): Promise<JobEnding | null> =>
  Promise.resolve(why === 'machine-lost' || why === 'contended' ? null : { why, detail: detail ?? null });
