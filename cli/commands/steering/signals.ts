import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { readResearch, type ResearchView } from '../../../db/reads/read-research.ts';
import { NoteArgs, describeIssue, SIGNALS } from '../../../domain/messages.ts';
import { refused } from '../../errors.ts';
import { printNote, printLine, printJson, type Io } from '../../io.ts';
import { choiceIn, knownFacts } from '../../../domain/search/proposer/makers.ts';
import { withDb, withTemporal } from '../../context.ts';
import { pickResearch } from '../../arguments/pick.ts';

interface Message {
  signal: keyof typeof SIGNALS;
  args: unknown[];
  /** Effect of the signal, in words that follow the research's id. */
  done: string;
}

export function registerPause(program: Command, io: Io): void {
  program
    .command('pause [id]')
    .description('Pause a research: nothing new starts, runs finish.')
    .option('--json', 'one JSON object')
    .action((id: string | undefined, options: { json?: boolean }) =>
      send(io, { id, ...options }, { signal: 'pause', args: [], done: 'pauses: nothing new starts, runs finish' }),
    );
}

export function registerResume(program: Command, io: Io): void {
  program
    .command('resume [id]')
    .description('Go on with a paused research, or try again at once in one that waits.')
    .option('--json', 'one JSON object')
    .action((id: string | undefined, options: { json?: boolean }) =>
      send(io, { id, ...options }, { signal: 'resume', args: [], done: 'goes on' }),
    );
}

export function registerStop(program: Command, io: Io): void {
  program
    .command('stop [id]')
    .description('End a research once its runs have finished.')
    .option('--now', 'cancel the runs instead')
    .option('--json', 'one JSON object')
    .action((id: string | undefined, { now = false, ...options }: { now?: boolean; json?: boolean }) =>
      send(
        io,
        { id, ...options },
        {
          signal: 'stop',
          args: [{ now }],
          done: now
            ? 'stops now: its runs are cancelled'
            : 'stops once its trials have ended, also those that wait for a slot. To end it at once, add --now',
        },
      ),
    );
}

export function registerNote(program: Command, io: Io): void {
  program
    .command('note')
    .usage('[options] [id] <text>')
    .argument('<text...>', "the research's id, optional if there is only one, and the text")
    .description('Give the proposer advice, which enters the next prompts.')
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      '\nGive the text in quotes, 1 to 4000 characters. The model reads it as plain words. ' +
        'A proposer without a prompt, such as random, does not read it.' +
        '\nExample: npx perpetua note nano-lm "try a smaller batch"',
    )
    .action(async (args: string[], options: { json?: boolean }) => {
      const { id: named, text } = noteOf(args);
      const parsed = NoteArgs.safeParse({ text });
      if (!parsed.success)
        throw refused(`Expected a note of 1 to 4000 characters: ${describeIssue(parsed.error, { text })}.`);
      // If the user forgot the text, the id must not become the text.
      if (named === undefined && !/\s/.test(text))
        throw refused(`Expected an id and a text, or a text of several words; got ${JSON.stringify(text)} alone.`);
      const id = named ?? (await onlyResearch(io));
      const unread = await isReadByNobody(io, id);
      const done = unread ? 'has the note' : 'has the note; it enters the next prompts';
      await send(io, { id, ...options }, { signal: 'note', args: [parsed.data], done });
      if (unread) printNote(io, `note: it has no effect now, since the proposer of ${id} has no prompt`);
    });
}

function noteOf(args: readonly string[]): { id: string | undefined; text: string } {
  const [first = '', second, ...more] = args;
  if (more.length > 0) throw refused(`Expected at most an id and a text, got ${args.length} words: quote the text.`);
  return second === undefined ? { id: undefined, text: first } : { id: first, text: second };
}

/** True if the proposer reads no prompt. False also if the database is unreachable, or the proposer is unknown here. */
async function isReadByNobody(io: Io, id: string): Promise<boolean> {
  const research = await findResearch(io, id);
  return research !== undefined && knownFacts(choiceIn(research))?.readsPrompt === false;
}

/** Reads a research; undefined if the database has none with this id, or if it is unreachable. */
async function findResearch(io: Io, id: string): Promise<ResearchView | undefined> {
  return withDb(io, (db) => readResearch(db, { researchId: id })).catch(() => undefined);
}

/** Signals that a stopping research refuses: a stop is final. The research reports the refusal only in its alerts. */
const IN_VAIN_WHILE_STOPPING: readonly Message['signal'][] = ['pause', 'resume'];

async function send(io: Io, target: { id: string | undefined; json?: boolean }, message: Message): Promise<void> {
  const id = target.id ?? (await onlyResearch(io));
  const isInVain =
    IN_VAIN_WHILE_STOPPING.includes(message.signal) && (await findResearch(io, id))?.phase === 'stopping';
  await withTemporal(io, async ({ client, address }) => {
    try {
      await client.workflow.getHandle(id).signal(SIGNALS[message.signal], ...message.args);
    } catch (error) {
      // The server returns the same error for an unknown id and for a closed workflow.
      if (error instanceof Error && error.name === 'WorkflowNotFoundError')
        throw refused(
          `Expected a running research ${id} on ${address.address} (namespace ${address.namespace}), ` +
            `found ${await endOf(client, id)}. ` +
            `See \`npx perpetua list\`. To start it, or to go on with it: \`npx perpetua start <task> --id ${id}\`.`,
        );
      throw error;
    }
  });
  if (target.json) printJson(io, { workflowId: id, signal: SIGNALS[message.signal] });
  else if (!isInVain) printLine(io, `${id} ${message.done}`);
  if (isInVain)
    printNote(
      io,
      `note: ${id} is stopping, so a ${message.signal} has no effect. ` +
        `When it has stopped, start it again: \`npx perpetua start <task> --id ${id}\``,
    );
}

/** Describes a research without a running workflow: the end time of its last workflow, or none. */
const endOf = (client: Client, id: string): Promise<string> =>
  client.workflow
    .getHandle(id)
    .describe()
    .then(
      ({ closeTime }) => (closeTime ? `one that ended at ${closeTime.toISOString().slice(0, 19)}Z` : 'none'),
      (error: unknown) => {
        if (error instanceof Error && error.name === 'WorkflowNotFoundError') return 'none';
        throw error;
      },
    );

async function onlyResearch(io: Io): Promise<string> {
  return withDb(io, async (db) => (await pickResearch(db, undefined)).id);
}
