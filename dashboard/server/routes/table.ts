import type { AnyRoute } from '../route.ts';
import { calibration } from './research/calibration.ts';
import { candidates } from './trials/candidates.ts';
import { events } from './events.ts';
import { explanation } from './research/explanation.ts';
import { fleet, gantt } from './fleet.ts';
import { learning, update } from './learning.ts';
import { mutable } from './mutable.ts';
import { pareto } from './trials/pareto.ts';
import { pulse } from './pulse.ts';
import { research } from './research.ts';
import { researches } from './researches.ts';
import { series } from './series.ts';
import { researchSince, since } from './research/since.ts';
import { setup } from './setup.ts';
import { spend } from './spend.ts';
import { tree } from './tree.ts';
import { calls, curve, diff, log, trial } from './trials/trial.ts';
import { order, rows } from './trials/trials.ts';

/** Every resource below `api/v1/`. */
export const ROUTES: readonly AnyRoute[] = [
  setup,
  researches,
  since,
  events,
  research,
  mutable,
  researchSince,
  series,
  order,
  rows,
  candidates,
  pareto,
  tree,
  explanation,
  calibration,
  learning,
  update,
  trial,
  curve,
  log,
  calls,
  diff,
  fleet,
  gantt,
  spend,
  pulse,
];
