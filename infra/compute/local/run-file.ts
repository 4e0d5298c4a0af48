import { z } from 'zod';

/** What is written beside a run: the workspace it began with, and the files that were its own. */
export const RunFile = z.object({
  stageHash: z.string(),
  /** Number of the folder that it was made from; missing in runs of older versions. */
  stageInode: z.string().optional(),
  files: z.array(z.string()),
});
