import { ABORTS } from '../abort/table.ts';
import type { MethodTable } from '../method/axis.ts';
import { CONTEXTS } from './context/table.ts';
import { NOVELTY } from './novelty.ts';
import { PARENTS } from './parent/table.ts';
import { PROPOSERS } from './proposer/table.ts';
import { REWARDS } from './reward/table.ts';
import { SPECIALISTS } from './specialists.ts';
import { UPDATES } from './update/table.ts';

/** The table of each axis, by its key in `search`. The lint reads the names of axes and methods from here. */
export const AXES = {
  proposer: PROPOSERS,
  parent: PARENTS,
  context: CONTEXTS,
  specialists: SPECIALISTS,
  novelty: NOVELTY,
  abort: ABORTS,
  reward: REWARDS,
  update: UPDATES,
} as const satisfies Record<string, MethodTable>;
