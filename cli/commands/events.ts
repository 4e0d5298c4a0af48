import type { Command } from 'commander';
import type { Db } from '../../db/connect.ts';
import type { EventLine } from '../../db/reads/read-events.ts';
import { refused } from '../errors.ts';
import { say, sayJson, type Io } from '../io.ts';

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
    .option('-f, --follow', 'go on until Ctrl-C')
    .option('--last <n>', 'only the last n')
    .option('--after <cursor>', 'only what comes after one, by the cursor that --json gives')
    .action(async (id: string | undefined, options: Options) => {
      const { withDb } = await import('../context.ts');
      await withDb(io, (db) => print(db, io, { id, options }));
    });
}

async function print(db: Db, io: Io, { id, options }: { id: string | undefined; options: Options }): Promise<void> {
  const [{ atLeastZero }, { cursorBefore, FIRST_CURSOR, readEvents }, { renderEvent }] = await Promise.all([
    import('../at-least-zero.ts'),
    import('../../db/reads/read-events.ts'),
    import('../render/event.ts'),
  ]);
  const of = id === undefined ? {} : { researchId: await known(db, id) };
  if (options.after !== undefined && !/^\d+:\d+$/.test(options.after))
    throw refused(`Expected --after to be a cursor like ${FIRST_CURSOR}, came ${JSON.stringify(options.after)}.`);
  const last = options.last === undefined ? undefined : Math.floor(atLeastZero('--last', options.last));
  let after = options.after ?? (last === undefined ? FIRST_CURSOR : await cursorBefore(db, { ...of, last }));
  const show = (line: EventLine) => (options.json ? sayJson(io, line) : say(io, renderEvent(line)));
  /** Shows what there is by now. */
  const showNew = async (): Promise<void> => {
    for (let lines; (lines = await readEvents(db, { ...of, after, limit: PAGE })).length > 0;) {
      lines.forEach(show);
      after = lines.at(-1)?.cursor ?? after;
    }
  };
  await showNew();
  if (!options.follow) return;
  const { followEvents } = await import('../follow-events.ts');
  await followEvents(io, showNew);
}

/** A research may be unreadable for this version, and its events are not. */
async function known(db: Db, id: string): Promise<string> {
  const [{ readResearchIds }, { pickResearch }] = await Promise.all([
    import('../../db/reads/read-research.ts'),
    import('../pick.ts'),
  ]);
  return (await readResearchIds(db)).includes(id) ? id : (await pickResearch(db, id)).id;
}
