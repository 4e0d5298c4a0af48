import { z } from 'zod';

/** Content of `run.json` in an attempt's directory: the stage that the run was made from, and its mutable files. */
export const RunFile = z.object({
  stageHash: z.string(),
  /** Id of the stage, since a stage of the same hash may replace it; absent in runs of older versions. */
  stageId: z.string().optional(),
  /** Inode of the stage's folder, which the previous version stored instead of an id. */
  stageInode: z.string().optional(),
  /** Paths of the mutable files. */
  files: z.array(z.string()),
});
export type RunFile = z.infer<typeof RunFile>;

/** The id of the stage that a run was made from, else its inode; undefined in runs of the oldest versions. */
export const stageIdOfRun = (run: RunFile | undefined): string | undefined => run?.stageId ?? run?.stageInode;
