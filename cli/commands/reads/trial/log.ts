import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Db } from '../../../../db/connect.ts';
import { readLog, type LogLine } from '../../../../db/reads/read-log.ts';
import { isPostgresOutage, CliError, refused } from '../../../errors.ts';
import { printNote, printLine, printJson, type Io } from '../../../io.ts';
import { withDb } from '../../../context.ts';
import { pickResearch } from '../../../arguments/pick.ts';
import { readOldUnits } from '../../../../db/reads/read-old-units.ts';
import { renderLogLine } from '../../../render/log-line.ts';
import { readCounts } from '../../../../db/reads/status/read-counts.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import { describeFailedResearch } from '../../../describe-failed-research.ts';

const POLL_MS = 1000;

interface Options {
  json?: boolean;
  follow?: boolean;
  last?: string;
}

export function registerLog(program: Command, io: Io): void {
  program
    .command('log [id]')
    .description('Every ended trial, one line each, in the order in which they ended.')
    .option('--json', 'one JSON object a line')
    .option('-f, --follow', 'go on until the research ends or Ctrl-C')
    .option('--last <n>', 'only the last n')
    .action(async (id: string | undefined, options: Options) => {
      const last = options.last === undefined ? undefined : Number(options.last);
      if (last !== undefined && !(Number.isInteger(last) && last >= 0))
        throw refused(`Expected --last to be a whole number, got ${JSON.stringify(options.last)}.`);
      await withDb(io, (db) => print(db, io, { id, last, options }));
    });
}

async function print(
  db: Db,
  io: Io,
  { id, last, options }: { id: string | undefined; last: number | undefined; options: Options },
): Promise<void> {
  const research = await pickResearch(db, id);
  const { metric } = research.task;
  const old = options.json
    ? new Map<number, string | null>()
    : await readOldUnits(db, { researchId: research.id, taskHash: research.taskHash });
  const unitOf = ({ n }: LogLine) => (old.has(n) ? (old.get(n) ?? undefined) : metric.unit);
  const show = (line: LogLine) =>
    options.json ? printJson(io, line) : printLine(io, renderLogLine(line, { unit: unitOf(line) }));
  const lines = await readLog(db, { researchId: research.id });
  for (const line of last === undefined ? lines : lines.slice(Math.max(0, lines.length - last))) show(line);
  if (options.follow) await follow(db, io, { researchId: research.id, printed: lines.map((line) => line.n), show });
}

/** Prints trials as they end, out of order: all numbers up to `floor` are printed, and the numbers in `beyond`. */
async function follow(
  db: Db,
  io: Io,
  state: { researchId: string; printed: number[]; show: (line: LogLine) => void },
): Promise<void> {
  const beyond = new Set(state.printed);
  let floor = 0;
  let isDown = false;
  for (;;) {
    while (beyond.delete(floor + 1)) floor += 1;
    try {
      const research = await readResearch(db, { researchId: state.researchId });
      for (const line of await readLog(db, { researchId: state.researchId, after: floor }))
        if (!beyond.has(line.n)) {
          beyond.add(line.n);
          state.show(line);
        }
      isDown = false;
      if (research?.phase === 'stopped' || research?.phase === 'failed') {
        const { byStatus } = await readCounts(db, { researchId: research.id });
        const why = describeFailedResearch({ id: research.id, phase: research.phase, byStatus });
        if (why) throw new CliError('failed', why);
        return;
      }
    } catch (error) {
      if (!isPostgresOutage(error)) throw error;
      if (!isDown) printNote(io, 'Postgres does not answer; waiting for it');
      isDown = true;
    }
    if (io.signal?.aborted) return;
    await sleep(POLL_MS, undefined, io.signal ? { signal: io.signal } : {}).catch(() => undefined);
    if (io.signal?.aborted) return;
  }
}
