import { LIMIT_OPTIONS, type Budget, type Limit } from '../schema/budget.ts';
import { shellWord } from '../text/shell-word.ts';
import { trialIdOf } from '../trial/ids.ts';

/** Changed values of a budget; null removes a limit. */
export type BudgetChange = { [K in Limit]?: number | null } & Partial<Pick<Budget, 'counts' | 'whenSpent'>>;

/** The command that changes limits of a budget, for a person to copy. */
export function budgetCommand(id: string, { counts, whenSpent, ...limits }: BudgetChange): string {
  const options = Object.entries(limits).map(([key, limit]) => `--${LIMIT_OPTIONS[key as Limit]} ${limit ?? 'none'}`);
  if (counts !== undefined) options.push(`--counts ${counts.join(',')}`);
  if (whenSpent !== undefined) options.push(`--when-spent ${whenSpent}`);
  return `npx perpetua budget ${shellWord(id)} ${options.join(' ')}`;
}

/** The command that ends a pause, or a wait before the next try. */
export const resumeCommand = (id: string): string => `npx perpetua resume ${shellWord(id)}`;

/** The command that changes the number of trials that are under way at once. */
export const windowCommand = (id: string, window: number | 'auto'): string =>
  `npx perpetua window ${shellWord(id)} ${window}`;

/** The command that makes a research use the current content of a task's folder, or another task. */
export const changeTaskCommand = (id: string, task: string): string =>
  `npx perpetua task ${shellWord(id)} ${shellWord(task)}`;

/** The command that replaces the gate's verdict on a trial. */
export const overruleCommand = (
  id: string,
  { n, verdict, reason }: { n: number; verdict: 'keep' | 'discard'; reason: string },
): string => `npx perpetua overrule ${shellWord(trialIdOf(id, n))} ${verdict} -m ${shellWord(reason)}`;

interface Injected {
  id: string;
  folder: string;
  /** Paths relative to the folder. */
  files: readonly string[];
  hypothesis: string;
}

/** The command that injects a folder's current files into a research, as a trial ahead of all others. */
export function injectCommand({ id, folder, files, hypothesis }: Injected): string {
  const options = files.map((file) => `--file ${shellWord(`${file}=${folder}/${file}`)}`);
  return `npx perpetua inject ${shellWord(id)} ${options.join(' ')} -m ${shellWord(hypothesis)}`;
}
