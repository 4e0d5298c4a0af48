import { z } from 'zod';
import { readSetup } from '../../../config/dashboard/setup.ts';
import type { Setup } from '../../api/setup.ts';
import { homeRoute } from '../route.ts';

export const setup = homeRoute({
  path: 'setup',
  input: z.strictObject({}),
  read: async ({ home, version }): Promise<Setup> => {
    const { steps, ...view } = readSetup(home);
    return { ...view, steps: steps.map((step) => ({ ...step, progress: step.progress ?? null })), version };
  },
});
