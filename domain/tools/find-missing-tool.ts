/** What a program looked for in vain. */
export interface MissingTool {
  /** `file`: by an absolute path, a program's too. */
  kind: 'command' | 'python' | 'node' | 'file';
  /** A command, the top-level name of a module, or a path. */
  name: string;
}

interface Sign {
  kind: MissingTool['kind'];
  pattern: RegExp;
}

const COMMAND = String.raw`([A-Za-z0-9_][A-Za-z0-9._+-]*)`;
const PATH = String.raw`(/[^'"\u2018\u2019:\s]+)`;
const QUOTE = `['"\u2018\u2019]?`;

/** Words of interpreters and shells, the most telling first; each names one thing. */
const SIGNS: readonly Sign[] = [
  { kind: 'python', pattern: /\bNo module named ['"]?([A-Za-z_]\w*)/ },
  { kind: 'node', pattern: /\bCannot find (?:module|package) '((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)(?:\/[^']*)?'/ },
  { kind: 'file', pattern: new RegExp(`(?:No such file or directory|Permission denied): ${QUOTE}${PATH}`) },
  { kind: 'file', pattern: new RegExp(`\\bFileNotFoundError: ${QUOTE}${PATH}${QUOTE} (?:not found|does not exist)`) },
  { kind: 'file', pattern: new RegExp(`\\b(?:ENOENT|EACCES)\\b.*'${PATH}'`) },
  { kind: 'command', pattern: new RegExp(`\\bNo such file or directory: '${COMMAND}'`) },
  { kind: 'command', pattern: new RegExp(`\\bspawn ${COMMAND} ENOENT\\b`) },
];

/** Words of a shell, or of `env`, that stand for a command only beside the exit code of one that could not be started. */
const OF_SHELL: readonly Sign[] = [
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

/** Files: also where a program like `cat` could not open them. */
const OF_PROGRAM: readonly Sign[] = [OF_SHELL[0] as Sign];
/** Lines from the end that are looked at. */
const MOST_LINES = 100;

/** Whether a missing file is a program, by where it lies. */
export const isOfPath = ({ kind, name }: MissingTool): boolean => kind === 'file' && /\/s?bin\/[^/]+$/.test(name);

/** What a failed program says that it did not find, by the last such line of its output; null where it says nothing of that kind. */
export function findMissingTool({ exitCode, log }: { exitCode: number | null; log: string }): MissingTool | null {
  const lines = log
    .split('\n')
    .slice(-MOST_LINES)
    .map((line) => line.slice(0, 500));
  const notStarted = exitCode === 126 || exitCode === 127;
  for (const { kind, pattern } of [...SIGNS, ...(notStarted ? OF_SHELL : OF_PROGRAM)])
    for (const line of lines.toReversed()) {
      const name = pattern.exec(line)?.[1];
      if (name !== undefined) return { kind, name };
    }
  return null;
}
