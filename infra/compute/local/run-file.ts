import { z } from 'zod';

/** What is written beside a run: the workspace it began with, and the files that were its own. */
export const RunFile = z.object({ stageHash: z.string(), files: z.array(z.string()) });
