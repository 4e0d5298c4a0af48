import { plural } from '../../../domain/text/plural.ts';
import type { Command } from 'commander';
import type { Db } from '../../../db/connect.ts';
import { readResearches, type Damaged } from '../../../db/reads/read-research.ts';
import { printNote, printLine, printJson, type Io } from '../../io.ts';
import { toCliError } from '../../errors.ts';
import { describeKnownTasks, type DescribedTask } from '../../task/describe-known-tasks.ts';
import { withDb, configOf } from '../../context.ts';
import { renderCatalog } from '../../render/lists/catalog.ts';
import { columns } from '../../render/text/text.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatAgo, formatValue, unitText } from '../../../domain/text/format.ts';
import { readWaits } from '../../../db/reads/status/read-wait.ts';
import { phaseWith } from '../../../view/phase.ts';
import { readCounts } from '../../../db/reads/status/read-counts.ts';
import { standingOf } from '../../../view/standing.ts';
import { isCheck } from '../../../domain/research/check-id.ts';

interface Listed {
  row: {
    workflowId: string;
    task: string;
    phase: string;
    reason: string | null;
    trials: { started: number; ended: number; running: number };
    best: number | null;
    createdAt: string;
  };
  unit: string;
}

export function registerList(program: Command, io: Io): void {
  program
    .command('list')
    .description('The researches of this database, your tasks in ./tasks, and those that come with Perpetua.')
    .option('--tasks', 'only the tasks, with what they need and what a search without a model reaches')
    .option('--json', 'one JSON object')
    .action(async (options: { json?: boolean; tasks?: boolean }) => {
      const tasks = await describeKnownTasks(configOf(io).packageRoot);
      if (options.tasks === true) {
        if (options.json === true) return printJson(io, { tasks });
        for (const line of renderCatalog(tasks)) printLine(io, line);
        return;
      }
      let found: { listed: Listed[]; damaged: Damaged[] };
      try {
        found = await withDb(io, readAll);
      } catch (error) {
        // Tasks are listed without a stack, too; the exit code says that the researches are missing.
        if (!options.json) for (const line of taskLines(tasks)) printLine(io, line);
        throw toCliError(error);
      }
      const { listed: researches, damaged } = found;
      for (const { message } of damaged) printNote(io, `! ${message}`);
      if (options.json) return printJson(io, { researches: researches.map(({ row }) => row), tasks });
      printLine(io, 'researches');
      if (researches.length + damaged.length === 0)
        printNote(io, '  none yet. To start one: npx perpetua start nano-lm');
      const rows = researches.map(({ row, unit }) => [
        `  ${oneLine(row.workflowId)}`,
        row.task,
        row.phase,
        plural(row.trials.ended, 'trial'),
        row.best === null ? '–' : `best ${formatValue(row.best)}${unit}`,
        `started ${formatAgo(new Date(row.createdAt), new Date())}`,
      ]);
      for (const line of columns(rows)) printLine(io, line);
      for (const line of taskLines(tasks)) printLine(io, line);
    });
}

function taskLines(tasks: DescribedTask[]): string[] {
  const widest = Math.max(12, ...tasks.map(({ name }) => name.length));
  const linesOf = (isOwn: boolean) =>
    tasks.filter((task) => task.own === isOwn).map((task) => `  ${task.name.padEnd(widest)} ${task.description}`);
  const ownLines = linesOf(true);
  const heading = ownLines.length === 0 ? [] : ['tasks of your own'];
  return [...heading, ...ownLines, 'tasks that come with Perpetua', ...linesOf(false)];
}

async function readAll(db: Db): Promise<{ listed: Listed[]; damaged: Damaged[] }> {
  const listed: Listed[] = [];
  const { sound, damaged } = await readResearches(db);
  const waits = await readWaits(db);
  for (const research of sound.filter(({ id }) => !isCheck(id))) {
    const { started, ended, running } = await readCounts(db, { researchId: research.id });
    listed.push({
      row: {
        workflowId: research.id,
        task: research.task.name,
        ...phaseWith(research, waits.get(research.id) ?? { wait: null, othersGetOn: false }),
        trials: { started, ended, running },
        best: standingOf(research).claim?.value ?? null,
        createdAt: research.createdAt.toISOString(),
      },
      unit: unitText(research.task.metric.unit),
    });
  }
  return { listed, damaged };
}
