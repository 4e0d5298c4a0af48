import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RunRef } from '../../compute.ts';

/** Folders under one PERPETUA_HOME. Names of tasks, trials and people never become paths. */
export interface Layout {
  home: string;
  runs: string;
  stages: string;
}

/** The folders of one attempt (one fence) of a run; `ctl` is the supervisor's, `work` and `tmp` the candidate's. */
export interface Attempt {
  fence: number;
  directory: string;
  ctl: string;
  work: string;
  tmp: string;
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Returns the layout of a home for one installation. An installation that is not a plain id is hashed. */
export function layoutOf(home: string, installation: string): Layout {
  const name = /^[A-Za-z0-9-]{1,64}$/.test(installation) ? installation : shortHash(installation);
  return { home, runs: join(home, 'runs', name), stages: join(home, 'stages') };
}

/** Directory name of a run. It holds a hash of the trial's id, and no part of the id itself. */
export function runName(run: RunRef): string {
  if (!Number.isSafeInteger(run.placement) || run.placement < 0)
    throw new RangeError(`placement: expected 0, 1, 2, …; got ${run.placement}`);
  return `${shortHash(run.jobId)}.${run.placement}`;
}

export const runDirectory = (layout: Layout, run: RunRef): string => join(layout.runs, runName(run));

/** The attempt of a run under one fence. */
export function attemptOf(runDir: string, fence: number): Attempt {
  const directory = join(runDir, String(fence));
  const ctl = join(directory, 'ctl');
  return { fence, directory, ctl, work: join(directory, 'work'), tmp: join(directory, 'tmp') };
}

/** Directory of a stage. Throws on a malformed hash, since the hash becomes part of a path. */
export function stageDirectory(layout: Layout, stageHash: string): string {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(stageHash))
    throw new Error(`stage hash: expected letters and digits; got ${JSON.stringify(stageHash)}`);
  return join(layout.stages, stageHash);
}
