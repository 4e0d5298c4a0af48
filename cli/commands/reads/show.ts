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
      const [{ withDb }, { pickTrial }, { readPoints }, { readShown }] = await Promise.all([
        import('../../context.ts'),
        import('../../arguments/pick.ts'),
        import('../../../db/reads/read-trial.ts'),
        import('../../../db/reads/trial/read-shown.ts'),
      ]);
      const found = await withDb(io, async (db) => {
        const picked = await pickTrial(db, ref);
        return { ...(await readShown(db, picked)), points: await readPoints(db, { trialId: picked.trial.id }) };
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
