import type { Command } from 'commander';
import { say, sayJson, type Io } from '../../io.ts';

interface Options {
  json?: boolean;
  prompt?: boolean;
  answer?: boolean;
  log?: boolean;
}

export function registerShow(program: Command, io: Io): void {
  program
    .command('show <trial>')
    .description('One trial, named <id>/<n> (or <n>, with one research): proposal, verdict, failure, curve, log.')
    .option('--prompt', 'the prompts that were sent')
    .option('--answer', 'the answers that came')
    .option('--log', 'the whole stored tail of the output, not its last lines')
    .option('--json', 'one JSON object, prompts and answers whole')
    .action(async (ref: string, options: Options) => {
      const [
        { withDb },
        { pickTrial },
        { readCalls, readPoints, readTaskOf },
        { readQueue },
        { readSample },
        { planOf },
        { readCompute },
      ] = await Promise.all([
        import('../../context.ts'),
        import('../../arguments/pick.ts'),
        import('../../../db/reads/read-trial.ts'),
        import('../../../db/reads/status/read-queue.ts'),
        import('../../../db/reads/policy/read-sample.ts'),
        import('../../../db/reads/policy/plan-of.ts'),
        import('../../../db/reads/status/read-compute.ts'),
      ]);
      const found = await withDb(io, async (db) => {
        const { trial, runs, research } = await pickTrial(db, ref);
        const { endpointDown, overrides } = research;
        const input = { trialId: trial.id };
        const task = await readTaskOf(db, trial);
        const queue = await readQueue(db, trial);
        const [calls, points] = [await readCalls(db, input), await readPoints(db, input)];
        const sample = await readSample(db, { trialId: trial.id, plan: planOf(research) });
        const candidateId = trial.candidateId ?? '';
        const compute = await readCompute(db, {
          research: { ...research, task, taskHash: trial.taskHash },
          candidateId,
        });
        return { trial, overrides, runs, task, queue, endpointDown, calls, points, sample, compute };
      });
      if (options.json) {
        const { showJson } = await import('../../render/show/show-json.ts');
        return sayJson(io, showJson(found));
      }
      const { renderShow } = await import('../../render/show.ts');
      const width = io.stdout.columns ?? 100;
      for (const line of renderShow(found, { width, ...options })) say(io, line);
    });
}
