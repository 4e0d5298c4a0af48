import type { Config } from '../../config/load.ts';
import { findInstalledTrainer } from '../../infra/trainer/trainer-paths.ts';
import { type Finding, ok, remark } from './finding.ts';

/** Checks the trainer, which only researches with a learning proposer need. */
export async function checkTrainer({ packageRoot, trainer }: Config): Promise<Finding> {
  if (trainer.endpoint !== null)
    return ok('trainer', `policies are sampled from ${trainer.endpoint.url}; they do not learn`);
  if (trainer.program !== null) return ok('trainer', `policies are served by ${trainer.program.join(' ')}`);
  const found = findInstalledTrainer({ packageRoot, cache: trainer.cache });
  if (found !== null) return ok('trainer', `installed in ${found.folder}`);
  const fix = 'if a proposer is to learn: `npx perpetua trainer install` (3.1 GB to download, 5.4 GB on disk)';
  return remark('trainer', `not installed in ${trainer.cache}`, fix);
}
