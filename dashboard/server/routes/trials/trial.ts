import { z } from 'zod';
import { readCallsPage } from '../../../../db/reads/page/trial/read-calls-page.ts';
import { readCurvePage, readLogPage } from '../../../../db/reads/page/trial/read-curve-page.ts';
import { readDiffPage } from '../../../../db/reads/page/trial/read-diff-page.ts';
import { readTrialPage } from '../../../../db/reads/page/trial/read-trial-page.ts';
import { DiffQuery, type Diff } from '../../../api/trials/diff.ts';
import type { Calls, Curve, Log, Trial } from '../../../api/trials/trial.ts';
import { route } from '../../route.ts';

const Named = z.strictObject({ id: z.string() });

export const trial = route({
  path: 'trial/:id',
  input: Named,
  read: ({ db, temporal }, { id }): Promise<Trial | undefined> => readTrialPage(db, { trialId: id, temporal }),
});

export const curve = route({
  path: 'trial/:id/curve',
  input: Named,
  read: ({ db }, { id }): Promise<Curve | undefined> => readCurvePage(db, { trialId: id }),
});

export const log = route({
  path: 'trial/:id/log',
  input: Named,
  read: ({ db }, { id }): Promise<Log | undefined> => readLogPage(db, { trialId: id }),
});

export const calls = route({
  path: 'trial/:id/calls',
  input: Named,
  read: ({ db }, { id }): Promise<Calls | undefined> => readCallsPage(db, { trialId: id }),
});

export const diff = route({
  path: 'trial/:id/diff',
  input: z.strictObject({ id: z.string(), ...DiffQuery.shape }),
  read: ({ db }, { id, against, other }): Promise<Diff | undefined> =>
    readDiffPage(db, { trialId: id, against, other }),
});
