import { z } from 'zod';
import { readCalibration } from '../../../../db/reads/report/read-calibration.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import type { Calibration } from '../../../api/research/calibration.ts';
import { route } from '../../route.ts';

export const calibration = route({
  path: 'research/:id/calibration',
  input: z.strictObject({ id: z.string() }),
  read: async ({ db }, { id }): Promise<Calibration | undefined> => {
    const research = await readResearch(db, { researchId: id });
    return research && { proposers: await readCalibration(db, research) };
  },
});
