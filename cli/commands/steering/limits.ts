import type { Command } from 'commander';
import { describeIssue, SetBudgetArgs, SetWindowArgs, type SetBudget } from '../../../domain/messages.ts';
import { LARGEST_WINDOW } from '../../../domain/window/largest.ts';
import { LIMIT_OPTIONS, LIMITS, type Budget } from '../../../domain/schema/budget.ts';
import { budgetUseOf, describeBudget } from '../../../view/budget.ts';
import { describeBudgetChange, describeWindowChange, type ChangedWindow } from '../../../view/steering/results.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { refused } from '../../errors.ts';
import { printJson, printLine, type Io } from '../../io.ts';
import { updateResearch } from '../../steering/update-research.ts';

type Options = Record<string, string | boolean | undefined> & { json?: boolean };

const REPEAT = 'Repeat the command: the result is the same.';

/** Key of an option in the object of commander. */
const keyOf = (option: string): string => option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export function registerBudget(program: Command, io: Io): void {
  const command = program
    .command('budget [id]')
    .description("Change a research's budget. Without options: show it. `none` removes a limit.");
  for (const limit of LIMITS) command.option(`--${LIMIT_OPTIONS[limit]} <n>`, `limit of budget.${limit}, or none`);
  command
    .option('--counts <kinds>', 'kinds that count as trials, separated by commas')
    .option('--when-spent <what>', 'once a limit is reached: stop, or wait for a raise')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample: npx perpetua budget nano-lm --trials 500 --hours none')
    .action((id: string | undefined, options: Options) => budget(io, id, options));
}

async function budget(io: Io, named: string | undefined, options: Options): Promise<void> {
  const change = readChange(options);
  const research = await withDb(io, (db) => pickResearch(db, named));
  const { id, phase } = research;
  const before = research.budget;
  const isChange = Object.keys(change).length > 0;
  const after = isChange
    ? await updateResearch<Budget>(io, { id, name: 'setBudget', args: change, onRepeat: REPEAT })
    : before;
  if (options.json === true) return printJson(io, { workflowId: id, before, after });
  for (const line of describeBudgetChange(before, after)) printLine(io, line);
  if (isChange && describeBudgetChange(before, after).length === 0) printLine(io, 'nothing changed');
  printLine(io, `${id}: ${describeBudget(budgetUseOf({ ...research, budget: after }), phase)}`);
}

function readChange(options: Options): SetBudget {
  const limits = LIMITS.flatMap((key) => {
    const text = options[keyOf(LIMIT_OPTIONS[key])];
    return typeof text === 'string' ? [[key, limitOf(LIMIT_OPTIONS[key], text)]] : [];
  });
  const change = {
    ...(Object.fromEntries(limits) as Record<string, number | null>),
    ...(typeof options.counts === 'string' ? { counts: options.counts.split(',') } : {}),
    ...(typeof options.whenSpent === 'string' ? { whenSpent: options.whenSpent } : {}),
  };
  const parsed = SetBudgetArgs.safeParse(change);
  if (!parsed.success)
    throw refused(`Expected a budget that a research takes; ${describeIssue(parsed.error, change)}.`);
  return parsed.data;
}

function limitOf(option: string, text: string): number | null {
  if (text === 'none') return null;
  const limit = Number(text);
  if (text.trim() === '' || !Number.isFinite(limit))
    throw refused(`Expected --${option} to be a number or none, got ${JSON.stringify(text)}.`);
  return limit;
}

export function registerWindow(program: Command, io: Io): void {
  program
    .command('window')
    .usage('[options] [id] <n>')
    .argument('<args...>', "the research's id, optional if there is only one, and the number, or auto")
    .description('Change how many trials of a research are under way at once.')
    .option('--json', 'one JSON object')
    .action((args: string[], options: { json?: boolean }) => window(io, args, options));
}

async function window(io: Io, args: readonly string[], { json = false }: { json?: boolean }): Promise<void> {
  const [text = '', named] = [...args].reverse();
  if (args.length > 2) throw refused(`Expected at most an id and a window, got ${args.length} words.`);
  const change = { window: text === 'auto' ? text : Number(text) };
  const parsed = SetWindowArgs.safeParse(change);
  if (!parsed.success)
    throw refused(`Expected a window from 1 to ${LARGEST_WINDOW}, or auto; got ${JSON.stringify(text)}.`);
  const { id, window: before } = await withDb(io, (db) => pickResearch(db, named));
  const after = await updateResearch<ChangedWindow>(io, {
    id,
    name: 'setWindow',
    args: parsed.data,
    onRepeat: REPEAT,
  });
  if (json) return printJson(io, { workflowId: id, before, after });
  printLine(io, describeWindowChange(id, before, after));
}
