/** A tool that a program did not find. */
export interface MissingTool {
  /** Kind of the tool. `file`: an absolute path, which may be that of a program. */
  kind: 'command' | 'python' | 'node' | 'file';
  /** Name of a command, top-level name of a module, or path. */
  name: string;
}

interface Sign {
  kind: MissingTool['kind'];
  pattern: RegExp;
}

const COMMAND = String.raw`([A-Za-z0-9_][A-Za-z0-9._+-]*)`;
const PATH = String.raw`(/[^'"\u2018\u2019:\s]+)`;
/** A path between quotation marks may have blanks and colons. */
const QUOTED_PATH = String.raw`(/[^'\n]+)`;
const QUOTE = `['"\u2018\u2019]?`;

/** Error messages of interpreters, the most specific first. Each names one missing tool. */
const SIGNS: readonly Sign[] = [
  { kind: 'python', pattern: /\bNo module named ['"]?([A-Za-z_]\w*)/ },
  { kind: 'node', pattern: /\bCannot find (?:module|package) '((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)(?:\/[^']*)?'/ },
  { kind: 'file', pattern: new RegExp(`(?:No such file or directory|Permission denied): '${QUOTED_PATH}'`) },
  { kind: 'file', pattern: new RegExp(`(?:No such file or directory|Permission denied): ${QUOTE}${PATH}`) },
  { kind: 'file', pattern: new RegExp(`\\bFileNotFoundError: ${QUOTE}${PATH}${QUOTE} (?:not found|does not exist)`) },
  { kind: 'file', pattern: new RegExp(`\\b(?:ENOENT|EACCES)\\b.*'${QUOTED_PATH}'`) },
  { kind: 'command', pattern: new RegExp(`\\bNo such file or directory: '${COMMAND}'`) },
  { kind: 'command', pattern: new RegExp(`\\bspawn ${COMMAND} ENOENT\\b`) },
];

/** Error messages of a shell or of `env`. They mean a missing command only with exit code 126 or 127. */
const SHELL_SIGNS: readonly Sign[] = [
  {
    kind: 'file',
    pattern: new RegExp(`${QUOTE}${PATH}${QUOTE}: (?:not found|No such file or directory|Permission denied)`),
  },
  {
    kind: 'command',
    pattern: new RegExp(
      `(?:^|: )${QUOTE}${COMMAND}${QUOTE}: (?:(?:command )?not found|No such file or directory|Permission denied)`,
    ),
  },
];

/** Error messages about files, which programs like `cat` print as well. */
const PROGRAM_SIGNS: readonly Sign[] = [SHELL_SIGNS[0] as Sign];
/** Number of lines at the end of the log that are searched. */
const MOST_LINES = 100;

/** True if a missing file is a program, judged by its folder. */
export const isOfPath = ({ kind, name }: MissingTool): boolean => kind === 'file' && /\/s?bin\/[^/]+$/.test(name);

/** Finds the tool that a failed program reports as missing in the last such line of its log; null if there is none. */
export function findMissingTool({ exitCode, log }: { exitCode: number | null; log: string }): MissingTool | null {
  const lines = log
    .split('\n')
    .slice(-MOST_LINES)
    .map((line) => line.slice(0, 500));
  const notStarted = exitCode === 126 || exitCode === 127;
  for (const { kind, pattern } of [...SIGNS, ...(notStarted ? SHELL_SIGNS : PROGRAM_SIGNS)])
    for (const line of lines.toReversed()) {
      const name = pattern.exec(line)?.[1];
      if (name !== undefined) return { kind, name };
    }
  return null;
}
