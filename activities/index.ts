import { createAdmitActivities } from './admit.ts';
import type { ActivityDeps } from './deps.ts';
import { createFillKnobsActivities } from './research/fill-knobs.ts';
import { createInstallationActivities } from './installation/tend.ts';
import { createJobActivities } from './job.ts';
import { createLaunchActivities } from './launch.ts';
import { createLearnActivities } from './learn.ts';
import { createMonitorActivities } from './monitor.ts';
import { createNextRunActivities } from './next-run.ts';
import { createPreflightActivities } from './preflight.ts';
import { createProposeActivities } from './propose.ts';
import { createReconcileActivities } from './reconcile.ts';
import { createResearchLifecycleActivities } from './research-lifecycle.ts';
import { createScoreActivities } from './score.ts';
import { createScorePlaces, type ScorePlaces } from './score/score-in-monitor.ts';
import { createSteerActivities } from './steer.ts';

/** Short activities, on the main queue. */
export const createMainActivities = (deps: ActivityDeps) => {
  const { start, resume } = createLaunchActivities(deps);
  return {
    ...createAdmitActivities(deps),
    ...createFillKnobsActivities(deps),
    ...createInstallationActivities(deps),
    ...createJobActivities(deps),
    ...createNextRunActivities(deps),
    ...createReconcileActivities(deps),
    ...createResearchLifecycleActivities(deps),
    ...createSteerActivities(deps),
    start,
    resume,
  };
};

/** Activities that need a permit: the launch alone. */
export const createFleetActivities = (deps: ActivityDeps) => {
  const { launch } = createLaunchActivities(deps);
  return { launch };
};

/** Long activities that mostly wait for a host. */
export const createWaitingActivities = (deps: ActivityDeps, places: ScorePlaces | null) => {
  const { prepare } = createLaunchActivities(deps);
  return { ...createMonitorActivities(deps, places), prepare };
};

export {
  createLearnActivities,
  createPreflightActivities,
  createProposeActivities,
  createScoreActivities,
  createScorePlaces,
};
export type { ActivityDeps } from './deps.ts';
export type { OpenedJob } from './job.ts';
export type { LaunchResult } from './launch/launch-result.ts';
export type { ProposeResult } from './propose.ts';
export type { PreflightResult } from './preflight.ts';
export type { Board } from './research/board.ts';
export type MainActivities = ReturnType<typeof createMainActivities>;
export type FleetActivities = ReturnType<typeof createFleetActivities>;
export type WaitingActivities = ReturnType<typeof createWaitingActivities>;
export type ProposeActivities = ReturnType<typeof createProposeActivities>;
export type PreflightActivities = ReturnType<typeof createPreflightActivities>;
export type LearnActivities = ReturnType<typeof createLearnActivities>;
export type ScoreActivities = ReturnType<typeof createScoreActivities>;
