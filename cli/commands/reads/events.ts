import type { Command } from 'commander';
import type { Db } from '../../../db/connect.ts';
import { cursorBefore, FIRST_CURSOR, readEvents, type EventLine } from '../../../db/reads/read-events.ts';
import { CliError, refused } from '../../errors.ts';
import { printLine, printJson, type Io } from '../../io.ts';
import { withDb } from '../../context.ts';
import { parseNonNegative } from '../../arguments/parse-non-negative.ts';
import { readPhase, readResearchIds } from '../../../db/reads/read-research.ts';
import { renderEvent } from '../../render/event.ts';
import { hasEndedBy } from '../../../view/phase.ts';
import { followEvents } from '../../follow-events.ts';
import { readCounts } from '../../../db/reads/status/read-counts.ts';
import { describeFailedResearch } from '../../describe-failed-research.ts';
import { pickResearch } from '../../arguments/pick.ts';

/** Events that are read at once. */
const PAGE = 1000;

interface Options {
  json?: boolean;
  follow?: boolean;
  last?: string;
  after?: string;
}

export function registerEvents(program: Command, io: Io): void {
  program
    .command('events [id]')
    .description('What happened, in order: of one research, or of all of them and the hosts.')
    .option('--json', 'one JSON object a line')
    .option('-f, --follow', 'go on until Ctrl-C, or the end of the research that is named')
    .option('--last <n>', 'only the last n')
    .option('--after <cursor>', 'only what comes after one, by the cursor that --json gives')
    .action(async (id: string | undefined, options: Options) => {
      await withDb(io, (db) => print(db, io, { id, options }));
    });
}

async function print(db: Db, io: Io, { id, options }: { id: string | undefined; options: Options }): Promise<void> {
  const of = id === undefined ? {} : { researchId: await known(db, id) };
  if (options.after !== undefined && !/^\d+:\d+$/.test(options.after))
    throw refused(`Expected --after to be a cursor like ${FIRST_CURSOR}, came ${JSON.stringify(options.after)}.`);
  const last = options.last === undefined ? undefined : Math.floor(parseNonNegative('--last', options.last));
  let after = options.after ?? (last === undefined ? FIRST_CURSOR : await cursorBefore(db, { ...of, last }));
  let lastPhase: EventLine | undefined;
  const show = (line: EventLine): void => {
    if (line.kind === 'phase') lastPhase = line;
    if (options.json) printJson(io, line);
    else printLine(io, renderEvent(line));
  };
  /** Shows what there is by now. */
  const showNew = async (): Promise<'over' | 'open'> => {
    const phase = of.researchId === undefined ? undefined : await readPhase(db, { researchId: of.researchId });
    for (let lines; (lines = await readEvents(db, { ...of, after, limit: PAGE })).length > 0;) {
      lines.forEach(show);
      after = lines.at(-1)?.cursor ?? after;
    }
    return hasEndedBy(phase, lastPhase) ? 'over' : 'open';
  };
  await showNew();
  if (!options.follow) return;
  await followEvents(io, showNew);
  if (of.researchId !== undefined) await tellEnd(db, of.researchId);
}

/** A script that waits for the end hears how that was, as from `watch` and `log --follow`. */
async function tellEnd(db: Db, id: string): Promise<void> {
  const phase = await readPhase(db, { researchId: id });
  if (phase === undefined) return;
  const why = describeFailedResearch({ id, phase, byStatus: (await readCounts(db, { researchId: id })).byStatus });
  if (why) throw new CliError('failed', why);
}

/** A research may be unreadable for this version, and its events are not. */
async function known(db: Db, id: string): Promise<string> {
  return (await readResearchIds(db)).includes(id) ? id : (await pickResearch(db, id)).id;
}
