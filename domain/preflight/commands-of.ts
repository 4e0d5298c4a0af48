import type { Preflight } from '../schema/preflight.ts';
import { shellQuote } from '../text/shell-quote.ts';

/** A command that a candidate must pass before it takes a slot. */
export interface Check {
  command: string;
  /** The check for people and proposers. */
  name: string;
  /** Command that fails if this machine lacks the check's program; absent: the task's command. */
  program?: string;
}

/** Programs that check the syntax of files without executing them, by the ends of the files' names. */
const SYNTAX = [
  {
    ends: ['.py'],
    // Without -I, Python would execute a module of the candidate that is named like one of the standard library.
    command: 'python3 -I -m py_compile',
    name: 'the syntax check of Python',
    program: 'python3 --version',
  },
  {
    ends: ['.js', '.mjs', '.cjs'],
    command: 'node --check',
    name: 'the syntax check of JavaScript',
    program: 'node --version',
    single: true,
  },
] as const;

/** The commands for a candidate with these mutable files. */
export function commandsOf({ syntax, commands }: Pick<Preflight, 'syntax' | 'commands'>, paths: string[]): Check[] {
  const ofTask = commands.map((command) => ({ command, name: JSON.stringify(command) }));
  if (!syntax) return ofTask;
  const bySyntax = SYNTAX.flatMap(({ ends, command, name, program, ...rest }): Check[] => {
    const quoted = paths
      .filter((path) => ends.some((end) => path.endsWith(end)))
      .map((path) => shellQuote(`./${path}`));
    if (quoted.length === 0) return [];
    const calls = 'single' in rest ? quoted.map((path) => `${command} ${path}`) : [`${command} ${quoted.join(' ')}`];
    return [{ command: calls.join(' && '), name, program }];
  });
  return [...bySyntax, ...ofTask];
}
