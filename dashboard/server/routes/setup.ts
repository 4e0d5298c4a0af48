import { z } from 'zod';
import { readSetup } from '../../../config/dashboard/setup.ts';
import type { Setup } from '../../api/setup.ts';
import { homeRoute } from '../route.ts';

export const setup = homeRoute({
  path: 'setup',
  input: z.strictObject({}),
  read: async ({ home }): Promise<Setup> => readSetup(home),
});
