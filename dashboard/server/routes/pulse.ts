import { z } from 'zod';
import { readPulse } from '../../../db/reads/page/read-pulse.ts';
import type { Pulse } from '../../api/live/pulse.ts';
import { route } from '../route.ts';

export const pulse = route({
  path: 'pulse',
  input: z.strictObject({}),
  read: async ({ db, lookAtTemporal }): Promise<Pulse> => ({ ...(await readPulse(db)), temporal: lookAtTemporal() }),
});
