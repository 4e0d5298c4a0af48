import { z } from 'zod';

/** What is written beside a run: the workspace it began with, and the files that were its own. */
export const RunFile = z.object({
  stageHash: z.string(),
  /** Which of the stages of that hash; missing in runs of older versions. */
  stageId: z.string().optional(),
  /** The same in runs of the version before: the number of its folder. */
  stageInode: z.string().optional(),
  files: z.array(z.string()),
});
export type RunFile = z.infer<typeof RunFile>;

/** The id of the stage that a run was made from, or the number of its folder; undefined in runs that are older still. */
export const stageIdOfRun = (run: RunFile | undefined): string | undefined => run?.stageId ?? run?.stageInode;
