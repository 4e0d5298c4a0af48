import type { Config } from '../../config/load.ts';
import { hasOptimizer, optimizerPaths } from '../../infra/optimizer/optimizer-paths.ts';
import { type Finding, ok, remark } from './finding.ts';

/** Checks the optimizer's Python environment, which only researches with the proposer `cma-es` need. */
export function checkOptimizer({ packageRoot, trainer }: Config): Finding {
  if (hasOptimizer({ packageRoot, trainer }))
    return ok('optimizer', `installed in ${optimizerPaths({ packageRoot, trainer }).folder}`);
  const fix = 'if `cma-es` is to propose: `npx perpetua optimizer install` (60 MB to download, 260 MB on disk)';
  return remark('optimizer', `not installed in ${trainer.cache}`, fix);
}
