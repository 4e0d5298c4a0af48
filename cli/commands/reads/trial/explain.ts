import type { Command } from 'commander';
import { readExplanation } from '../../../../db/reads/explanation/read-explanation.ts';
import { readAblations } from '../../../../db/reads/explanation/read-ablations.ts';
import { requestAblation } from '../../../ablate/request-ablation.ts';
import { pickResearch } from '../../../arguments/pick.ts';
import { withDb } from '../../../context.ts';
import { refused } from '../../../errors.ts';
import { printJson, printLine, type Io } from '../../../io.ts';
import { renderAblations } from '../../../render/explain/ablation.ts';
import { renderExplanation } from '../../../render/explain/explanation.ts';

interface Options {
  ablate?: string | true;
  budgetTrials?: string;
  yes?: boolean;
  json?: boolean;
}

export function registerExplain(program: Command, io: Io): void {
  program
    .command('explain [id]')
    .description(
      'The importance of each knob for reaching the best candidates, with intervals. ' +
        'It counts candidates of the current version of the task. It also shows ablations.',
    )
    .option('--ablate [claim]', 'run the claim (by default the last one) without each of its edits, and measure each')
    .option('--budget-trials <n>', 'with --ablate: most trials; by default three runs of the claim and of each variant')
    .option('--yes', 'with --ablate: without confirmation')
    .option('--json', 'one JSON object, with slices and parallel coordinates')
    .action(async (id: string | undefined, options: Options) => {
      const { ablate, budgetTrials, yes } = options;
      if (ablate !== undefined) return ablateClaim(io, id, { ...options, ablate });
      if (budgetTrials !== undefined || yes) throw refused('--budget-trials and --yes need --ablate.');
      const read = await withDb(io, async (db) => {
        const research = await pickResearch(db, id);
        const explanation = await readExplanation(db, { research });
        return { research, explanation, ablations: await readAblations(db, research) };
      });
      const { research, explanation, ablations } = read;
      if (options.json) return printJson(io, { workflowId: research.id, ...explanation, ablations });
      for (const line of [...renderExplanation(explanation), ...renderAblations(ablations)]) printLine(io, line);
    });
}

async function ablateClaim(
  io: Io,
  id: string | undefined,
  options: Options & Required<Pick<Options, 'ablate'>>,
): Promise<void> {
  const research = await withDb(io, (db) => pickResearch(db, id));
  const requested = await requestAblation(io, { research, options });
  if (options.json) return printJson(io, { workflowId: research.id, ...requested });
  const { trials, claim } = requested;
  printLine(
    io,
    `${research.id} runs ${trials} trials for claim ${claim}. Results: npx perpetua explain ${research.id}`,
  );
}
