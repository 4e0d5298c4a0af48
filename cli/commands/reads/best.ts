import type { Command } from 'commander';
import { CliError } from '../../errors.ts';
import { note, say, sayJson, type Io } from '../../io.ts';

export function registerBest(program: Command, io: Io): void {
  program
    .command('best [id]')
    .description('The best confirmed candidate; before the first keep that is the unmodified workspace.')
    .option('--lead', 'the candidate that the search stands at, which is no claim yet')
    .option('-o, --out <dir>', 'write its whole workspace into an empty or new folder')
    .option('--json', 'one JSON object')
    .action(async (id: string | undefined, options: { lead?: boolean; out?: string; json?: boolean }) => {
      const [{ withDb }, { pickResearch }, { readBest }, { renderBest }] = await Promise.all([
        import('../../context.ts'),
        import('../../arguments/pick.ts'),
        import('../../../db/reads/read-best.ts'),
        import('../../render/best.ts'),
      ]);
      const { best, research } = await withDb(io, async (db) => {
        const research = await pickResearch(db, id);
        return { research, best: await readBest(db, { research, of: options.lead ? 'lead' : 'best' }) };
      });
      if (!best)
        throw new CliError(
          'failed',
          `${research.id} has no best yet: its baseline is not measured. See: npx perpetua status ${research.id}`,
        );
      const { workspace, status, ...rest } = best;
      let written: string[] | undefined;
      if (options.out !== undefined) {
        const { writeWorkspace } = await import('../../task/write-workspace.ts');
        written = await writeWorkspace(options.out, workspace);
      }
      if (options.lead && best.claimed)
        note(io, `note: the search of ${research.id} stands at its best, so the lead is the best`);
      if (options.json)
        return sayJson(io, {
          workflowId: research.id,
          ...rest,
          baseline: status.baseline,
          lead: status.lead,
          metric: status.metric,
          out: options.out ?? null,
          files: workspace.map((file) => file.path),
        });
      for (const line of renderBest(best)) say(io, line);
      if (written) say(io, `wrote ${written.length} files to ${options.out}`);
    });
}
